#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What idle things cost: queue pairs beside their rings, connections with all their paths; and
# that many queue pairs to one peer share one connection. Debug kernels put so much around
# every object that only the counts are asserted there.
# runs-on: uml uml-debug
lib=$(dirname "$(readlink -f "$0")")/../lib
. "$lib/tap.sh"
. "$lib/topo.sh"
. "$lib/verbs.sh"

many=10000 peers=100
if [ -n "$METAROCE_DEBUG" ]; then many=200 peers=20; fi

# Freed pages that a CPU keeps at hand count as neither free nor cached: up to an eighth of all
# memory, unless their number is set.
few_at_hand() { echo 1000 >/proc/sys/vm/percpu_pagelist_high_fraction; }

# Kernel memory in bytes beside rings, which are the only users of vmalloc that grow here, and
# beside what belongs to processes. Idle things give memory back within a second or so.
kernel_bytes() {
	local key kb rest f
	local -A v=()
	sleep 3
	for f in /sys/kernel/slab/*/shrink; do [ ! -w "$f" ] || echo 1 >"$f"; done
	while read -r key kb rest; do v[${key%:}]=$kb; done </proc/meminfo
	echo $((1024 * (v[MemTotal] - v[MemFree] - v[Cached] - v[Buffers] - v[AnonPages] -
		v[PageTables] - v[VmallocUsed])))
}

# holding OPTION...: runs, keeps everything, sets $held to the kernel's bytes.
holding() {
	hold=$(mktemp)
	bw_start -H "$hold" "$@"
	wait_for 590 grep -qs 'op=' "$bw_out" || { cat "$bw_out" "$bw_log"; fail "did not get so far"; }
	held=$(kernel_bytes)
}

release() {
	rm -f "$hold"
	bw_end 120
}

one_connection() {
	local few cost
	holding -o send -s 8 -q 1 -Q 10 -n 10
	few=$held
	release
	mark mrA
	holding -o send -s 8 -q 1 -Q $many -n $many
	changes mrA
	expect "$(grew mrA conn_opened)" '<=' 1 "connections"
	rdma res show | grep mrA
	release
	cost=$(((held - few) / (2 * (many - 10))))
	note "$many queue pairs at either end, $cost bytes each beside the rings, after a Send"
	[ -z "$METAROCE_DEBUG" ] || return 0
	expect "$cost" '>' 500 "bytes per idle queue pair: less than its own object is a wrong measure"
	expect "$cost" '<=' 4096 "bytes per idle queue pair that has sent or received"
}

# B has many addresses, A one: as many connections. Few large Sends, so that every path is
# used, and then nothing.
per_connection() {
	local i first one cost
	for ((i = 0; i < peers; i++)); do echo "addr add 10.0.0.$((100 + i))/24 dev vb"; done | ip -n B -batch -
	first=$(gid_of mrB 10.0.0.100)
	gid_of mrB 10.0.0.$((99 + peers))
	bw_from=$first holding -o send -s 1000000 -q 1 -Q $peers -n $peers
	one=$held
	release
	mark mrA
	bw_from=$first holding -o send -s 1000000 -q 1 -Q $peers -n $peers -G
	expect "$(grew mrA conn_opened)" '>=' $((peers - 1)) "connections"
	release
	cost=$(((held - one) / (2 * (peers - 1))))
	note "$peers connections, $cost bytes each at either end"
	[ -z "$METAROCE_DEBUG" ] || return 0
	expect "$cost" '>' 2000 "bytes per idle connection: less than its paths is a wrong measure"
	expect "$cost" '<=' 65536 "bytes per idle connection"
}

# Nothing of it is left. The first rounds leave caches warm, and those of the tests before behind.
come_and_go() { bw -o send -s 8 -q 1 -Q $((many / 10)) -n $((many / 10)); }
rounds() { local i; for ((i = 0; i < $1; i++)); do come_and_go; done; }
# least N: of what is in use after each of N more rounds; slabs that are half full come and go.
least() {
	local i
	for ((i = 0; i < $1; i++)); do come_and_go >&2; kernel_bytes; done | sort -n | head -n 1
}
given_back() {
	local before after
	rounds 2
	before=$(least 2)
	rounds 2
	after=$(least 2)
	note "$((after - before)) bytes more after $((4 * many / 10)) queue pairs came and went"
	[ -z "$METAROCE_DEBUG" ] || return 0 # kmemleak tells, at the end
	expect $((after - before)) '<' $((4 * many / 10 * 200)) "bytes kept"
}

few_at_hand || fail "freed pages cannot be counted"
hosts
t "an idle connection with all its paths <= 64 KiB" per_connection
t "$many queue pairs to one peer use one connection, <= 4 KiB each idle" one_connection
t "memory is given back" given_back
clear_all
tap_done
