#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Reordering inside a path (5 %, 20 %: packets that overtake by 50 us, some three of their
# path), duplication 5 % and corruption 1 %, each with 1 % loss, all together, and the first two
# without loss, where whatever is sent again is spurious; on one link of 10 Gb/s.
# Bar: every byte right; spurious retransmissions <= 2 % of packets; goodput >= 85 % of the
# same link in order.
# fabric: check
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

how=(-s 65536 -q 32 -n 1500 -r)
link=(delay=50us)

clean() { impair "${link[@]}" && fab "${how[@]}" pair && keep clean "$(of total MB/s)"; }

disordered() {
	local name=$1 sent
	shift
	impair "${link[@]}" "$@"
	mark mrA; mark mrB
	fab "${how[@]}" pair || { broken "$name" ">= 0.85"; return 1; }
	changes mrA; changes mrB
	sound mrA mrB
	sent=$(grew mrA tx_data)
	keep spurious "$(ratio "$(grew mrA retransmit_spurious)" "$sent")"
	reported "$name, packets out of order" "$(grew mrB rx_out_of_order)"
	holds "$name, of in order" "$(ratio "$(of total MB/s)" "$(kept clean)")" '>=' 0.85
}

spurious() { holds "$1, spurious retransmissions of packets" "$(kept spurious)" '<=' 0.02; }

route A B rate=10gbit delay=5us
t "in order" clean
while read -r name what; do
	keep spurious ''
	# shellcheck disable=SC2086
	t "$name" disordered "$name" $what
	t "$name, spurious" spurious "$name"
done <<-'L'
	reorder-5% reorder=5%
	reorder-20% reorder=20%
	reorder-5%,loss reorder=5% loss=1%
	reorder-20%,loss reorder=20% loss=1%
	duplicate-5%,loss dup=5% loss=1%
	corrupt-1%,loss corrupt=1% loss=1%
	all,loss reorder=20% dup=5% corrupt=1% loss=1%
L
clear_all
tap_done
