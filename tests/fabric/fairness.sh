#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# One connection of 1, 4 and 16 paths (and 64 in the full run, which wants a module that has so
# many) against one TCP flow with DCTCP, and against another connection of one path, through
# one port of 10 Gb/s that marks above 20 us. The sender sets the number by direct verbs; that
# as many carry packets is a bar too.
# Bar: per connection 0.67 to 1.5 of equal against DCTCP, 0.8 to 1.25 against our own.
# fabric: check
# module: -DMROCE_NPATHS=64
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

between() {
	holds "$1" "$2" '>=' "$3"
	holds "$1" "$2" '<=' "$4"
}

# In use at once may be fewer than that, if the window has no packet for each, and one that
# rests may take another's place.
really() {
	holds "$1, paths that carried" "$(of "flow from=1" paths)" '>=' "$2"
	holds "$1, paths in use at the end" "$(of "flow from=1" used)" '<=' "$2"
}

# TCP is there before and after; both are taken from what the switch got from them meanwhile.
against_tcp() {
	local n=$1 name="$1 paths against DCTCP" pid
	"$tcp_tool" -c dctcp -W 0.01 -D 0.08 h2:h0:10.0.0.1 >/tmp/tcp.out &
	pid=$!
	watched 0.001 "sw:p1 sw:p2" fab -v -P "1,$n" -r -s 65536 -q 32 -D 0.04 incast ||
		{ broken "$name" "0.67 to 1.5"; return 1; }
	wait $pid
	really "$name" "$n"
	between "$name, of equal" "$(of_equal)" 0.67 1.5
}

against_one() {
	local n=$1 name="$1 paths against one"
	watched 0.001 "sw:p1 sw:p2" fab -v -P "1,$n,1" -r -s 65536 -q 32 -D 0.04 incast ||
		{ broken "$name" "0.8 to 1.25"; return 1; }
	really "$name" "$n"
	between "$name, of equal" "$(of_equal)" 0.8 1.25
}

of_equal() {
	local first second
	first=$(rate rx sw:p1 0.015 0.039) second=$(rate rx sw:p2 0.015 0.039)
	ratio "$first" "$(calc "($first + $second) / 2")"
}

star 3 rate=10gbit delay=5us ecn=20us
all=("${ranks[@]}")
paths=(1 4 16)
[ -z "$fabric_all" ] || paths+=(64)
for n in "${paths[@]}"; do
	ranks=("${all[@]:0:2}")
	t "$n paths against DCTCP" against_tcp "$n"
	ranks=("${all[@]}")
	t "$n paths against one" against_one "$n"
done
clear_all
tap_done
