#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A hop between two hosts that carries less than their own links: the router says so, and large
# messages go through all the same.
# runs-on: uml uml-debug
lib=$(dirname "$(readlink -f "$0")")/../lib
. "$lib/tap.sh"
. "$lib/topo.sh"
. "$lib/verbs.sh"

# Hosts A and B at MTU 9000; routers R and S, and 1500 between them.
narrow() {
	clear_all
	ns_queue A R S B
	router_queue R S
	veth_queue A va R ra mtu=9000
	veth_queue S sb B vb mtu=9000
	veth_queue R rs S sr mtu=1500
	addresses A va 1 1; addresses R ra 1 2
	addresses R rs 2 1; addresses S sr 2 2
	addresses S sb 3 2; addresses B vb 3 1
	queue ip A "route add 10.0.3.0/24 via 10.0.1.2" "route add fd00:0:0:3::/64 via fd00:0:0:1::2"
	queue ip R "route add 10.0.3.0/24 via 10.0.2.2" "route add fd00:0:0:3::/64 via fd00:0:0:2::2"
	queue ip S "route add 10.0.1.0/24 via 10.0.2.1" "route add fd00:0:0:1::/64 via fd00:0:0:2::1"
	queue ip B "route add 10.0.1.0/24 via 10.0.3.2" "route add fd00:0:0:1::/64 via fd00:0:0:3::2"
	topo_apply
	link_add mrA va A
	link_add mrB vb B
}

# passes TO FROM OPERATION
passes() { # [M65] [M66]
	narrow
	mark mrB
	bw_to=$1 bw_from=$2 bw -o "$3" -s 1048576 -n 50 -c || { changes mrB; return 1; }
	changes mrB
	expect "$(grew mrB stream_retry_exceeded)" == 0 stream_retry_exceeded
}

t "IPv4: Write of 1 MiB" passes 10.0.1.1 10.0.3.1 write
t "IPv4: Read of 1 MiB" passes 10.0.1.1 10.0.3.1 read
clear_all
tap_done
