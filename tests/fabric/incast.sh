#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# 15 senders, and 63 in the full run, 1 MiB each at once, to one receiver through one port of
# 10 Gb/s that marks, or drops beyond 500 packets.
# Bars: slowest to fastest <= 1.10; total within 5 % of ideal (15) or 8 % (63); from 2 loaded
# RTTs, at least 300 us, after the start, in any window of 2 ms (63: 5 ms), each sender's bytes
# within 10 % of equal; queue after that <= 2 packets per sender. Drops are reported.
# fabric: check
# mem: 4G
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

# The switch's ports towards all hosts: its receiver's for the queue, the others' for shares.
run() {
	local n=$1 h senders=''
	star $((n + 1)) rate=10gbit delay=1us "${@:2}"
	keep ceiling "$(ceiling h1 h0 10.0.0.1)"
	for ((h = 1; h <= n; h++)); do senders+=" sw:p$h"; done
	mark mr0
	watched 0.0002 "sw:p0$senders" fab -v -r -s 1048576 -q 1 -n 1 incast || return
	changes mr0
	sound mr0
}

incast() {
	local n=$1 name="$1 to 1, $2"
	run "$n" "${@:3}" || { broken "$name, fastest to slowest" "<= 1.10"; return 1; }
	holds "$name, fastest to slowest" "$(of total apart)" '<=' 1.10
}

total() { holds "$1 to 1, $2, of ideal" "$(ratio "$(of total MB/s)" "$(kept ceiling)")" '>=' "$3" '' - "$(kept ceiling) MB/s"; }

# When all have settled: two round trips behind the queue of all first flights, 8 packets of
# 1.2 us each; at least 300 us.
settled() { calc "$1 * 8 * 2 > 250 ? $1 * 8 * 2 * 1.2e-6 : 0.0003"; }

even() {
	local first
	first=$(sed -n 's/^flow.* last=\([0-9.]*\).*/\1/p' "$fab_out" | sort -n | head -n 1)
	grep -v ',sw:p0,' $samples >$samples.senders && mv $samples $samples.all && mv $samples.senders $samples
	off=$(shares rx "$(settled "$1")" "$first" "$3")
	mv $samples.all $samples
	holds "$1 to 1, $2, off equal in any $3 s" "$off" '<=' 0.10
}

standing() {
	local drops most
	drops=$(sampled 'link == "sw:p0" { d = drops } END { print d + 0 }')
	most=$(sampled 'link == "sw:p0" && t >= from && qlen > m { m = qlen } END { print m + 0 }' -v from="$(settled "$1")")
	reported "$1 to 1, $2, drops" "$drops" packets
	reported "$1 to 1, $2, longest queue at all" "$(sampled 'link == "sw:p0" && qlen > m { m = qlen } END { print m + 0 }')" packets
	holds "$1 to 1, $2, longest queue when settled" "$most" '<=' $((2 * $1)) packets
}

sizes=(15)
[ -z "$fabric_all" ] || sizes=(15 63)
for n in "${sizes[@]}"; do
	bar=0.95 window=0.002
	[ $n = 15 ] || bar=0.92 window=0.005
	for kind in "marking ecn=20us" "drop-tail limit=500"; do
		: >"$fab_out"
		# shellcheck disable=SC2086
		t "$n to 1, ${kind% *}" incast $n $kind
		t "$n to 1, ${kind% *}, total" total $n "${kind% *}" $bar
		t "$n to 1, ${kind% *}, shares" even $n "${kind% *}" $window
		t "$n to 1, ${kind% *}, queue" standing $n "${kind% *}"
	done
done
clear_all
tap_done
