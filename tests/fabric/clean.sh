#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# One link of 10, 100 and 400 Gb/s at MTU 1500, 4200 and 9000, nothing lost; one queue pair,
# Writes of 64 KiB and 1 MiB, into relaxed and into strictly ordered memory.
# Bar: >= 97 % of what a raw blast of the same packets carries; at MTU 1500 a packet carries
# 1408 bytes.
# mem: 4G
# timeout: 1200
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

# seconds of warm-up and in all, by rate
declare -A warm=([10gbit]=0.01 [100gbit]=0.002 [400gbit]=0.001)
declare -A until=([10gbit]=0.03 [100gbit]=0.006 [400gbit]=0.003)
declare -A depth=([65536]=64 [1048576]=8)

carries() {
	local rate=$1 mtu=$2 size=$3 order=$4 opts=() name="$1, MTU $2, $3 bytes, $4"
	[ "$order" = strict ] || opts=(-r)
	mark mrA; mark mrB
	fab "${opts[@]}" -s "$size" -q "${depth[$size]}" -W "${warm[$rate]}" -D "${until[$rate]}" pair ||
		{ broken "$name" ">= 0.97"; return 1; }
	changes mrA
	sound mrA mrB
	holds "$name" "$(ratio "$(of total steady_MB/s)" "$(kept ceiling)")" '>=' 0.97 '' - "$(kept ceiling) MB/s"
}

# Writes that are full packets only. What opens the stream is in both runs and falls out.
payload() {
	local n bytes=0 packets=0
	for n in 10 30; do
		mark mrA
		fab -r -s $((512 * 1408)) -n $n pair || { broken "MTU 1500, bytes a packet" "== 1408"; return 1; }
		bytes=$(($(grew mrA tx_payload_bytes) - bytes)) packets=$(($(grew mrA tx_data) - packets))
	done
	holds "MTU 1500, bytes a packet" "$(ratio "$bytes" "$packets")" '==' 1408
}

variants=("65536 relaxed" "1048576 strict")
[ -z "$fabric_all" ] || variants=({65536,1048576}" "{relaxed,strict})
for rate in 10gbit 100gbit 400gbit; do
	for mtu in 1500 4200 9000; do
		route A B rate=$rate delay=2us mtu=$mtu limit=100000
		keep ceiling "$(ceiling A B 10.0.0.2 10000)"
		for variant in "${variants[@]}"; do
			# shellcheck disable=SC2086
			t "$rate, MTU $mtu, $variant" carries $rate $mtu $variant
		done
		[ "$rate $mtu" != "10gbit 1500" ] || t "payload of a packet" payload
	done
done
clear_all
tap_done
