# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Two hosts with our devices and rdma_bw between them (sourced after tap.sh and topo.sh by
# suites that run in the test bed).
#
#   hosts [KEY=VALUE...]        namespaces A and B on a wire, device mrA on va, mrB on vb
#   bw [OPTION...]              rdma_bw, client B, server A; prints its line
#   bw_start, bw_running, bw_stop or bw_kill    the same in the background
#   field NAME                  a NAME=VALUE of that line, from stdin
#   mark DEV / grew DEV NAME    counters since the mark
#   clear_all                   no device, no namespace

# shellcheck shell=bash
verbs_top=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
bw_tool=$verbs_top/build/tools/rdma_bw

[ -x "$bw_tool" ] || { echo "Bail out! $bw_tool is not built: make tools"; exit 1; }
[ -e /sys/module/metaroce ] || { echo "Bail out! metaroce.ko is not loaded"; exit 1; }

hosts() {
	clear_all || return
	wire A B "$@"
	link_add mrA va A
	link_add mrB vb B
}

# bw_start [OPTION...]: both ends in the background: $server_pid, $client_pid; the client's
# line goes to $bw_out. The addresses are $bw_to and $bw_from.
bw_start() {
	bw_out=$(mktemp) bw_log=$(mktemp)
	serve A "$bw_log" "$bw_tool" -d mrA -g "${bw_to:-10.0.0.1}"
	ip netns exec B "$bw_tool" -d mrB -g "${bw_from:-10.0.0.2}" "$@" "${bw_to:-10.0.0.1}" \
		>"$bw_out" 2>&1 </dev/null &
	client_pid=$!
}

# bw_end [SECONDS]: waits for both, which must succeed.
bw_end() {
	local rc=0
	wait_for "${1:-60}" ended "$client_pid" || rc=1
	if ! ended "$client_pid"; then
		echo "the client did not end"
		kill -9 "$client_pid"
		rc=1
	fi
	wait "$client_pid" || rc=1
	[ $rc = 0 ] || kill "$server_pid" 2>/dev/null
	finish 10 || rc=1
	cat "$bw_out"
	[ $rc = 0 ] || { echo "server said:"; cat "$bw_log"; }
	rm -f "$bw_out" "$bw_log"
	return $rc
}

# bw_stop: what was started for long is enough now; it must have gone well.
bw_stop() { kill "$client_pid" && bw_end "$@"; }

# bw_kill: both ends, whatever they do.
bw_kill() {
	kill -9 "$client_pid" "$server_pid" 2>/dev/null || true
	wait "$client_pid" "$server_pid" 2>/dev/null || true
	rm -f "$bw_out" "$bw_log"
}

bw() { bw_start "$@" && bw_end "${BW_TIMEOUT:-60}"; }

# bw_running: the client of bw_start has its queue pairs connected and moves data.
bw_running() {
	local before
	before=$(counter mrB tx_data)
	wait_for 20 more_than "$before" mrB tx_data
}
more_than() { [ "$(counter "$2" "$3")" -gt "$1" ]; }

field() { sed -n "s,.*\b$1=\(\S*\).*,\1,p"; }

# Counters are read by the shell itself: starting a program takes UML 40 ms.
declare -A verbs_was=()

mark() {
	local f v
	for f in "/sys/class/infiniband/$1/ports/1/hw_counters"/*; do
		read -r v <"$f" && verbs_was[$1 ${f##*/}]=$v
	done
}

# since DEV NAME: sets $diff.
since() {
	local v=0
	read -r v 2>/dev/null <"/sys/class/infiniband/$1/ports/1/hw_counters/$2" || fail "$1 has no counter $2"
	diff=$((v - ${verbs_was[$1 $2]:-0}))
}

grew() { local diff; since "$@"; echo "$diff"; }

# unmoved DEV NAME...: these counters did not grow.
unmoved() {
	local dev=$1 c diff
	shift
	for c; do
		since "$dev" "$c"
		[ "$diff" = 0 ] || fail "$dev $c: $diff, expected 0"
	done
}

# What changed since the mark, for a failed test's output.
changes() {
	local f diff
	for f in "/sys/class/infiniband/$1/ports/1/hw_counters"/*; do
		since "$1" "${f##*/}"
		[ "$diff" = 0 ] || echo "  $1 ${f##*/} $diff"
	done
}

clear_all() {
	local dev
	for dev in /sys/class/infiniband/*; do
		[ ! -e "$dev" ] || timeout 10 rdma link del "${dev##*/}" || return
	done
	ip -all netns delete
}

# sockets [NS]: what listens on our port there, one local address a line.
sockets() {
	${1:+ip netns exec "$1"} ss -Huan 'sport = :4795' | awk '{ print $4 }' | sort
}

kernel_lines() { dmesg | wc -l; }
