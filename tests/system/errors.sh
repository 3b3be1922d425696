#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What ends a queue pair, with which status, when, and that the rest is flushed in order; and
# what a packet that nobody should send does: it is counted, dropped, and not spoken of.
# runs-on: uml uml-debug sim
lib=$(dirname "$(readlink -f "$0")")/../lib
. "$lib/tap.sh"
. "$lib/topo.sh"
. "$lib/verbs.sh"

# How far off a time may be: in real time the machine may be busy. Times count from when the
# client saw its last success, which in real time may be late, on the debug kernel very.
late=1.6
if [ -n "$METAROCE_DEBUG" ]; then late=4; fi
if [ -n "$METAROCE_SIM" ]; then late=1.25; fi
base=()
if [ -n "$METAROCE_SIM" ]; then base=(rate=10gbit delay=5us); fi

# ends_with STATUS [OPTION...]: the middle message of 100 fails so, the rest is flushed.
ends_with() {
	local status=$1 out
	shift
	out=$(bw -n 100 -s 1000 -x "$status" "$@") || { echo "$out"; return 1; }
	echo "$out"
	expect "$(field failed <<<"$out")" == 50 "the message that failed"
	expect "$(field flushed <<<"$out")" == 15 "messages flushed"
}

# The server's memory grants nothing, so the first message fails.
no_right() {
	local out
	out=$(bw -o "$1" -n 100 -s 1000 -x access -f rights) || { echo "$out"; return 1; }
	echo "$out"
	expect "$(field failed <<<"$out")" == 0 "the message that failed"
}

ends_counted() { # COUNTER STATUS OPTION...: and one end counted it.
	local counter=$1
	shift
	mark mrA; mark mrB
	ends_with "$@"
	changes mrA; changes mrB
	expect $(($(grew mrA "$counter") + $(grew mrB "$counter"))) '>=' 1 "$counter"
}

# A post of more than the kernel takes in one go needs no other post to leave.
posted_at_once() { in_ns A "$verbs_top/build/tools/ud_post" mrA "$1"; }

# ---- a dead network --------------------------------------------------------------------

# blackholed TIMEOUT RETRIES: seconds between the last success and the error.
blackholed() { # [U39] [M101]
	local want got out
	want=$(awk -v t="$1" -v r="$2" 'BEGIN { print (r + 1) * 4.096e-6 * 2 ^ t }')
	mark mrB
	bw_start -o write -D 60 -s 4096 -q 8 -x retry -T "$1" -R "$2"
	bw_running
	shape B vb loss=100%
	# the server never hears of it
	if ! wait_for 30 ended "$client_pid"; then bw_kill; shape B vb "${base[@]}"; fail "no error in 30 s"; fi
	wait "$client_pid" || { cat "$bw_out"; bw_kill; shape B vb "${base[@]}"; fail "the client failed"; }
	out=$(cat "$bw_out")
	bw_kill
	shape B vb "${base[@]}"
	echo "$out"
	changes mrB
	got=$(field after <<<"$out")
	note "timeout $1, retry_cnt $2: $got s of $want s"
	expect "$(field flushed <<<"$out")" == 7 "messages flushed"
	[ -n "$METAROCE_DEBUG" ] || expect "$got" '>=' "$(awk -v w="$want" 'BEGIN { print w * 0.75 }')" seconds
	expect "$got" '<=' "$(awk -v w="$want" -v l=$late 'BEGIN { print w * l + (l > 1.3) * 0.2 }')" seconds
	expect "$(grew mrB stream_retry_exceeded)" '>=' 1 stream_retry_exceeded
}

# A network that is away for less than the limit costs nothing but time.
gap_survived() { # [U38]
	mark mrB
	bw_start -o send -n 400 -s 65536 -c -T 17 -R 7
	bw_running
	shape B vb loss=100%
	sleep 0.5
	shape B vb "${base[@]}"
	bw_end
	changes mrB
	expect "$(grew mrB stream_retry_exceeded)" == 0 stream_retry_exceeded
}

# The peer's device is gone: it answers for itself no more.
peer_gone() {
	bw_start -o write -D 60 -s 4096 -q 8 -x retry -T 15 -R 2
	bw_running
	link_del mrA
	if ! wait_for 30 ended "$client_pid"; then bw_kill; link_add mrA va A; fail "no error in 30 s"; fi
	wait "$client_pid" || { cat "$bw_out"; bw_kill; link_add mrA va A; fail "the client failed"; }
	cat "$bw_out"
	bw_kill
	link_add mrA va A
	bw -n 20
}

# The peer's program is gone, its device is not.
program_gone() { # [M85]
	mark mrB
	bw_start -o write -D 60 -s 4096 -q 8 -x retry -T 14 -R 2
	bw_running
	kill -9 "$server_pid"
	if ! wait_for 30 ended "$client_pid"; then bw_kill; fail "no error in 30 s"; fi
	wait "$client_pid" || { cat "$bw_out"; bw_kill; fail "the client failed"; }
	cat "$bw_out"
	bw_kill
	changes mrB
	expect "$(grew mrB met_no_stream)" '>=' 1 met_no_stream
	bw -n 20
}

# ---- receiver not ready ----------------------------------------------------------------

rnr_ends() { # [U42] [M84]
	local out
	mark mrA; mark mrB
	# timer 16 is 2.56 ms; the first try and two more
	out=$(bw -o send -n 100 -s 1000 -V 50 -N 2 -M 16 -x rnr)
	echo "$out"
	changes mrA; changes mrB
	expect "$(field failed <<<"$out")" == 50 "the message that failed"
	expect "$(field flushed <<<"$out")" == 15 "messages flushed"
	[ -z "$METAROCE_SIM" ] || expect "$(field after <<<"$out")" '>=' 0.0051 seconds
	expect "$(grew mrB stream_rnr_exceeded)" == 1 stream_rnr_exceeded
	expect "$(grew mrA refused_rnr)" '>=' 1 refused_rnr
	note "after $(field after <<<"$out") s"
}

rnr_for_ever() { # [U42]
	mark mrA
	bw -o send -n 40 -s 20000 -L 30 -N 7 -M 8 -c
	changes mrA
	expect "$(grew mrA refused_rnr)" '>=' 1 refused_rnr
}

# ---- packets -----------------------------------------------------------------------------

bad() { in_ns B python3 "$lib/../tools/bad_packets.py" 10.0.0.1 "$@"; }

# counted COUNTER KIND [ARGUMENT...]: as many as were sent, and no word in the kernel's log.
counted() {
	local counter=$1 sent lines
	shift
	lines=$(kernel_lines)
	mark mrA
	sent=$(bad "$@")
	nap 0.2
	changes mrA
	expect "$sent" '>=' 1 "packets sent"
	expect "$(grew mrA "$counter")" == "$sent" "$counter"
	expect "$(kernel_lines)" == "$lines" "lines in the kernel log"
}

# With a connection that is at work, which must not suffer.
counted_live() {
	local counter=$1 lines
	shift
	bw_start -o send -D 600 -s 4096 -q 4
	bw_running
	lines=$(kernel_lines)
	mark mrA
	bad "$@" --sniff vb || { bw_kill; return 1; }
	nap 0.2
	changes mrA
	bw_stop
	expect "$(grew mrA "$counter")" '>=' 1 "$counter"
	expect "$(kernel_lines)" == "$lines" "lines in the kernel log"
}

from_elsewhere() {
	ip -n B addr add 10.0.0.66/24 dev vb
	local rc=0
	counted_live rx_drop_address address --bind 10.0.0.66 || rc=1
	ip -n B addr del 10.0.0.66/24 dev vb
	return $rc
}

flood() { # [U61]
	local lines
	lines=$(kernel_lines)
	mark mrA
	bw_start -n 200 -c
	bad noise 100
	bw_end
	changes mrA
	expect "$(kernel_lines)" == "$lines" "lines in the kernel log"
}

hosts "${base[@]}"
t "200 datagrams posted at once from a new queue pair" posted_at_once 200
t "Write, unknown key" ends_counted met_remote_error access -o write -f rkey
t "Write past the end" ends_counted met_remote_error access -o write -f bounds
t "Write without the right" no_right write
t "Read without the right" no_right read
t "fetch and add without the right" no_right fadd
t "Write with immediate, unknown key" ends_counted met_remote_error access -o write_imm -f rkey
t "Read, unknown key" ends_with access -o read -f rkey
t "Read past the end" ends_with access -o read -f bounds
t "fetch and add, unknown key" ends_with access -o fadd -f rkey
t "Send longer than its receive" ends_counted met_remote_error invalid -o send -f length
t "Write, unknown local key" ends_with protection -o write -f lkey
t "a dead network, timeout 14, retry_cnt 1 [U39]" blackholed 14 1
t "a dead network, timeout 16, retry_cnt 3 [U39]" blackholed 16 3
t "a dead network, timeout 17, retry_cnt 7 [U39]" blackholed 17 7
t "a dead network comes back in time [U38]" gap_survived
t "the peer's device is deleted" peer_gone
t "the peer's program is killed" program_gone
t "receiver not ready, rnr_retry 2 [U42]" rnr_ends
t "receiver not ready for long, rnr_retry 7 [U42]" rnr_for_ever
t "packets: too short" counted rx_drop_short short 10
t "packets: less than their header" counted rx_drop_short truncated 10
t "packets: another version" counted rx_drop_version version 10
t "packets: unknown type" counted rx_drop_type type 10
t "packets: no such connection" counted rx_drop_no_connection unknown 10
t "packets: RESET out of the blue" counted rx_drop_reset reset 10
t "packets: CONNECT that offers nothing" counted rx_drop_connect connect 10
t "packets: no checksum" counted rx_drop_checksum checksum 10
t "packets: datagram to no queue pair" counted rx_drop_no_qp datagram 10
# Simulated links are too fast for traffic that lasts as long as a script takes.
if [ -z "$METAROCE_SIM" ]; then
	t "packets: PSN outside the window" counted_live rx_drop_psn psn 5
	t "packets: no such path" counted_live rx_drop_path path 5
	t "packets: unknown operation" counted_live rx_drop_malformed opcode 5
	t "packets: from another address" from_elsewhere
	t "packets: the same again" counted_live rx_duplicate again 5
	t "packets: a flood of noise beside traffic [U61]" flood
fi
clear_all
tap_done
