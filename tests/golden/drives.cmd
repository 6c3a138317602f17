# The drives that come with ncqsim, and a drive file with mistakes.
ncqsim drive list | head -n 1
names=$(ncqsim drive list --json | python3 -c '
import json, sys
print(*(d["name"] for d in json.load(sys.stdin)), sep="\n")')
[ "$names" = "$(cd models/drives && ls *.ini | grep -v TEMPLATE |
	sed 's/.ini$//')" ] && echo every file is listed
ncqsim drive show teaching
ncqsim drive show wd3200bjkt --json
ncqsim drive check $names | grep -vc ': ok: '
sed 's/^rpm.*/rpm = 72OO/' models/drives/wd3200bjkt.ini >"$TMP/rpm.ini"
sed 's/^heads/haeds/' models/drives/wd3200bjkt.ini >"$TMP/heads.ini"
ncqsim drive check "$TMP/rpm.ini" "$TMP/heads.ini" wd3200bjkt
echo "-> $?"
ncqsim help host.queue_depth
ncqsim help mechanism.rpm
