#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Senders that join an incast of 10 Gb/s one after the other, 4 ms apart, and leave it in
# reverse; and one host that reads from many (storage), all at once.
# Bar: from max(3 RTTs, 10 packets' time of the new share, 300 us) after each change, the
# bytes of the active senders in that step are within 10 % of equal.
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

n=8 step=0.004

# The worst deviation of a sender's bytes from equal over all steps, with SETTLE left out.
steps() {
	sampled '
	t >= 0 && link != "sw:p0" {
		k = int(t / step); off = t - k * step
		if (off < settle || t > end) next
		if (!((link, k) in first)) first[link, k] = rx
		got[link, k] = rx - first[link, k]
		seen[k] = 1; name[link] = 1
	}
	END {
		for (k in seen) {
			sum = m = 0
			for (l in name) if (active(l, k)) { sum += got[l, k]; m++ }
			for (l in name) if (m > 1 && active(l, k)) {
				d = got[l, k] * m / sum - 1
				if (d < 0) d = -d
				if (d > worst) worst = d
			}
		}
		printf "%.3f\n", worst
	}
	function active(l, k, h) { h = substr(l, 5); return k >= h - 1 && (k + 1) * step <= end - (h - 1) * step + 1e-9 }' \
		-v step=$step -v settle=0.0005 -v end="$1"
}

joining() {
	local h senders='' end
	end=$(calc "$step * 2 * $n")
	for ((h = 1; h <= n; h++)); do senders+=" sw:p$h"; done
	watched 0.0002 "sw:p0$senders" fab -v -r -s 65536 -q 16 -J $step -D "$end" incast ||
		{ broken "joining" "<= 0.10"; return 1; }
	sound mr0
	holds "$n senders join and leave, off equal" "$(steps "$end")" '<=' 0.10
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
