#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Ring all-reduce of 16 MiB and all-to-all of 1 MiB to each, 16 hosts (64 in the full run:
# 4,032 connections) at one switch of 10 Gb/s that marks above 20 us; 0, 0.1 and 1 % lost.
# Bar: time at 1 % <= 1.15 x clean. rxe cannot run in namespaces, so it has no column here.
# mem: 8G
# timeout: 1500
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

topology() { star "$1" rate=10gbit delay=1us ecn=20us loss="$2"; }

collective() {
	local n=$1 loss=$2 what=$3 ideal=$4
	shift 4
	fab -r -X 30 "$@" || { broken "$what, $n hosts, $loss" "<= 1.15"; return 1; }
	sound mr0 mr1
	[ "$loss" != 0% ] || { keep "$what.$n" "$(of total seconds)"; reported "$what, $n hosts, clean" "$(of total seconds)" s - "$ideal s"; return 0; }
	if [ "$loss" = 1% ]; then
		holds "$what, $n hosts, $loss, of clean" "$(ratio "$(of total seconds)" "$(kept "$what.$n")")" '<=' 1.15
	else
		reported "$what, $n hosts, $loss, of clean" "$(ratio "$(of total seconds)" "$(kept "$what.$n")")"
	fi
}

sizes=(16)
[ -z "$fabric_all" ] || sizes+=(64)
for n in "${sizes[@]}"; do
	for loss in 0% 0.1% 1%; do
		topology "$n" $loss
		keep ceiling "$(ceiling h1 h0 10.0.0.1)"
		bytes=$(kept ceiling)
		t "ring, $n hosts, $loss" collective "$n" $loss "ring all-reduce" \
			"$(calc "16.777 * 2 * ($n - 1) / $n / $bytes")" -b $((16 << 20)) -k 8 ring-allreduce
		t "all-to-all, $n hosts, $loss" collective "$n" $loss "all-to-all" \
			"$(calc "1.048576 * ($n - 1) / $bytes")" -s 65536 -q 4 -b $((1 << 20)) all-to-all
	done
done
clear_all
tap_done
