#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Loss that is not uniform, on one link of 10 Gb/s: bursts (10 % of the time half of all),
# acknowledgements alone (10 %), and each of the first packets of a connection in turn: those of
# the handshake, and those that open the queue pair's stream. The time of 20 Sends from the moment
# the queue pair is ready is told; 20 ms are the time-out before the first round trip is known.
# Bar: goodput >= 80 % of (1 - mean loss); no work request fails.
# fabric: check
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

how=(-s 65536 -q 32 -n 1000 -r)

lossy() {
	local name=$1 bar=$2
	mark mrA; mark mrB
	fab "${how[@]}" pair || { broken "$name" ">= $bar"; return 1; }
	changes mrA; changes mrB
	sound mrA mrB
	holds "$name, of clean" "$(ratio "$(of total MB/s)" "$(kept clean)")" '>=' "$bar"
}

clean() { fab "${how[@]}" pair && keep clean "$(of total MB/s)"; }
bursts() { impair gemodel="1% 9% 50% 0%" && lossy "bursts both ways, mean loss 5 %" 0.76; }
acks() { impair && impair_to A loss=10% && lossy "10 % of acknowledgements" 0.80; }

# Packet N of one direction of a new connection is lost; numgen counts from 0.
one_lost() {
	local n=$1 from=$2
	route A B rate=10gbit delay=5us
	in_ns A-B nft -f - <<-N
		add table netdev t
		add chain netdev t c { type filter hook ingress device p$from priority 0; }
		add rule netdev t c udp dport 4795 numgen inc mod 1000000 $n counter drop
	N
	mark mrA; mark mrB
	fab -s 65536 -q 4 -n 20 -o send -S 0 -X 5 pair || { broken "packet $n from $from lost" "no error"; return 1; }
	changes mrA; changes mrB
	sound mrA mrB
	in_ns A-B nft list chain netdev t c | grep -q 'counter packets 1 ' || fail "that packet never came"
	reported "packet $n from $from lost, 20 Sends take" "$(of total seconds)" s
}

route A B rate=10gbit delay=5us
t "clean" clean
t "bursts" bursts
t "acknowledgements" acks
many=4
[ -z "$fabric_all" ] || many=8
for from in a b; do
	for ((n = 0; n < many; n++)); do t "packet $n from $from is lost" one_lost $n $from; done
done
clear_all
tap_done
