#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# 8 hosts under 2 leaves and 4 spines, 10 Gb/s; 4 write to 4 through the spines. 10 ms after
# the start a spine loses everything, silently; 10 ms later it is whole again.
# Bar: no error; packets back to >= 95 % of what is left (or of before, if that is less)
# within 10 round trips as they are under this load, at least 200 us (median of the runs), and
# within 25 of them in the worst run; all of it used again within 100 ms of the return. The
# longest time without a completion is reported.
# mem: 4G
here=$(dirname "$(readlink -f "$0")")
. "$here/../lib/fabric.sh"
. "$here/../lib/trace.sh"

runs=2
[ -z "$fabric_all" ] || runs=5
spine() { echo "for p in p0 p1; do tc -n s0 qdisc replace dev \$p root $1; done"; }

# back FROM TO SHARE: microseconds from FROM to the end of the last window of 100 us, before TO,
# in which hosts 4 to 7 got less than SHARE of what they got before the event.
back() {
	sampled 't >= 0.004 && t <= to {
		if (t != last) { k++; at[k] = t; last = t }
		b[k] += tx
	}
	END {
		for (i = 1; i <= k && at[i] < 0.005; i++); first = i
		for (; i <= k && at[i] < 0.0099; i++);
		before = (b[i - 1] - b[first]) / (at[i - 1] - at[first])
		for (i = 1; i <= k; i++) {
			if (at[i] < from) continue
			for (j = i; j <= k && at[j] - at[i] < 0.0000999; j++);
			if (j <= k && (b[j] - b[i]) / (at[j] - at[i]) < share * before) back = at[j] - from
		}
		printf "%.0f\n", back * 1e6
	}' -v from="$1" -v to="$2" -v share="$3"
}

# loaded UNTIL: the mean round trip that ACKs tell of from 5 ms after the start on, in microseconds.
loaded() {
	awk -v from="$(calc "$(of total start) + 0.005")" -v until="$(calc "$(of total start) + $1")" '
	/metaroce_ack:/ {
		for (i = 1; $i != "metaroce_ack:"; i++);
		t = $(i - 1) + 0
		if (t >= from && t < until && match($0, /rtt_ns=[0-9]+/)) {
			sum += substr($0, RSTART + 7, RLENGTH - 7)
			n++
		}
	}
	END { if (n) printf "%.0f\n", sum / n / 1000 }' "$acks"
}

acks=/tmp/acks.trace times=/tmp/times
traced() {
	local rc=0
	trace_start ack && "$@" || rc=$?
	trace_stop "$acks"
	return $rc
}

black() {
	local h links='' at rtt
	for h in 4 5 6 7; do links+=" l1:d$h"; done
	mark mr0
	ranks=("${pairs[@]}")
	traced watched 0.00005 "$links" fab -r -s 65536 -q 32 -D 0.05 -e "0.01:$(spine 'netem loss 100%')" \
		-e "0.02:$(spine 'netem delay 1us rate 10gbit limit 10000')" pair ||
		{ broken "run $1" "no error"; return 1; }
	changes mr0
	sound mr0
	at=$(sed -n '/^event/{s/.*at=\([^ ]*\) .*/\1/p}' "$fab_out")
	rtt=$(loaded "${at%%$'\n'*}")
	keep down "$(back "${at%%$'\n'*}" "${at##*$'\n'}" 0.71)"
	keep up "$(back "${at##*$'\n'}" 0.048 0.95)"
	reported "run $1, round trip under load" "$rtt" us
	reported "run $1, paths that changed their route" "$(grew mr0 path_reroute)"
	reported "run $1, retransmission time-outs" "$(grew mr0 loss_rto)"
	reported "run $1, longest time without a completion" "$(of total gap_us)" us
	echo "$(kept down) $rtt" >>"$times"
	holds "run $1, packets back after" "$(kept down)" '<=' "$(within 25 "$rtt")" us
}

# within N RTT: N round trips in microseconds, at least 200.
within() { calc "$1 * $2 > 200 ? $1 * $2 : 200"; }

# The time of the run in the middle; of an even number, the one before.
usual() {
	local down rtt
	read -r down rtt < <(sort -n "$times" | sed -n "$(((runs + 1) / 2))p")
	holds "packets back after, median of $runs runs" "$down" '<=' "$(within 10 "$rtt")" us
}

again() { holds "run $1, all used again after" "$(kept up)" '<=' 100000 us; }

spines 8 2 4 rate=10gbit delay=1us
pairs=()
for h in 0 1 2 3; do pairs+=("${ranks[h]}" "${ranks[h + 4]}"); done
: >"$times"
for ((run = 1; run <= runs; run++)); do
	keep up ''
	t "run $run, a spine is black" black $run
	t "run $run, it returns" again $run
done
t "all runs" usual
clear_all
tap_done
