#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What can be seen of a connection and its paths from outside: rdma resource, tracepoints and
# the picture made of them.
# runs-on: uml-debug sim
lib=$(dirname "$(readlink -f "$0")")/../lib
. "$lib/tap.sh"
. "$lib/topo.sh"
. "$lib/verbs.sh"
. "$lib/trace.sh"

n=200
if [ -n "$METAROCE_DEBUG" ]; then n=60; fi
link=(rate=10gbit delay=5us)

# planes N [KEY=VALUE...]: two hosts with N links; devices mrA and mrB on their dummies.
planes() {
	clear_all || return
	links "$1" A B "${@:2}"
	link_add mrA host0 A
	link_add mrB host0 B
	bw_to=10.1.0.1 bw_from=10.1.0.2
}

# ---- rdma resource ---------------------------------------------------------------------

# The RC queue pair of mrB as rdma(8) shows it, with what the driver adds.
shown() { rdma resource show qp link mrB/1 type RC -dd -j | jq -e '.[0] | with_entries(.key |= sub("^drv_"; ""))'; }

# resource_shown: numbers that fit each other, under load, in fewer bytes than there are.
resource_shown() { # rule 26
	local bytes
	bw_start -D 2
	bw_running
	shown >/tmp/shown
	cat /tmp/shown
	expect "$(jq -r .paths /tmp/shown)" == 16 paths
	expect "$(jq -r .active /tmp/shown)" '>=' 1 "active paths"
	expect "$(jq -r .cwnd /tmp/shown)" '>=' "$(jq -r .payload /tmp/shown)" "sum of windows"
	[ "$(jq -r .conn_state /tmp/shown)" = open ] || fail "the connection is not open"
	[ "$(jq -r .hint /tmp/shown)" = 0xffff ] || fail "hint"
	expect "$(jq '[keys[] | select(test("^path[0-9]+$"))] | length' /tmp/shown)" == 8 "paths shown"
	bytes=$("$verbs_top/tests/tools/res_size.py" mrB | awk '{ if ($2 > n) n = $2 } END { print n }')
	note "$bytes bytes"
	expect "$bytes" '>' 500 "bytes of driver attributes"
	expect "$bytes" '<=' 1536 "bytes of driver attributes"
	bw_stop
}

# ---- tracepoints and the picture -------------------------------------------------------

# summed NAME: over the lines that trace-plot --summary printed.
summed() { awk -v name="$1" '{ for (i = 1; i <= NF; i++) if (split($i, v, "=") && v[1] == name) n += v[2] }
	END { print n + 0 }' /tmp/summary; }

# What is drawn is what the counters say; marks come on one link, losses on the other.
drawn() {
	local i
	shape A e0 "${link[@]}" mark=5%
	shape B e0 "${link[@]}" mark=5%
	shape A e1 "${link[@]}" loss=2%
	shape B e1 "${link[@]}" loss=2%
	trace_start
	mark mrA; mark mrB
	bw -n $n -r
	trace_stop /tmp/trace.txt
	changes mrB
	"$verbs_top/scripts/trace-plot" --summary /tmp/trace.txt >/tmp/summary
	cat /tmp/summary
	expect "$(grep -c 'acks=[1-9]' /tmp/summary)" '>=' 4 "paths with points"
	expect "$(summed lost)" '>' 0 lost
	expect "$(summed lost)" == "$(grew mrB loss_gap)" lost
	expect "$(summed retransmits)" == "$(grew mrB tx_retransmit)" retransmits
	expect "$(summed marked)" '>' 0 marked
	expect "$(summed marked)" '<=' "$(grew mrA rx_ce_marked)" marked
	python3 -c 'import matplotlib' 2>/dev/null || skip "python3-matplotlib is not installed"
	"$verbs_top/scripts/trace-plot" -o /tmp/trace.svg /tmp/trace.txt
	for i in $(sed -n 's/.* path=\([0-9]*\) acks=[1-9].*/\1/p' /tmp/summary); do
		grep -q "<!-- path $i -->" /tmp/trace.svg || fail "path $i is not in the picture"
	done
	grep -q '<!-- found lost -->' /tmp/trace.svg || fail "the picture shows no loss"
	grep -q '<!-- marked (CE) -->' /tmp/trace.svg || fail "the picture shows no mark"
}

planes 2 "${link[@]}"
t "rdma resource shows connection and paths" resource_shown
t "a trace tells what the counters say, and is drawn" drawn
clear_all
tap_done
