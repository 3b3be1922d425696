# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Two hosts with our devices and rdma_bw between them (sourced after tap.sh and topo.sh by
# suites that run in the test bed).
#
#   hosts [KEY=VALUE...]        namespaces A and B on a wire, device mrA on va, mrB on vb
#   bw [OPTION...]              rdma_bw, client B, server A; prints its line
#   field NAME                  a NAME=VALUE of that line, from stdin
#   mark DEV / grew DEV NAME    counters since the mark
#   clear_all                   no device, no namespace

# shellcheck shell=bash
verbs_top=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
bw_tool=$verbs_top/build/tools/rdma_bw
verbs_marks=$(mktemp -d)

[ -x "$bw_tool" ] || { echo "Bail out! $bw_tool is not built: make tools"; exit 1; }
[ -e /sys/module/metaroce ] || { echo "Bail out! metaroce.ko is not loaded"; exit 1; }

hosts() {
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
	local n=$((${1:-60} * 20)) rc=0
	while kill -0 "$client_pid" 2>/dev/null && [ $((n--)) -gt 0 ]; do sleep 0.05; done
	if kill -0 "$client_pid" 2>/dev/null; then
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

# bw_kill: both ends, whatever they do.
bw_kill() {
	kill -9 "$client_pid" "$server_pid" 2>/dev/null
	wait "$client_pid" "$server_pid" 2>/dev/null
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

hw_counters() { (cd "/sys/class/infiniband/$1/ports/1/hw_counters" && grep -s . ./*) | sed 's,^\./,,'; }
mark() { hw_counters "$1" >"$verbs_marks/$1"; }
grew() {
	local was
	was=$(sed -n "s,^$2:,,p" "$verbs_marks/$1")
	echo $(($(counter "$1" "$2") - ${was:-0}))
}

# What changed since the mark, for a failed test's output.
changes() {
	hw_counters "$1" | awk -F: -v old="$verbs_marks/$1" '
		BEGIN { while ((getline line < old) > 0) { split(line, f, ":"); was[f[1]] = f[2] } }
		$2 != was[$1] && $1 != "lifespan" { print "  " $1, $2 - was[$1] }'
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
