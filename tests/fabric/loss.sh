#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Uniform loss on one link of 10 Gb/s, both ways, behind the bottleneck: what is lost has
# used its share of the link, so 10 % of loss leave 90 % at most.
# Bar: goodput >= 99 / 97 / 92 / 82 % of clean at 0.1 / 1 / 5 / 10 %, Write, Send and Read;
# p99 of message completion at 1 % <= 3 x clean. Beside it what is left of rxe's clean goodput, at
# its best MTU; its Sends and Reads in the full run.
# fabric: check
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

declare -A bars=([0.1%]=0.99 [1%]=0.97 [5%]=0.92 [10%]=0.82)
link=(rate=10gbit delay=5us)
how=(-s 65536 -q 32 -n "${FABRIC_MESSAGES:-3000}" -r)

clean() {
	impair
	fab "${how[@]}" -o "$1" pair
	keep "$1" "$(of total MB/s)"
	keep "$1.p99" "$(of total p99_us)"
	holds "$1, clean, of the ceiling" "$(ratio "$(of total MB/s)" "$(kept ceiling)")" '>=' 0.97 '' - "$(kept ceiling) MB/s"
}

lossy() {
	local op=$1 loss=$2 clean
	clean=$(kept "$op")
	impair loss="$loss"
	mark mrA; mark mrB
	fab "${how[@]}" -o "$op" pair || { broken "$op, $loss" ">= ${bars[$loss]}"; return 1; }
	changes mrA; changes mrB
	[ "$loss" != 1% ] || keep "$op.p99.lossy" "$(of total p99_us)"
	sound mrA mrB
	holds "$op, $loss, of clean" "$(ratio "$(of total MB/s)" "$clean")" '>=' "${bars[$loss]}" '' \
		"$(kept "rxe.$op.$loss" -)" "$(calc "1 - ${loss%\%} / 100")"
}

p99() {
	holds "$1, p99 at 1 %, of clean" "$(ratio "$(kept "$1.p99.lossy")" "$(kept "$1.p99")")" '<=' 3 \
		"($(kept "$1.p99.lossy") us)"
}

# It is slow: fewer messages.
rxe() {
	local op=$1 loss clean n
	for loss in 0% 0.1% 1% 5% 10%; do
		n=600; [ $loss = 0% ] || n=40
		rxe_shape "${link[@]}" loss=$loss
		fab -s 65536 -q 16 -n $n -T 12 -o "$op" pair || { keep "rxe.$op.$loss" failed; continue; }
		[ $loss != 0% ] || clean=$(of total MB/s)
		keep "rxe.$op.$loss" "$(ratio "$(of total MB/s)" "$clean")"
	done
}

rxe_route "${link[@]}"
rxe_ops=(write)
[ -z "$fabric_all" ] || rxe_ops=(write send read)
for op in "${rxe_ops[@]}"; do t "rxe, $op" rxe "$op"; done
route A B "${link[@]}"
keep ceiling "$(ceiling A B 10.0.0.2)"
for op in write send read; do
	t "$op, clean" clean $op
	for loss in 0.1% 1% 5% 10%; do t "$op, $loss lost" lossy $op $loss; done
	t "$op, p99 at 1 %" p99 $op
done
clear_all
tap_done
