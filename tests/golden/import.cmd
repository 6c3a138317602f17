# DiskSim's parameter files become a drive file; what is wrong has a place.
mkdir $TMP/d; cd $TMP/d
cat >small.diskspecs <<'EOF'
disksim_disk SMALL {
   Model = source small.model,
   Max queue length = 1,
   Bulk sector transfer time = 0.1,
   Number of buffer segments = 2,
   Segment size (in blks) = 64,
   Enable caching in buffer = 1,
   Buffer continuous read = 4,
   Read-ahead over requested = 0,
   Maximum read-ahead (blks) = 64,
   Read-ahead on idle hit = 0,
   Fast write level = 2,
   High (read) water mark = 0.5,
   Never disconnect = 1,
   Print stats = 1,
   Read hit over. after read = 0.1,
   Read hit over. after write = 0.2,
   Read miss over. after read = 0.3,
   Read miss over. after write = 0.4,
   Write hit over. after read = 0.5,
   Write hit over. after write = 0.6,
   Write miss over. after read = 0.7,
   Write miss over. after write = 0.8,
   Read completion overhead = 0.01,
   Write completion overhead = 0.02
} # end
EOF
cat >small.model <<'EOF'
dm_disk SMALL_model {
   Number of data surfaces = 2,
   Number of cylinders = 12,
   Block count = 300,
   Layout Model = dm_layout_g1 {
      LBN-to-PBN mapping scheme = 0,
      Sparing scheme used = 1,
      Rangesize for sparing = 1,
      Zones = [
         dm_layout_g1_zone {
            First cylinder number = 0,
            Last cylinder number = 4,
            Blocks per track = 20,
            Offset of first block = 3.000000,
            Empty space at zone front = 50,
            Skew for track switch = 4,
            Skew for cylinder switch = 6,
            Number of spares = 2,
            slips = [ 4 ],
            defects = []
         },
         dm_layout_g1_zone {
            First cylinder number = 6,
            Last cylinder number = 11,
            Blocks per track = 18,
            Offset of first block = 0,
            Empty space at zone front = 0,
            Skew for track switch = 4,
            Skew for cylinder switch = 5,
            Number of spares = 0,
            slips = [],
            defects = []
         }
      ]
   },
   Mechanical Model = dm_mech_g1 {
      Access time type = trackSwitchPlusRotation,
      Seek type = extracted,
      Full seek curve = small.seek,
      Add. write settling delay = -0.5,
      Head switch time = 0.9,
      Rotation speed (in rpms) = 6000,
      Percent error in rpms = 0.0
   }
}
EOF
cat >small.seek <<'EOF'
Seek distances measured: 3
1,	1.2
4,	2.3
11,	3.45
EOF
ncqsim drive import small.diskspecs
ncqsim drive import small.diskspecs -o small.ini 2>/dev/null
ncqsim drive check small.ini
printf 'R Hit 4 4 900.0 5000.0\nW Miss 299 1 700.0 100.0\n' >small.trace
ncqsim run small.trace -d small.ini --json --quiet | grep -c d2c >/dev/null || echo no run
echo "--- mistakes"
try() { sed "$1" small.$2 >bad.$2; [ $2 = model ] && sed 's/small.model/bad.model/' small.diskspecs >bad.diskspecs; [ $2 = seek ] && sed 's/small.seek/bad.seek/' small.model >bad.model && sed 's/small.model/bad.model/' small.diskspecs >bad.diskspecs; ncqsim drive import bad.diskspecs 2>&1 >/dev/null | grep -v 'not expressed'; echo "status ${PIPESTATUS[0]}"; }
try 's/ = 0.7,/ = x,/' diskspecs
try '/Fast write/d' diskspecs
try 's/} # end//' diskspecs
try 's/small.model/none.model/' diskspecs
try 's/scheme used = 1/scheme used = 12/' model
try 's/number = 6/number = 3/' model
try 's/dm_layout_g1 /dm_layout_g9 /' model
try 's/= 20,/20,/' model
try 's/\[ 4 \]/[ 10 ]/' model
try 's/^4,/1,/' seek
try 's/3$/4/' seek
ncqsim drive import nothing.diskspecs; echo "status $?"
ncqsim drive import; echo "status $?"
