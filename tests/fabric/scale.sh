#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# State and timers of many connections: 16 hosts (64 in the full run: 4,032 connections), one
# queue pair from each to each, 4 KiB Writes, one at a time.
# Bar: no timer storm: interrupts <= 20 for each packet sent; memory of a connection (both its
# ends) with its queue pair is printed.
# mem: 8G
# timeout: 1500
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

n=16
[ -z "$fabric_all" ] || n=64
look="grep -h -E '^(MemAvailable|intr)' /proc/meminfo /proc/stat | cut -d' ' -f1-9 | tr '\\n' ' '; date +%s.%N"

many() {
	local pairs=$((n * (n - 1))) before after intr sent dev
	before=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
	for ((dev = 0; dev < n; dev++)); do mark "mr$dev"; done
	fab -r -s 4096 -q 1 -D 0.1 -X 30 -e "0.02:$look" -e "0.08:$look" all-to-all >/tmp/scale.out ||
		{ broken "$pairs connections" "no error"; return 1; }
	after=$(awk '/^MemAvailable/ { print $2; exit }' "$fab_out")
	intr=$(awk '/^MemAvailable/ { for (i = 1; i < NF; i++) if ($i == "intr") v[++n] = $(i + 1) } END { print v[2] - v[1] }' "$fab_out")
	sent=0
	for ((dev = 0; dev < n; dev++)); do sent=$((sent + $(grew "mr$dev" tx_data) + $(grew "mr$dev" tx_ack))); done
	reported "$pairs connections, memory each" "$(calc "($before - $after) / $pairs")" KiB
	reported "$pairs connections, interrupts a second" "$(calc "$intr / 0.06")"
	holds "$pairs connections, interrupts a packet" "$(ratio "$intr" "$(calc "$sent * 0.6")")" '<=' 20
}

star $n rate=10gbit delay=1us ecn=20us
t "$((n * (n - 1))) connections" many
clear_all
tap_done
