#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# 1,000 queue pairs between two hosts over 4 planes of 2.5 Gb/s; one plane's link goes down
# and comes up again.
# Bar: no completion with an error; the plane carries again within 100 ms.
# fabric: check
# mem: 4G
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

down() {
	mark mrA; mark mrB
	watched 0.0005 "B:e0 B:e1" fab -r -Q 1000 -s 16384 -q 1 -D 0.25 -e "0.05:ip -n A link set e1 down" \
		-e "0.08:ip -n A link set e1 up" pair || { broken "1,000 queue pairs" "no error"; return 1; }
	changes mrA; changes mrB
	sound mrA mrB
	holds "1,000 queue pairs, errors" "$(of total errors)" '==' 0
	reported "longest time without a completion" "$(of total gap_us)" us
}

again() { holds "plane 1 beside plane 0, from 100 ms on" "$(ratio "$(rate rx B:e1 0.2 0.25)" "$(rate rx B:e0 0.2 0.25)")" '>=' 0.9; }

planes 4 rate=2.5gbit delay=5us
t "a plane's link goes down" down
t "it comes up" again
clear_all
tap_done
