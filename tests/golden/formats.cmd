# The same run in each format.
run="ncqsim run --workload randrw,count=500,size=1g,seed=7 -d wd3200bjkt --depth 8"
$run
$run --json
$run --csv
$run --md
$run --requests "$TMP/a.csv" --quiet -o /dev/null && head -n 4 "$TMP/a.csv"
$run --requests "$TMP/a.jsonl" --quiet -o /dev/null && head -n 4 "$TMP/a.jsonl"
wc -l "$TMP"/a.*
