#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# 16 hosts under 4 leaves and 4 spines, all links 10 Gb/s, which mark above 20 us; everybody
# writes to somebody under another leaf (permutation).
# Bar: together >= 95 % of the bisection. Beside it TCP, one path each, which collides.
# mem: 4G
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

n=16

permutation() {
	fab -r -s 1048576 -q 4 -W 0.01 -D 0.03 permutation || { broken "permutation" ">= 0.95"; return 1; }
	sound mr0 mr8
	holds "permutation, of the bisection" "$(ratio "$(of total steady_MB/s)" "$(calc "$n * $(kept ceiling)")")" \
		'>=' 0.95 '' - "$n x $(kept ceiling) MB/s"
	reported "permutation, fastest to slowest" "$(of total apart)"
}

tcp() {
	local h flows=()
	for ((h = 0; h < n; h++)); do
		flows+=("h$h:h$(((h + n / 2) % n)):$(host_ip $(((h + n / 2) % n)))")
	done
	"$tcp_tool" -c dctcp -W 0.01 -D 0.04 "${flows[@]}" >"$fab_out"
	reported "TCP (DCTCP), of the bisection" "$(ratio "$(of total MB/s)" "$(calc "$n * $(kept ceiling)")")"
}

spines $n 4 4 rate=10gbit delay=1us ecn=20us
keep ceiling "$(ceiling h0 h8 "$(host_ip 8)")"
t "permutation" permutation
t "TCP" tcp
clear_all
tap_done
