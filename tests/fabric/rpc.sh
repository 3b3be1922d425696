#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Requests and responses of 64 bytes on one queue pair, alone and while another queue pair of
# the same connection writes 1 GiB (256 MiB in the subset), over 10 Gb/s that marks above 20 us.
# Bar: p99 <= p99 alone + 20 us + two bursts (of 16 packets, 20 us each).
# fabric: check
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

bulk=$((256 << 20))
[ -z "$fabric_all" ] || bulk=$((1 << 30))

alone() { fab -s 64 -n 2000 rpc && keep idle "$(of 'total kind=rpc' p99_us)" && reported "alone, p99" "$(kept idle)" us; }

beside() {
	mark mrA
	fab -s 64 -B $bulk rpc || { broken "beside 1 GiB, p99" "<= idle + 60 us"; return 1; }
	changes mrA
	sound mrA mrB
	reported "beside it, Writes" "$(of 'total kind=bulk' MB/s)" MB/s
	holds "beside it, p99" "$(of 'total kind=rpc' p99_us)" '<=' "$(calc "$(kept idle) + 60")" us
}

route A B rate=10gbit delay=5us
shape A-B pa rate=10gbit ecn=20us && shape A-B pb rate=10gbit ecn=20us
shape A vA delay=5us && shape B vB delay=5us
t "alone" alone
t "beside Writes" beside
clear_all
tap_done
