#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Ring all-reduce of 4 MiB and all-to-all of 256 KiB to each, 16 hosts (in the full run 8 MiB and
# 512 KiB, and 64 hosts too, 4 MiB and 64 KiB: 4,032 connections) at one switch of 10 Gb/s that
# marks above 20 us; 0 and 1 % lost behind the hosts' ports, in the full run 0.1 % too. rxe does
# the same work at its best MTU, with 16 hosts. Ideal: each host's bytes at the link's ceiling.
# Bar: time at 1 % <= 1.15 x clean.
# mem: 8G
# timeout: 900
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

link=(rate=10gbit delay=1us ecn=20us)
declare -A vector=([16]=$((4 << 20)) [64]=$((4 << 20))) each=([16]=$((256 << 10)) [64]=$((64 << 10)))
losses=(0% 1%) sizes=(16)
[ -z "$fabric_all" ] || losses=(0% 0.1% 1%) sizes=(16 64) vector[16]=$((8 << 20)) each[16]=$((512 << 10))

# work KIND HOSTS [OPTION...]
work() {
	case $1 in
	ring) fab "${@:3}" -X 20 -b "${vector[$2]}" -k 8 ring-allreduce ;;
	all-to-all) fab "${@:3}" -X 20 -s 65536 -q 4 -b "${each[$2]}" all-to-all ;;
	esac
}

# MB of each host, at the ceiling
ideal() {
	case $1 in
	ring) calc "${vector[$2]} * 2e-6 * ($2 - 1) / $2 / $(kept ceiling)" ;;
	all-to-all) calc "${each[$2]} * 1e-6 * ($2 - 1) / $(kept ceiling)" ;;
	esac
}

# A run that does not end within 20 s, or ends with an error, is one that failed.
rxe() {
	local n=$1 loss=$2 kind h
	for ((h = 0; h < n; h++)); do
		shape '' "e$h" rate=10gbit delay=1us loss="$loss" || return
	done
	for kind in ring all-to-all; do
		if work $kind "$n" -T 12; then keep "rxe.$kind.$n.$loss" "$(of total seconds)"
		else keep "rxe.$kind.$n.$loss" failed; fi
	done
}

collective() {
	local kind=$1 n=$2 loss=$3 name="$1, $2 hosts, $3 lost" seconds
	work "$kind" "$n" -r || { broken "$name" "<= 1.15"; return 1; }
	sound mr0 mr1
	seconds=$(of total seconds)
	reported "$name" "$seconds" s "$(kept "rxe.$kind.$n.$loss" -)" "$(ideal "$kind" "$n") s"
	case $loss in
	0%) keep "$kind.$n" "$seconds" ;;
	1%) holds "$name, of clean" "$(ratio "$seconds" "$(kept "$kind.$n")")" '<=' 1.15 ;;
	esac
}

rxe_star 16 "${link[@]}"
for loss in "${losses[@]}"; do t "rxe, 16 hosts, $loss" rxe 16 "$loss"; done
for n in "${sizes[@]}"; do
	for loss in "${losses[@]}"; do
		star "$n" "${link[@]}" loss="$loss"
		[ "$loss" != 0% ] || keep ceiling "$(ceiling h1 h0 10.0.0.1)"
		t "ring, $n hosts, $loss" collective ring "$n" "$loss"
		t "all-to-all, $n hosts, $loss" collective all-to-all "$n" "$loss"
	done
done
clear_all
tap_done
