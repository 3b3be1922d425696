#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# One connection of N paths against one TCP flow with DCTCP, and against another connection
# of one path, through one port of 10 Gb/s that marks above 20 us. A switch on the way lowers
# the number of paths in CONNECT and ACCEPT, so both ends agree on fewer.
# Bar: per connection 0.67 to 1.5 of equal against DCTCP, 0.8 to 1.25 against our own.
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

# paths HOST N: what HOST's connections may have; CONNECT and ACCEPT are types 1 and 2.
paths() {
	local port type
	for port in "p$1" p0; do
		tc -n sw qdisc replace dev "$port" ingress 2>/dev/null || tc -n sw qdisc add dev "$port" ingress || return
	done
	for type in 0x01 0x02; do
		tc -n sw filter add dev "p$1" ingress protocol ip u32 match ip dport 4795 0xffff \
			match u8 "$type" 0xff at 28 action pedit munge offset 31 u8 set "$2" pipe action csum udp || return
		tc -n sw filter add dev p0 ingress protocol ip u32 match ip dport 4795 0xffff \
			match ip dst "10.0.0.$(($1 + 1))/32" \
			match u8 "$type" 0xff at 28 action pedit munge offset 31 u8 set "$2" pipe action csum udp || return
	done
}

topology() { star 3 rate=10gbit delay=5us ecn=20us && paths 1 "$1"; }

between() {
	holds "$1" "$2" '>=' "$3"
	holds "$1" "$2" '<=' "$4"
}

against_tcp() {
	local ours tcp pid
	topology "$1"
	ranks=("${ranks[1]}" "${ranks[0]}")
	"$tcp_tool" -c dctcp -W 0.02 -D 0.12 h2:h0:10.0.0.1 >/tmp/tcp.out &
	pid=$!
	fab -r -s 65536 -q 32 -W 0.03 -D 0.12 pair || { broken "$1 paths against DCTCP" "0.67 to 1.5"; return 1; }
	wait $pid
	tcp=$(sed -n 's,^total.* MB/s=,,p' /tmp/tcp.out)
	ours=$(of total steady_MB/s)
	between "$1 paths against DCTCP, of equal" "$(ratio "$ours" "$(calc "($ours + $tcp) / 2")")" 0.67 1.5
}

against_one() {
	topology "$1" && paths 2 1
	fab -v -r -s 65536 -q 32 -D 0.1 incast || { broken "$1 paths against one" "0.8 to 1.25"; return 1; }
	local many one
	many=$(of "flow from=1" MB/s) one=$(of "flow from=2" MB/s)
	between "$1 paths against one, of equal" "$(ratio "$many" "$(calc "($many + $one) / 2")")" 0.8 1.25
}

for n in 1 4 16; do
	t "$n paths against DCTCP" against_tcp $n
	t "$n paths against one" against_one $n
done
clear_all
tap_done
