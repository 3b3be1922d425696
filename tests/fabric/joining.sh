#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Senders that join an incast of 10 Gb/s one after the other, 4 ms apart, and leave it in
# reverse; and one host that reads from many (storage), all at once.
# Bar: after each change, from max(3 RTTs, 10 packets' time of the new share) on, in any window
# of 100 packets' time of the share, each active sender's bytes are within 10 % of equal. An RTT
# is 24 us: 4 us of links and 20 us of queue. Reads: fastest to slowest <= 1.10, >= 95 % of the
# link.
# fabric: check
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

n=8 step=0.004
packet=1.2112e-6 # seconds on the link, of 1514 bytes

# What the tool says of each sender: when it came, and when its last message was complete.
senders() { sed -n 's/^flow from=\([0-9]*\) .* begin=\([^ ]*\) last=\([^ ]*\) .*/\1 \2 \3/p' "$fab_out"; }
changes_of() { senders | awk '{ print $2; print $3 }' | sort -n; }
active() { senders | awk -v from="$1" -v to="$2" '$2 <= from && $3 >= to { print "sw:p" $1 }'; }

# re_divided FROM TO: of the time between two changes: how many senders there were, how late the
# shares were equal, and how late they may be. Nothing where there is one sender, or too little
# time to tell.
re_divided() {
	local from=$1 to=$2 m limit window late ports
	mapfile -t ports < <(active "$from" "$to")
	m=${#ports[@]}
	[ "$m" -ge 2 ] || return 0
	limit=$(calc "10 * $m * $packet > 72e-6 ? 10 * $m * $packet : 72e-6")
	window=$(calc "100 * $m * $packet")
	[ "$(calc "$to - $from > $limit + 2 * $window")" = 1 ] || return 0
	late=$(settles rx "$from" "$to" "$window" "${ports[@]}")
	echo "$m $late $limit"
}

joining() {
	local h i ports='' end times
	end=$(calc "$step * 2 * $n")
	for ((h = 1; h <= n; h++)); do ports+=" sw:p$h"; done
	watched 0.00001 "$ports" fab -v -r -s 16384 -q 8 -J $step -D "$end" incast ||
		{ broken "joining" "<= 1"; return 1; }
	sound mr0
	mapfile -t times < <(changes_of)
	for ((i = 0; i + 1 < ${#times[@]}; i++)); do re_divided "${times[i]}" "${times[i + 1]}"; done >/tmp/steps
	cat /tmp/steps
	reported "to 2, 3, ... $n and back to 2 senders: equal after" \
		"$(awk '{ printf "%s%.0f", (NR > 1 ? ", " : ""), $2 * 1e6 }' /tmp/steps)" us
	reported "to 2, 3, ... $n and back to 2 senders: allowed" \
		"$(awk '{ printf "%s%.0f", (NR > 1 ? ", " : ""), $3 * 1e6 }' /tmp/steps)" us
	holds "$n senders join and leave, equal after, of the time allowed" \
		"$(awk '{ r = $2 / $3; if (r > worst) worst = r } END { if (NR) printf "%.3f\n", worst }' /tmp/steps)" '<=' 1
}

storage() {
	fab -v -r -s 65536 -q 4 -D 0.03 storage || { broken "storage" "<= 1.10"; return 1; }
	sound mr0
	holds "reads from $n, fastest to slowest" "$(of total apart)" '<=' 1.10
	holds "reads from $n, of the link" "$(ratio "$(of total MB/s)" "$(kept ceiling)")" '>=' 0.95
}

star $((n + 1)) rate=10gbit delay=1us ecn=20us
keep ceiling "$(ceiling h1 h0 10.0.0.1)"
t "joining and leaving" joining
t "storage" storage
clear_all
tap_done
