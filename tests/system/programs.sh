#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Unmodified programs between two namespaces: those of ibverbs-utils, rdmacm-utils, perftest.
# Event-driven where they can be: on one CPU two programs that poll take turns of 10 ms, so
# the others get few rounds.
# runs-on: uml uml-debug vm
lib=$(dirname "$(readlink -f "$0")")/../lib
. "$lib/tap.sh"
. "$lib/topo.sh"
. "$lib/verbs.sh"

# ---- the device ------------------------------------------------------------------------

devinfo() {
	ibv_devinfo -v -d mrA >/tmp/devinfo
	cat /tmp/devinfo
	grep -q 'state:.*PORT_ACTIVE' /tmp/devinfo
	grep -q 'link_layer:.*Ethernet' /tmp/devinfo
	grep -q 'GID\[.*RoCE v2' /tmp/devinfo
	! grep -q 'GID\[.*RoCE v1' /tmp/devinfo || fail "a GID of type RoCE v1"
	! grep -qE '(node_guid|sys_image_guid):\s*0000:0000:0000:0000' /tmp/devinfo || fail "GUID 0"
}

tables() {
	ibv_devices | grep mrA
	rdma link show mrA/1
	rdma dev show mrA
	rdma res show
	rdma statistic show link mrA/1 | grep -q tx_data
	rdma resource show qp link mrA/1
}

# ---- ibverbs-utils ---------------------------------------------------------------------

# verbs PROGRAM GID-A GID-B SERVER OPTIONS...
verbs() {
	local prog=$1 a=$2 b=$3 to=$4
	shift 4
	pair A "$prog $* -d mrA -g $a" B "$prog $* -d mrB -g $b $to" 18515
}

v4() {
	local prog=$1
	shift
	verbs "$prog" "$(gid_of mrA 10.0.0.1)" "$(gid_of mrB 10.0.0.2)" 10.0.0.1 "$@"
}

gid6() { wait_for 5 gid_index "$1" "fd00:0000:0000:0000:0000:0000:0000:000$2" && gid_index "$1" "fd00:0000:0000:0000:0000:0000:0000:000$2"; }

v6() {
	local prog=$1
	shift
	verbs "$prog" "$(gid6 mrA 1)" "$(gid6 mrB 2)" 10.0.0.1 "$@"
}

# gids DEV: index and family of each; those of one family reach each other.
gids() {
	local f gid
	for f in "/sys/class/infiniband/$1/ports/1/gids"/*; do
		read -r gid <"$f"
		case $gid in
		0000:0000:0000:0000:0000:0000:0000:0000) ;;
		0000:0000:0000:0000:0000:ffff:*) echo "${f##*/} IPv4" ;;
		fe80:*) echo "${f##*/} link-local" ;;
		*) echo "${f##*/} IPv6" ;;
		esac
	done
}

every_gid() { # [U19]
	local a b fa fb n=0
	while read -r a fa <&3; do
		while read -r b fb <&4; do
			[ "$fa" = "$fb" ] || continue
			echo "GID $a ($fa) and $b"
			verbs ibv_rc_pingpong "$a" "$b" 10.0.0.1 -e -c -n 20
			n=$((n + 1))
		done 4< <(gids mrB)
	done 3< <(gids mrA)
	expect $n '>=' 3 "pairs of GIDs"
	note "$n pairs of GIDs"
}

sizes() {
	local s
	for s in 1 1409 4096 65537 1048576; do
		v4 ibv_rc_pingpong -e -c -n 8 -s $s
	done
}

# ---- perftest --------------------------------------------------------------------------

# perf PROGRAM OPTIONS...
perf() {
	local prog=$1
	shift
	v4_perf "$prog" -F "$@"
}

v4_perf() {
	local prog=$1 a b port=18515
	shift
	[[ " $* " != *' -R '* ]] || port=cm
	a=$(gid_of mrA 10.0.0.1) b=$(gid_of mrB 10.0.0.2)
	pair A "$prog -d mrA -x $a $*" B "$prog -d mrB -x $b $* 10.0.0.1" $port
}

bandwidth() {
	mark mrB
	perf "$@"
	echo "changes:"; changes mrB
}

bandwidth_bidir() { perf "$@" -b; }

# ---- rdmacm-utils ----------------------------------------------------------------------

rping_v() { # SERVER-ADDRESS OPTIONS...
	local to=$1
	shift
	pair A "rping -s -a $to -C 20 $*" B "rping -c -a $to -C 20 $*" cm
}

ucmatose_n() { pair A "ucmatose -c 4 -C 20 -S 8192" B "ucmatose -s $1 -c 4 -C 20 -S 8192" cm; }
udaddy_n() { pair A "udaddy -c 4 -C 20 -S 1024" B "udaddy -s $1 -c 4 -C 20 -S 1024" cm; }

# Its server never ends by itself.
cmtime_n() {
	local rc=0
	serve A /tmp/cmtime cmtime -c 50
	wait_for 20 cm_listening
	in_ns B timeout 60 cmtime -s "$1" -c 50 || rc=$?
	kill "$server_pid"
	wait "$server_pid" || true
	[ $rc = 0 ] || cat /tmp/cmtime
	return $rc
}

# The client ends its event channel while its own thread still reads from it, so at times it
# exits with that one complaint after all of its work: that is no failure.
rping_once() {
	in_ns B timeout 20 rping -c -a 10.0.0.1 -C 1 2>/tmp/rping-c && return
	! grep -v -e '^rdma_get_cm_event: Bad file descriptor$' -e '^client DISCONNECT EVENT' /tmp/rping-c
}

# Each rping is a connection that comes and goes; none is left.
many_connections() { # [U28] [U29]
	local i n=${METAROCE_DEBUG:+10}
	n=${n:-50}
	serve A /tmp/rping rping -s -P -a 10.0.0.1
	wait_for 20 cm_listening
	for ((i = 0; i < n; i++)); do
		rping_once || { cat /tmp/rping /tmp/rping-c; rdma res; fail "connection $i"; }
	done
	kill "$server_pid"
	wait "$server_pid" || true
	wait_for 10 no_user_qps
}
no_user_qps() { [ -z "$(rdma res show qp | grep rping)" ]; }

hosts mtu=4400
t "ibv_devinfo -v" devinfo
t "rdma link, dev, res, statistic" tables
t "ibv_rc_pingpong, events, IPv4" v4 ibv_rc_pingpong -e -c -n 100
t "ibv_rc_pingpong, events, IPv6" v6 ibv_rc_pingpong -e -c -n 100
t "ibv_rc_pingpong, polling" v4 ibv_rc_pingpong -c -n 20
t "ibv_rc_pingpong, sizes" sizes
t "ibv_rc_pingpong between every pair of GIDs [U19]" every_gid
t "ibv_rc_pingpong, new send API" v4 ibv_rc_pingpong -e -c -N -n 20
t "ibv_ud_pingpong" v4 ibv_ud_pingpong -e -c -n 50 -s 1024
t "ibv_ud_pingpong, IPv6" v6 ibv_ud_pingpong -e -c -n 50 -s 1024
t "ibv_srq_pingpong" v4 ibv_srq_pingpong -e -c -n 200 -q 8
t "rping, IPv4" rping_v 10.0.0.1
t "rping, IPv6" rping_v fd00::1
t "rping, large" rping_v 10.0.0.1 -S 60000 -V
t "ucmatose" ucmatose_n 10.0.0.1
t "udaddy" udaddy_n 10.0.0.1
t "cmtime, 50 connections" cmtime_n 10.0.0.1
t "rping, a connection after the other [U28] [U29]" many_connections
for p in ib_write_bw ib_send_bw ib_read_bw ib_atomic_bw; do
	t "$p" bandwidth $p -n 100
done
t "ib_send_bw, events" bandwidth ib_send_bw -e -n 100
t "ib_send_bw, rdma_cm" bandwidth ib_send_bw -e -R -n 100
t "ib_write_bw, both ways" bandwidth_bidir ib_write_bw -n 100
t "ib_write_bw, 8 queue pairs" perf ib_write_bw -n 100 -q 8
t "ib_write_bw, sizes up to 1 MiB" perf ib_write_bw -n 20 -s 1048576
t "ib_atomic_bw, compare and swap" perf ib_atomic_bw -n 100 -A CMP_AND_SWAP
for p in ib_write_lat ib_send_lat ib_read_lat ib_atomic_lat; do
	t "$p" perf $p -n 20
done
t "ib_send_lat, events" perf ib_send_lat -e -n 100
t "ib_send_bw, UD" perf ib_send_bw -c UD -e -n 100 -s 1024
clear_all
tap_done
