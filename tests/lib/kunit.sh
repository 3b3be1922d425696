#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs the transport's KUnit module in the kernel at hand and reports its cases as TAP.
# runs-on: kunit
set -uo pipefail
results=/sys/kernel/debug/kunit
ko=${METAROCE_BUILD:?runs inside the test bed}/metaroce_kunit.ko

if [ ! -d $results ]; then
	echo "ok 1 - KUnit # SKIP this kernel has none"
	echo "1..1"
	exit 0
fi
[ -e "$ko" ] || { echo "Bail out! $ko is not built (kernel/kunit/*.c)"; exit 1; }
insmod "$ko" || { echo "Bail out! $ko does not load"; exit 1; }

# One file of results per suite; a suite's cases are indented by one step, what a case says
# stands before its verdict.
n=0 failed=0
for file in "$results"/*/results; do
	suite=${file%/results}
	while IFS= read -r line; do
		case $line in
		'    ok '[0-9]*) n=$((n + 1)); line=${line#*ok } ; echo "ok $n - ${suite##*/}: ${line#* }" ;;
		'    not ok '[0-9]*)
			n=$((n + 1)) failed=$((failed + 1)); line=${line#*not ok }
			echo "not ok $n - ${suite##*/}: ${line#* }"
			;;
		'    KTAP'* | '    # Subtest'* | '    # module'* | '    1..'*) ;;
		'    '*) echo "# ${line#    }" ;;
		esac
	done <"$file"
done
rmmod metaroce_kunit
[ $n -gt 0 ] || { echo "Bail out! no case ran"; exit 1; }
echo "1..$n"
[ $failed = 0 ]
