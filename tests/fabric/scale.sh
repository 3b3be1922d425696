#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# State and timers of many connections at one host: two hosts, 10 Gb/s between them, with 16
# addresses each, 64 in the full run: each to each are 256 or 4,096 connections, on each a queue
# pair that writes 4 KiB, one at a time. Beside it as many queue pairs of the same programs on a
# connection for each address, so that what is left is the connections' own.
# Bar: no timer storm: while all have traffic, timers of connections run out less often than
# packets and ACKs arrive; an idle connection wakes up at most 10 times a second. What a
# connection with traffic holds is printed, beside what idle ones do (tests/system/memory.sh).
# mem: 8G
# timeout: 1500
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"
. "$fabric_lib/trace.sh"

n=16 paths=16
[ -z "$fabric_all" ] || n=64
events=$tracefs/events/timer/hrtimer_expire_entry

# ---- what the traffic program runs meanwhile -------------------------------------------

# Kernel memory beside rings, which alone use vmalloc, and beside what belongs to processes.
kernel_kb() {
	awk '{ sub(":", "", $1); v[$1] = $2 }
		END { print v["MemTotal"] - v["MemFree"] - v["Cached"] - v["Buffers"] - v["AnonPages"] -
			v["PageTables"] - v["VmallocUsed"] }' /proc/meminfo
}

# Of the timers of connections that ran out, all that were recorded and those that fell out.
expired() { awk '/^(entries|overrun):/ { n += $2 } END { print n + 0 }' "$tracefs/per_cpu/cpu0/stats"; }

look() {
	local dev packets=0 f v
	for dev in mrA mrB; do
		for f in tx_data tx_ack rx_ack; do
			read -r v <"/sys/class/infiniband/$dev/ports/1/hw_counters/$f"
			packets=$((packets + v))
		done
	done
	echo "look kernel_kb=$(kernel_kb) expired=$(expired) packets=$packets"
}

# ---- the measurement -------------------------------------------------------------------

hosts_with_addresses() {
	local i
	route A B rate=10gbit delay=5us || return
	for ((i = 1; i < n; i++)); do echo "addr add 10.0.1.$i/16 dev vA"; done | ip -n A -batch - || return
	for ((i = 1; i < n; i++)); do echo "addr add 10.0.2.$i/16 dev vB"; done | ip -n B -batch - || return
	ip -n A addr add 10.0.0.1/16 dev vA && ip -n B addr add 10.0.0.2/16 dev vB || return
	gid_of mrA 10.0.1.$((n - 1)) && gid_of mrB 10.0.2.$((n - 1))
}

# The ends of n pairs, and the same in the order that 'cross' wants.
name_ranks() {
	local i
	pairs=("A:mrA:10.0.0.1" "B:mrB:10.0.0.2") from=("A:mrA:10.0.0.1") to=("B:mrB:10.0.0.2")
	for ((i = 1; i < n; i++)); do
		from+=("A:mrA:10.0.1.$i") to+=("B:mrB:10.0.2.$i")
		pairs+=("${from[i]}" "${to[i]}")
	done
}

record_timers() {
	[ -e $tracefs/trace ] || mount -t tracefs tracefs $tracefs || return
	echo 'function.function == mroce_assoc_timer' >$events/filter || return
	echo 1 >$events/enable
}

# The KEY that look number N said.
looked() { sed -n "s/^look .*$2=\([0-9]*\).*/\1/p" "$fab_out" | sed -n "$1p"; }
grown() { echo $(($(looked "$2" "$3") - $(looked "$1" "$3"))); }

few() {
	ranks=("${pairs[@]}")
	fab -r -s 4096 -q 1 -Q "$n" -D 0.06 -X 30 -e "0.05:bash /tmp/look.sh" pair || return
	keep few "$(looked 1 kernel_kb)"
}

# Traffic ends at 0.06; the processes stay until the last look.
many() {
	local conns=$((n * n)) name kb expired packets at looks=()
	name="$conns connections with traffic"
	ranks=("${from[@]}" "${to[@]}")
	mark mrA; mark mrB
	for at in 0.02 0.05 0.5 1.5; do looks+=(-e "$at:bash /tmp/look.sh"); done
	fab -v -r -s 4096 -q 1 -D 0.06 -X 30 "${looks[@]}" cross || { broken "$conns connections" "no error"; return 1; }
	sound mrA mrB
	holds "$conns connections, opened beside those of before" "$(grew mrA conn_opened)" '==' $((conns - n))
	holds "$name, counted" "$(grep -c '^flow .* bytes=[1-9]' "$fab_out")" '==' $conns
	kb=$(($(looked 2 kernel_kb) - $(kept few)))
	kb=$(calc "$kb / 2 / ($conns - $n)")
	reported "$name, each end" "$kb" KiB
	reported "$name, each of $paths paths" "$(calc "$kb * 1024 / $paths")" bytes
	expired=$(grown 1 2 expired) packets=$(grown 1 2 packets)
	reported "$name, wake-ups a second" "$(calc "$expired / 0.03")"
	holds "$name, wake-ups a packet" "$(ratio "$expired" "$packets")" '<=' 1
	expired=$(grown 3 4 expired)
	reported "$conns idle connections, wake-ups a second" "$expired"
	holds "$conns idle connections, wake-ups a second each end" "$(calc "$expired / 2 / $conns")" '<=' 10
}

{ declare -p tracefs; declare -f kernel_kb expired look; echo look; } >/tmp/look.sh
hosts_with_addresses >/dev/null
name_ranks
record_timers
t "a connection for each of $n addresses" few
t "$((n * n)) connections" many
clear_all
tap_done
