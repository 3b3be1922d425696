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
	bw_start -D 30
	bw_running
	shown >/tmp/shown
	cat /tmp/shown
	expect "$(jq -r .paths /tmp/shown)" '>=' 16 paths
	expect "$(jq -r .active /tmp/shown)" '>=' 1 "active paths"
	expect "$(jq -r .cwnd /tmp/shown)" '>=' "$(jq -r .payload /tmp/shown)" "sum of windows"
	[ "$(jq -r .conn_state /tmp/shown)" = open ] || fail "the connection is not open"
	[ "$(jq -r .hint /tmp/shown)" = 0xffff ] || fail "hint"
	expect "$(jq '[keys[] | select(test("^path[0-9]+$"))] | length' /tmp/shown)" == 8 "paths shown"
	bytes=$("$verbs_top/tests/tools/res_size.py" mrB | awk '{ if ($2 > n) n = $2 } END { print n }')
	note "$(jq -r .paths /tmp/shown) paths, $bytes bytes"
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

# ---- what the links bring --------------------------------------------------------------

# states VALUE: of the attribute, if the kernel takes it.
states() { echo "$1" >/sys/class/infiniband/mrA/inbound_mbps; }

inbound_stated() {
	local bad
	expect "$(</sys/class/infiniband/mrA/inbound_mbps)" == 0 Mb/s
	states 40000
	expect "$(</sys/class/infiniband/mrA/inbound_mbps)" == 40000 Mb/s
	for bad in -1 10g '' 100000001 4294967296; do
		! states "$bad" 2>/dev/null || fail "'$bad' was taken"
	done
	expect "$(</sys/class/infiniband/mrA/inbound_mbps)" == 40000 Mb/s
	expect "$(</sys/class/infiniband/mrB/inbound_mbps)" == 0 "Mb/s of the other device"
	states 0
}

# ---- direct verbs ----------------------------------------------------------------------

# dv [OPTION...]: the tool with a queue pair of mrB, and its peer of mrA.
dv() {
	"$verbs_top/build/tools/dv" "$@" mrB "$(gid_of mrB 10.1.0.2)" \
		mrA "$(gid_of mrA 10.1.0.1)" >/tmp/dv
}

# of WORD NAME: the values in the lines that start with WORD.
of() { awk -v word="$1" -v name="$2" '$1 == word { for (i = 2; i <= NF; i++)
	if (split($i, v, "=") && v[1] == name) print v[2] }' /tmp/dv; }

dv_queries() {
	dv
	cat /tmp/dv
	expect "$(of conn paths)" '>=' 16 "paths agreed"
	expect "$(of path index | wc -l)" == "$(of conn paths)" "paths listed"
	expect "$(of path state | grep -c '^1$')" == "$(of conn used)" "paths in use"
	expect "$(of path accepted | awk '{ n += $1 } END { print n }')" == "$(of conn accepted)" accepted
	expect "$(of conn accepted)" '>' 5000 accepted
	[ "$(of conn hint)" = 0xffff ] || fail hint
	of path srtt_ns | grep -q '[1-9]' || fail "no path has measured a round trip"
}

# before NAME, after NAME: the paths' values in the first and the second half of the output.
before() { of path "$1" | head -n "$(of conn paths | head -n 1)"; }
after() { of path "$1" | tail -n "$(of conn paths | head -n 1)"; }

dv_limits() {
	dv -p 1
	cat /tmp/dv
	expect "$(of conn max | tail -n 1)" == 1 "paths that may be used"
	expect "$(of conn used | tail -n 1)" == 1 "paths in use"
	expect "$(after accepted | head -n 1)" '>' "$(before accepted | head -n 1)" "path 0 goes on"
	[ "$(after accepted | tail -n +2)" = "$(before accepted | tail -n +2)" ] || fail "other paths do not rest"
}

# status WANT OPTION...: of the tool, an errno.
status() {
	local want=$1 rc=0
	shift
	dv "$@" || rc=$?
	expect $rc == "$want" "status with $*"
}

dv_refuses() {
	local rc
	dv
	status 22 -p 0
	status 22 -p $(($(of conn paths) + 1))
	status 101 -m 0
	status 101 -m 0x100
	rc=0
	"$verbs_top/build/tools/dv" -n mrB || rc=$?
	expect $rc == 107 "status without a connection"
	rc=0
	"$verbs_top/build/tools/dv" -u mrB || rc=$?
	expect $rc == 95 "status of a UD queue pair"
}

# A queue pair of another driver's device.
dv_elsewhere() {
	local rc=0
	modprobe -q rdma_rxe || skip "there is no rxe"
	ip link add other0 type dummy
	ip addr add 10.77.0.1/24 dev other0
	ip link set other0 up
	link_add rxe9 other0 '' rxe
	"$verbs_top/build/tools/dv" -n rxe9 || rc=$?
	rdma link del rxe9
	ip link del other0
	expect $rc == 95 status
}

dv_planes() {
	mark mrB
	dv
	expect "$(of conn planes)" == 2 planes
	expect "$(of path plane | sort -u | wc -l)" == 2 "planes in use"
	dv -m 0x2
	cat /tmp/dv
	expect "$(of conn mask | tail -n 1)" == 2 "planes that may be used"
	[ "$(after plane | sort -u)" = 1 ] || fail "a path is on another plane"
	expect "$(of conn accepted | tail -n 1)" '>' "$(of conn accepted | head -n 1)" accepted
	unmoved mrB retransmit_spurious loss_rto
}

planes 2 "${link[@]}"
t "rdma resource shows connection and paths" resource_shown
t "what the links bring is what was stated, or unknown" inbound_stated
t "a trace tells what the counters say, and is drawn" drawn
planes 2 "${link[@]}"
t "direct verbs list the paths of a queue pair" dv_queries
t "direct verbs limit the paths in use" dv_limits
t "direct verbs mask planes" dv_planes
t "direct verbs say what is wrong" dv_refuses
t "direct verbs on another driver's device" dv_elsewhere
clear_all
tap_done
