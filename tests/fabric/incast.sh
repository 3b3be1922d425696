#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# 15 and 63 senders, 1 MiB each at once, to one receiver through one port of 10 Gb/s.
# Bar: slowest to fastest <= 1.10; total within 5 % of ideal (15) or 8 % (63).
# fabric: check
# mem: 4G
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

incast() {
	local n=$1 name=$2 within=$3
	star $((n + 1)) rate=10gbit delay=1us "${@:4}"
	ceiling=$(ceiling h1 h0 10.0.0.1)
	mark mr0
	fab -r -s 1048576 -q 1 -n 1 incast || { broken "$n to 1, $name" "<= 1.10"; return 1; }
	changes mr0
	sound mr0
	keep total "$(ratio "$(of total MB/s)" "$ceiling")"
	keep ceiling "$ceiling"
	holds "$n to 1, $name, fastest to slowest" "$(of total apart)" '<=' 1.10
}

total() {
	holds "$1 to 1, $2, of ideal" "$(kept total)" '>=' "$3" '' - "$(kept ceiling) MB/s"
}

for n in 15 63; do
	bar=0.95; [ $n = 15 ] || bar=0.92
	for kind in "marking ecn=20us" "drop-tail limit=500"; do
		keep total ''
		# shellcheck disable=SC2086
		t "$n to 1, ${kind% *}" incast $n "${kind% *}" $bar ${kind#* }
		t "$n to 1, ${kind% *}, total" total $n "${kind% *}" $bar
	done
done
clear_all
tap_done
