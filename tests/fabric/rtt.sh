#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Round trips of 10 us to 200 ms at 10 Gb/s, relaxed ordering, Writes of 1 MiB (256 KiB on
# short routes), twice the bandwidth-delay product outstanding.
# Bar: >= 90 % of the link after start-up; at 200 ms and MTU 1500 >= 80 %; no spurious RTO.
# mem: 6G
# timeout: 1500
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

# 10us is one way 5us; message size, messages outstanding, seconds of warm-up and in all
declare -A one_way=([10us]=5us [1ms]=500us [30ms]=15ms [200ms]=100ms)
declare -A size=([10us]=262144 [1ms]=262144 [30ms]=1048576 [200ms]=1048576)
declare -A depth=([10us]=8 [1ms]=12 [30ms]=76 [200ms]=480)
declare -A warm=([10us]=0.01 [1ms]=0.05 [30ms]=0.6 [200ms]=4)
declare -A until=([10us]=0.04 [1ms]=0.1 [30ms]=0.9 [200ms]=5)

far() {
	local rtt=$1 mtu=$2 bar=0.90
	[ "$rtt $mtu" != "200ms 1500" ] || bar=0.80
	route A B rate=10gbit delay="${one_way[$rtt]}" mtu="$mtu" limit=1000000
	mark mrA; mark mrB
	fab -r -s "${size[$rtt]}" -q "${depth[$rtt]}" -W "${warm[$rtt]}" -D "${until[$rtt]}" -S 1 pair ||
		{ broken "$rtt, MTU $mtu" ">= $bar"; return 1; }
	changes mrA; changes mrB
	sound mrA mrB
	keep rto "$(grew mrA loss_rto) $(grew mrA retransmit_spurious)"
	holds "$rtt, MTU $mtu, of the ceiling" "$(ratio "$(of total steady_MB/s)" "$(kept "ceiling.$mtu")")" '>=' $bar '' \
		- "$(kept "ceiling.$mtu") MB/s"
}

# On a link that loses nothing every RTO is a spurious one.
no_rto() {
	local rto spurious
	read -r rto spurious < <(kept rto)
	reported "$1, MTU $2, spurious retransmissions" "$spurious"
	holds "$1, MTU $2, spurious RTOs" "$rto" '==' 0
}

rtts=(10us 1ms 30ms)
[ -z "$fabric_all" ] || rtts+=(200ms)
for mtu in 1500 4200 9000; do
	route A B rate=10gbit delay=5us mtu=$mtu
	keep ceiling.$mtu "$(ceiling A B 10.0.0.2)"
	for rtt in "${rtts[@]}"; do
		keep rto ''
		t "$rtt, MTU $mtu" far $rtt $mtu
		t "$rtt, MTU $mtu, timeouts" no_rto $rtt $mtu
	done
done
clear_all
tap_done
