#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# All routes gone under traffic: silently, and by the link going down.
# Bar: RETRY_EXC_ERR within 25 % of (retry_cnt + 1) x 4.096 us x 2^timeout after the last
# sign of the peer; the rest is flushed, in order.
# fabric: check
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

link=(rate=10gbit delay=5us)

gone() {
	local timeout=$1 retry=$2 how=$3 want name="timeout $1, retry_cnt $2, $4"
	route A B "${link[@]}"
	want=$(calc "($retry + 1) * 4.096e-6 * 2 ^ $timeout")
	fab -r -s 65536 -q 16 -D 5 -T "$timeout" -R "$retry" -x 12 -e "0.01:$how" pair ||
		{ broken "$name" "+-25 %"; return 1; }
	holds "$name, of $want s" "$(ratio "$(of error after)" "$want")" '>=' 0.75
	holds "$name, of $want s" "$(ratio "$(of error after)" "$want")" '<=' 1.25
	holds "$name, flushed" "$(of error flushed)" '==' 15
}

for values in "10 3" "14 2" "14 7"; do
	# shellcheck disable=SC2086
	t "$values, silently" gone $values "tc -n A-B qdisc replace dev pb root netem loss 100%" silently
	# shellcheck disable=SC2086
	t "$values, link down" gone $values "ip -n A link set vA down" "link down"
done
clear_all
tap_done
