#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Two hosts with two links, set up by what scripts/planes prints: programs that exchange GIDs
# themselves and rdma_cm, and a link that goes down meanwhile.
# runs-on: uml uml-debug
lib=$(dirname "$(readlink -f "$0")")/../lib
. "$lib/tap.sh"
. "$lib/topo.sh"
. "$lib/verbs.sh"
planes=$lib/../../scripts/planes

# host NS DEV ADDRESS PEERS VIA0 VIA1
host() {
	"$planes" -d host0 -n "$2" "$3" "$4" "$5%e0" "$6%e1" | ip netns exec "$1" sh -e || return
	wait_for 5 link_active "$2"
}

refusals() {
	local a
	for a in "10.9.0.1/24 10.9.0.2 10.0.0.2%e0" "10.9.0.1 fd09::2 10.0.0.2%e0" "10.9.0.1 10.9.0.2 10.0.0.2" \
		"fd09::1 fd09::2 10.0.0.2%e0" "10.9.0.1 10.9.0.2" "a b c%d"; do
		# shellcheck disable=SC2086
		! "$planes" $a >/tmp/planes.out 2>/tmp/planes.err || fail "'$a' is accepted"
		[ ! -s /tmp/planes.out ] && [ -s /tmp/planes.err ] || fail "'$a': $(cat /tmp/planes.out)"
	done
}

# two V: hosts with IPv4 or IPv6
two() {
	local i
	clear_all
	ns_queue A B
	for i in 0 1; do
		veth_queue A e$i B e$i
		addresses A e$i $i 1
		addresses B e$i $i 2
	done
	topo_apply || return
	# Else IPv6 addresses and the routes by them do not survive that a link goes down.
	for i in A B; do in_ns $i sysctl -qw net.ipv6.conf.all.keep_addr_on_down=1; done
	if [ "$1" = 4 ]; then
		host A mrA $to 10.9.0.0/24 10.0.{0,1}.2 && host B mrB $from 10.9.0.0/24 10.0.{0,1}.1
	else
		host A mrA $to fd09::/64 fd00:0:0:{0,1}::2 && host B mrB $from fd09::/64 fd00:0:0:{0,1}::1
	fi
}

# carried DEV: packets that B sent over it
carried() { in_ns B cat "/sys/class/net/$1/statistics/tx_packets"; }

# both COUNT COMMAND...: it must succeed, and send so many packets over each link
both() {
	local e0 e1
	e0=$(carried e0) e1=$(carried e1)
	"${@:2}" || return
	expect "$(($(carried e0) - e0))" '>=' "$1" "packets over e0"
	expect "$(($(carried e1) - e1))" '>=' "$1" "packets over e1"
}

exchanged() { bw_to=$to bw_from=$from both 100 bw -o write -s 65536 -n 100 -c; }

rping_planes() {
	both 100 pair A "rping -s -a $to -C 10 -S 60000" B "rping -c -v -I $from -a $to -C 10 -S 60000" cm
}

# What README tells: without a source address rdma_cm looks for a GID of the link.
rping_unbound() {
	local out
	out=$(in_ns B timeout 20 rping -c -a $to -C 1 2>&1) && { echo "$out"; return 1; }
	[[ $out == *ADDR_ERROR* ]] || { echo "$out"; return 1; }
}

# A link goes down and comes back; then the other.
flaps() {
	local e
	bw_to=$to bw_from=$from bw_start -o send -s 65536 -D 60
	bw_running || { bw_kill; return 1; }
	for e in e0 e1; do
		ip -n A link set $e down
		nap 0.5
		ip -n A link set $e up
		nap 1
	done
	bw_stop || { ip -n A -6 route; ip -n B -6 route; return 1; }
}

t "what scripts/planes refuses" refusals
for v in 4 6; do
	if [ $v = 4 ]; then to=10.9.0.1 from=10.9.0.2; else to=fd09::1 from=fd09::2; fi
	t "IPv$v: set up as scripts/planes says" two $v
	t "IPv$v: GIDs exchanged by the programs" exchanged
	t "IPv$v: rdma_cm, both ends on a dummy" rping_planes
	t "IPv$v: rdma_cm, the client bound to no address" rping_unbound
	t "IPv$v: links go down and come back" flaps
done
clear_all
tap_done
