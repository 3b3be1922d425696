#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The least that must work on a kernel: the module is in, a link comes and goes, the
# provider finds it, two namespaces exchange messages and the bytes are right.
# runs-on: smoke
lib=$(dirname "$(readlink -f "$0")")
. "$lib/tap.sh"
. "$lib/topo.sh"

loaded() { [ -e /sys/module/metaroce ] || fail "metaroce is not loaded"; }

two_links() {
	wire A B
	link_add mrA va A
	link_add mrB vb B
	rdma link
}

provider_finds() { ibv_devinfo -d mrA -v && ibv_devinfo -d mrB; }

# -e: completion events; on one CPU two polling programs would take turns of 10 ms.
pingpong() {
	local a b
	a=$(gid_of mrA 10.0.0.1)
	b=$(gid_of mrB 10.0.0.2)
	pair A "ibv_rc_pingpong -e -c -n ${1:-200} -d mrA -g $a" \
		B "ibv_rc_pingpong -e -c -n ${1:-200} -d mrB -g $b 10.0.0.1" 18515
}

links_go() {
	timeout 10 rdma link del mrA
	timeout 10 rdma link del mrB
	[ -z "$(rdma link)" ]
}

reload() { modprobe -r metaroce && modprobe metaroce; }

t "the module is loaded" loaded
t "rdma link add in two namespaces" two_links
t "the provider finds both" provider_finds
t "ibv_rc_pingpong, contents checked" pingpong
t "rdma link del" links_go
t "unload and load again" reload
tap_done
