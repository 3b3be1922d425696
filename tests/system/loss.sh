#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Packets that are lost, doubled, out of order, damaged or marked: every byte and every
# completion stays right, and the counters tell what happened. In simulated time the links
# have a speed, so goodput is compared too.
# runs-on: uml uml-debug sim
lib=$(dirname "$(readlink -f "$0")")/../lib
. "$lib/tap.sh"
. "$lib/topo.sh"
. "$lib/verbs.sh"

# The debug kernel is seven times slower. In simulated time the link has a speed.
n=150 base=()
if [ -n "$METAROCE_DEBUG" ]; then n=60; fi
if [ -n "$METAROCE_SIM" ]; then n=100 base=(rate=10gbit delay=5us); fi

# impaired KEY=VALUE...: both directions of the wire.
impaired() {
	shape A va "${base[@]}" "$@" && shape B vb "${base[@]}" "$@"
}

# What may never happen, whatever the network does.
healthy() {
	local dev
	for dev in mrA mrB; do
		unmoved $dev stream_retry_exceeded stream_rnr_exceeded met_remote_error conn_reset \
			refused_invalid refused_access refused_operation rx_drop_malformed tx_self_reordered
	done
}

# sum NAME: of both devices, since the mark.
sum() { echo $(($(grew mrA "$1") + $(grew mrB "$1"))); }

# data OPERATION COUNTER[,COUNTER] [OPTION...]: all bytes compared; the counters moved.
data() {
	local op=$1 counters=$2 c
	shift 2
	mark mrA; mark mrB
	bw -o "$op" -n $n -c "$@" || { changes mrA; changes mrB; return 1; }
	changes mrA; changes mrB
	healthy
	for c in ${counters//,/ }; do expect "$(sum "$c")" '>' 0 "$c"; done
}

# all NAME COUNTERS KEY=VALUE...: every operation under one impairment.
all() {
	local name=$1 counters=$2
	shift 2
	impaired "$@"
	t "$name: Write [U46]" data write "$counters"
	t "$name: Write, relaxed ordering" data write "$counters" -r
	t "$name: Write, then an immediate [U44]" data bulk "$counters"
	t "$name: Send [U45]" data send "$counters"
	t "$name: Read" data read "$counters"
	t "$name: small Sends, 4 queue pairs" data send '' -s 100 -Q 4
	t "$name: fetch and add [U41]" data fadd ''
	t "$name: compare and swap" data cas ''
	t "$name: fetch and add, 8 queue pairs" data fadd '' -Q 8
}

# Only answers are lost, so each operation arrives once and its result is told again.
answers_lost() { # [U41]
	impaired
	shape A va "${base[@]}" loss=20%
	mark mrA; mark mrB
	bw -o fadd -n $((n * 2)) -c
	changes mrA
	healthy
	expect "$(sum tx_retransmit)" '>' 0 tx_retransmit
}

# The kernel's UDP looks at checksums before we see a packet.
damaged() {
	impaired corrupt=5%
	bw -n $n -c
	expect "$(in_ns A nstat -asz UdpInCsumErrors | awk '/^Udp/ { print $2 }')" '>' 0 UdpInCsumErrors
}

# Only towards A: acknowledgements are not ECN-capable, so they would be lost.
marked() { # [U50]
	impaired
	shape B vb "${base[@]}" mark=5%
	mark mrA; mark mrB
	bw -n $n -c
	changes mrA; changes mrB
	healthy
	expect "$(grew mrA rx_ce_marked)" '>' 0 rx_ce_marked
	expect "$(grew mrB cwnd_reduced_ce)" '>' 0 cwnd_reduced_ce
	expect "$(grew mrB loss_gap)" == 0 loss_gap
}

# ---- goodput, in simulated time --------------------------------------------------------

# goodput [OPTION...]: MB/s of 64 KiB Writes.
goodput() { bw -n 1000 -r "$@" | field MB/s; }

keeps() { # [U35]
	local loss=$1 want=$2 got kept
	impaired "loss=$loss"
	mark mrA; mark mrB
	got=$(goodput)
	kept=$(awk -v a="$got" -v b="$clean" 'BEGIN { printf "%.3f", a / b }')
	note "$loss lost: $got MB/s, $kept of $clean"
	changes mrB
	healthy
	expect "$kept" '>=' "$want" "of the clean goodput"
}

clean_goodput() {
	impaired
	mark mrA; mark mrB
	clean=$(goodput)
	note "clean: $clean MB/s"
	changes mrB
	echo "$clean" >/tmp/clean
	# tail probes while slow start fills the queue may be early
	expect "$(grew mrB tx_retransmit)" '<=' 10 tx_retransmit
	expect "$clean" '>=' 1125 "MB/s of 1250"
}

# A queue of ten packets below, and far more outstanding.
small_queue() { # [U36]
	impaired limit=10
	mark mrA; mark mrB
	bw -s 1048576 -q 64 -n 200 -r
	changes mrB
	healthy
}

# A connection that has never known a shorter way. Before the first sample its probes go by
# guess, so a few are early.
long_way() { # [U37]
	hosts rate=10gbit delay=15ms limit=60000
	mark mrA; mark mrB
	bw -s 1048576 -q 16 -n 200 -r
	changes mrA; changes mrB
	healthy
	expect "$(sum retransmit_spurious)" == 0 retransmit_spurious
	expect "$(sum loss_rto)" == 0 loss_rto
	expect "$(sum tx_retransmit)" '<=' 6 tx_retransmit
}

# One small message is lost with nothing behind it: 10 us of round trip, so the probe is due
# after some 40 us.
tail_lost() { # [U48]
	local longest
	hosts "${base[@]}"
	mark mrB
	bw_start -o write -s 64 -q 1 -D 0.2
	bw_running
	in_ns B nft -f - <<-'N'
		table inet once {
			chain out {
				type filter hook output priority 0;
				udp dport 4795 udp length 136 quota until 200 bytes drop
			}
		}
	N
	bw_end >/tmp/tail
	cat /tmp/tail
	longest=$(field longest_us </tmp/tail)
	changes mrB
	expect "$(grew mrB tx_retransmit)" '>=' 1 tx_retransmit
	note "longest wait $longest us"
	expect "$longest" '<' 1000 "microseconds"
}

hosts "${base[@]}"
all "1 % lost" tx_retransmit loss=1%
all "a quarter overtaken" rx_out_of_order delay=200us reorder=25%
all "5 % doubled" rx_duplicate dup=5%
all "1 % damaged" tx_retransmit corrupt=1%
t "UDP counts what is damaged" damaged
all "all at once" tx_retransmit,rx_duplicate loss=1% delay=200us reorder=10% dup=1% corrupt=1%
impaired loss=10%
t "10 % lost: Write" data write tx_retransmit
t "10 % lost: Read" data read tx_retransmit
t "answers of atomics are lost [U41]" answers_lost
t "5 % marked [U50]" marked
if [ -n "$METAROCE_SIM" ]; then
	hosts "${base[@]}" # a connection without a past
	t "goodput, clean" clean_goodput
	clean=$(cat /tmp/clean 2>/dev/null || echo 1250)
	t "goodput, 0.1 % lost [U35]" keeps 0.1% 0.97
	t "goodput, 1 % lost [U35]" keeps 1% 0.80
	t "goodput, 5 % lost [U35]" keeps 5% 0.50
	t "a small queue and deep send queues [U36]" small_queue
	t "30 ms of round trip [U37]" long_way
	t "a lost tail is repaired soon [U48]" tail_lost
fi
clear_all
tap_done
