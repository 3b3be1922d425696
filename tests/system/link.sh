#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A device's life: rdma link add and del, what it listens on, which GIDs it has, on what kinds
# of netdev, under what names, in which namespaces, and what happens when things go away.
# runs-on: uml uml-debug
lib=$(dirname "$(readlink -f "$0")")/../lib
. "$lib/tap.sh"
. "$lib/topo.sh"
. "$lib/verbs.sh"

rounds=10 second=1000 # milliseconds that a second may take
if [ -n "$METAROCE_DEBUG" ]; then rounds=3 second=5000; fi

# ---- sockets and names -----------------------------------------------------------------

silent_at_first() { # [U18]
	[ -z "$(sockets)" ] || fail "sockets: $(sockets)"
}

# One socket per address of the netdev, none on the wildcard.
bound_to_addresses() { # [U18] [U6]
	hosts
	sockets A
	[ -z "$(sockets A | grep -E '^(\*|0\.0\.0\.0|\[::\]):')" ] || fail "a wildcard socket"
	sockets A | grep -qxF 10.0.0.1:4795
	sockets A | grep -qF '[fd00::1]:4795'
	sockets B | grep -qxF 10.0.0.2:4795
	[ -z "$(sockets)" ] || fail "sockets in the first namespace"
	in_ns A rdma link show mrA/1 | grep 'state ACTIVE physical_state LINK_UP netdev va'
}

# refused TEXT CMD...: fails, says so, and opens no socket.
refused() {
	local text=$1 before
	shift
	before=$(sockets A)
	! "$@" >/tmp/refused 2>&1 || fail "succeeded: $*"
	grep -i "$text" /tmp/refused || fail "'$*' said: $(cat /tmp/refused)"
	[ "$before" = "$(sockets A)" ] || fail "sockets changed: $(sockets A)"
}

wrong_links() { # [U11]
	ip -n A link add dm0 type dummy
	refused 'exist\|too many' in_ns A rdma link add mrA type metaroce netdev dm0
	refused 'exist' in_ns A rdma link add mrA2 type metaroce netdev va
	refused 'no such\|cannot find\|invalid' in_ns A rdma link add mrA3 type metaroce netdev absent0
	refused 'no such\|invalid\|not supp' in_ns A rdma link add mrA4 type absent netdev dm0
	[ "$(rdma link | wc -l)" = 2 ] || fail "$(rdma link)"
	ip -n A link del dm0
}

# ---- GIDs ------------------------------------------------------------------------------

gid_there() { gid_index "$1" "$2"; }
gid_gone() { ! gid_index "$1" "$2"; }

gids_follow() { # [U20]
	local v6=fd00:0000:0000:0000:0000:0000:0000:0077
	ip -n A addr add 10.0.0.77/24 dev va
	ip -n A addr add fd00::77/64 dev va nodad
	wait_for 5 gid_there mrA "$(gid_v4 10.0.0.77)"
	wait_for 5 gid_there mrA $v6
	sockets A | grep -qxF 10.0.0.77:4795
	sockets A | grep -qF '[fd00::77]:4795'
	bw_to=10.0.0.77 bw -n 10
	ip -n A addr del 10.0.0.77/24 dev va
	ip -n A addr del fd00::77/64 dev va
	wait_for 5 gid_gone mrA "$(gid_v4 10.0.0.77)"
	wait_for 5 gid_gone mrA $v6
	! sockets A | grep -F 77 || fail "a socket is left"
	bw -n 10
}

# ib_core does not follow the addresses of a netdev that is not Ethernet: those added are found, and
# from those that are gone nothing is sent.
gids_follow_elsewhere() { # [U20]
	local a
	ns_add K
	trap 'ip netns del K' EXIT
	ip -n K addr add 10.5.0.1/32 dev lo
	in_ns K rdma link add mrK type metaroce netdev lo
	ip -n K addr add 10.5.0.2/32 dev lo
	ip -n K addr add fd05::2/128 dev lo nodad
	for a in 10.5.0.1 10.5.0.2; do gid_of mrK $a; done
	wait_for 5 gid_there mrK fd05:0000:0000:0000:0000:0000:0000:0002
	ping mrK mrK 10.5.0.1 10.5.0.2 K K
	ip -n K addr del 10.5.0.2/32 dev lo
	! PAIR_TIMEOUT=10 ping mrK mrK 10.5.0.1 10.5.0.2 K K || fail "an address that is gone was sent from"
	timeout 5 rdma link del mrK
	! sockets K | grep -F 10.5. || fail "a socket is left"
}

gid_types() { # [U21]
	local n attrs=/sys/class/infiniband/mrA/ports/1/gid_attrs
	n=$(grep -vhx '0000:0000:0000:0000:0000:0000:0000:0000' /sys/class/infiniband/mrA/ports/1/gids/* | wc -l)
	expect "$(grep -hsx 'RoCE v2' $attrs/types/* | wc -l)" == "$n" "GIDs of type RoCE v2"
	expect "$(grep -hsx va $attrs/ndevs/* | wc -l)" == "$n" "GIDs of va"
	expect $n '>=' 2 "GIDs"
	note "$n GIDs"
}

# ---- names -----------------------------------------------------------------------------

ping() { # DEVICE-A DEVICE-B [ADDRESS-A ADDRESS-B [NS-A NS-B]]
	local a=${3:-10.0.0.1} b=${4:-10.0.0.2} ga gb
	ga=$(gid_of "$1" "$a") || fail "$a is no GID of $1"
	gb=$(gid_of "$2" "$b") || fail "$b is no GID of $2"
	pair "${5:-A}" "ibv_rc_pingpong -e -c -n 50 -d $1 -g $ga" \
		"${6:-B}" "ibv_rc_pingpong -e -c -n 50 -d $2 -g $gb $a" 18515
}

foreign_names() {
	local name
	link_del mrB
	for name in rxe0 mlx5_0 siw0; do
		link_add $name vb B
		ping mrA $name
		link_del $name
	done
	link_add mrB vb B
}

renamed() {
	rdma dev set mrB name mrX
	wait_for 5 test -e /sys/class/infiniband/mrX
	ping mrA mrX
	rdma dev set mrX name mrB
	ping mrA mrB
}

# ---- kinds of netdev -------------------------------------------------------------------

guid_not_zero() {
	local guid
	guid=$(cat "/sys/class/infiniband/$1/node_guid")
	[ "$guid" != 0000:0000:0000:0000 ] || fail "$1 has GUID 0"
}

# on NS NETDEV ADDRESS: a device there, talking to itself.
on() {
	local ns=$1 dev=$2 addr=$3
	in_ns "$ns" rdma link add mrK type metaroce netdev "$dev" || fail "no link on $dev"
	rdma link show mrK/1
	guid_not_zero mrK
	gid_of mrK "$addr"
	sockets "$ns" | grep -qxF "$addr:4795"
	wait_for 5 link_active mrK
	ping mrK mrK "$addr" "$addr" "$ns" "$ns"
	timeout 5 rdma link del mrK
	[ -z "$(sockets "$ns" | grep -F "$addr:")" ] || fail "a socket is left"
}

kind() { # [U15] [U24]
	local k=$1
	ns_add K
	trap 'ip netns del K' EXIT
	case $k in
	lo)
		ip -n K addr add 10.5.0.1/32 dev lo
		on K lo 10.5.0.1
		return
		;;
	tun) ip -n K tuntap add k0 mode tun ;;
	veth)
		ip -n K link add k0 type veth peer name under
		ip -n K link set under up
		;;
	macvlan | ipvlan)
		ip -n K link add under type dummy
		ip -n K link set under up
		ip -n K link add k0 link under type "$k"
		;;
	bond)
		ip -n K link add k0 type bond mode active-backup
		ip -n K link add under type dummy
		ip -n K link set under master k0
		ip -n K link set under up
		;;
	bridge)
		ip -n K link add k0 type bridge
		ip -n K link add under type dummy
		ip -n K link set under master k0 up
		;;
	wireguard) modprobe wireguard; ip -n K link add k0 type wireguard ;;
	*) ip -n K link add k0 type "$k" ;;
	esac
	ip -n K addr add 10.5.0.1/24 dev k0
	ip -n K link set k0 up
	# Nobody reads a tun: its carrier is off, and its own address is reached by lo anyway.
	if [ "$k" = tun ]; then
		in_ns K rdma link add mrK type metaroce netdev k0
		guid_not_zero mrK
		gid_of mrK 10.5.0.1
		timeout 5 rdma link del mrK
		return
	fi
	on K k0 10.5.0.1
}

# between KIND: a netdev of that kind on top of each end of the wire, and the link on it. (A
# link on the wire's end itself would own the addresses of what is on top of it.)
between() { # [U24]
	local k=$1 ns
	link_del mrA
	link_del mrB
	for ns in A B; do
		case $k in
		macvlan) ip -n $ns link add up0 link v${ns,,} type macvlan ;;
		ipvlan) ip -n $ns link add up0 link v${ns,,} type ipvlan mode l2 ;;
		esac
		ip -n $ns link set up0 up
	done
	ip -n A addr add 10.6.0.1/24 dev up0
	ip -n B addr add 10.6.0.2/24 dev up0
	link_add upA up0 A
	link_add upB up0 B
	local rc=0
	(set -e; ping upA upB 10.6.0.1 10.6.0.2) || rc=1
	ip -n A link del up0
	ip -n B link del up0
	wait_for 10 gone upA
	wait_for 10 gone upB
	link_add mrA va A
	link_add mrB vb B
	return $rc
}

# The addresses of a VLAN are GIDs of the link below it; it has no link of its own.
vlan() { # [U15]
	local ns
	for ns in A B; do
		ip -n $ns link add up0 link v${ns,,} type vlan id 9
		ip -n $ns link set up0 up
	done
	ip -n A addr add 10.6.0.1/24 dev up0
	ip -n B addr add 10.6.0.2/24 dev up0
	! in_ns A rdma link add upA type metaroce netdev up0 2>/tmp/vlan || fail "a link on a VLAN"
	grep 'Operation not supported' /tmp/vlan
	ping mrA mrB 10.6.0.1 10.6.0.2
	ip -n A link del up0
	ip -n B link del up0
}

# ---- going away ------------------------------------------------------------------------

gone() { [ ! -e "/sys/class/infiniband/$1" ]; }

# quick LIMIT-MS CMD...
quick() {
	local limit=$1 start took
	shift
	start=$(date +%s%N)
	timeout 20 "$@" || fail "'$*' failed or hung"
	took=$((($(date +%s%N) - start) / 1000000))
	note "$*: $took ms"
	expect $took '<' "$limit" "milliseconds for '$*'"
}

held() { # [U1]
	local log pid
	log=$(mktemp)
	python3 "$lib/../tools/holder.py" mrA >"$log" 2>&1 < <(exec sleep 60) &
	pid=$!
	wait_for 20 grep -q ready "$log"
	quick $second rdma link del mrA
	kill -USR1 $pid
	wait $pid || { cat "$log"; fail "the holder saw no error"; }
	cat "$log"
	rm -f "$log"
	link_add mrA va A
}

under_traffic() { # [U1]
	bw_start -D 60
	bw_running
	quick $second rdma link del mrA
	# the programs are told: the one whose device is gone ends, the other's queue pair fails
	local n=100
	while ! ended "$server_pid" && [ $((n--)) -gt 0 ]; do sleep 0.05; done
	bw_kill
	[ $n -gt 0 ] || fail "the server does not know that its device is gone"
	link_add mrA va A
	bw -n 20
}

# The program's own TCP has unsent data when the wire goes, and its socket would keep the
# namespace for minutes: it is to give up soon.
netdev_goes() { # [U9]
	local ns
	for ns in A B; do in_ns $ns sysctl -qw net.ipv4.tcp_orphan_retries=1 net.ipv4.tcp_retries2=1; done
	bw_start -D 60
	bw_running
	quick 10000 ip -n A link del va
	wait_for 10 gone mrA
	bw_kill
	link_del mrB 2>/dev/null || true
	wait_for 10 gone mrB
	ip -all netns delete
}

namespaces_go() { # [U7]
	local i
	for ((i = 0; i < rounds; i++)); do
		hosts
		bw_start -D 60 -s 4096
		bw_running
		ip netns del A
		wait_for 10 gone_or_idle mrA
		bw_kill
		# The namespace lives as long as processes are in it; these are gone now.
		wait_for 20 gone mrA
		# the other end of the veth pair went with it
		wait_for 20 gone mrB
		ip netns del B
	done
}
gone_or_idle() { gone "$1" || [ -e "/sys/class/infiniband/$1" ]; }

moved() {
	hosts
	ns_add C
	ip -n A link set va netns C
	wait_for 10 gone mrA
	[ -z "$(sockets A)$(sockets C)" ] || fail "sockets: $(sockets A) $(sockets C)"
	clear_all
}

down_and_up() { # [U12]
	hosts
	bw -n 10
	ip -n A link set va down
	wait_for 5 port_down mrA
	ip -n A link set va up
	wait_for 5 link_active mrA
	ip -n A addr replace fd00::1/64 dev va nodad
	bw -n 10
	clear_all
}
port_down() { grep -q DOWN "/sys/class/infiniband/$1/ports/1/state"; }

# Addresses, routes and links come and go under a connection that has work.
flapping() { # [U13]
	local i
	hosts
	bw_start -D 3 -T 18 -c -n 200
	bw_running
	for ((i = 0; i < 5; i++)); do
		ip -n A link set va down
		ip -n A link set va up
		ip -n B route flush cache
		ip -n B addr add 10.0.0.9$i/24 dev vb
		ip -n B addr del 10.0.0.9$i/24 dev vb
	done
	bw_kill
	clear_all
}

queued_below() { # [U4]
	hosts
	shape B vb delay=2s
	shape A va delay=2s
	bw_start -n 20 -T 20
	sleep 3
	bw_kill
	link_del mrA
	link_del mrB
	rmmod metaroce
	sleep 2.5
	modprobe metaroce
	clear_all
}

reloads() { # [U2] [U3]
	local i
	clear_all
	for ((i = 0; i < rounds; i++)); do
		rmmod metaroce || fail "round $i: rmmod"
		modprobe metaroce || fail "round $i: modprobe"
	done
	ns_add A
	ip -n A link add d0 type dummy
	ip -n A addr add 10.5.0.1/24 dev d0
	ip -n A link set d0 up
	for ((i = 0; i < rounds; i++)); do
		link_add mrA d0 A
		rmmod metaroce || fail "round $i: rmmod with a link"
		[ -z "$(sockets A)" ] || fail "sockets without the module: $(sockets A)"
		gone mrA
		modprobe metaroce
	done
	clear_all
}

# Every allocation of link add may fail; what was made is taken back.
allocations_fail() { # [U11]
	local f=/sys/kernel/debug/failslab i made=0
	[ -d $f ] || skip "this kernel injects no faults"
	clear_all
	ns_add A
	ip -n A link add d0 type dummy
	ip -n A addr add 10.5.0.1/24 dev d0
	ip -n A link set d0 up
	echo Y >$f/task-filter
	echo N >$f/ignore-gfp-wait
	echo 1 >$f/interval
	echo 0 >$f/verbose
	echo -1 >$f/times
	for ((i = 1; i <= 60; i++)); do
		echo $((i * 5)) >$f/space
		echo 100 >$f/probability
		# the first i * 5 bytes or so pass, then all fails
		bash -c 'echo 1 >/proc/self/make-it-fail; exec ip netns exec A rdma link add mrA type metaroce netdev d0' \
			>/dev/null 2>&1 || true
		echo 0 >$f/probability
		if [ -e /sys/class/infiniband/mrA ]; then made=$((made + 1)); link_del mrA; fi
		[ -z "$(sockets A)" ] || fail "round $i: sockets $(sockets A)"
	done
	echo N >$f/task-filter
	note "$made of 60 links were made"
	link_add mrA d0 A
	clear_all
}

# ---- namespace modes -------------------------------------------------------------------

no_namespaces() { [ -z "$(ip netns)" ] && rdma system set netns exclusive; }

exclusive() { # [U23]
	clear_all
	# "busy" as long as a namespace lives, so this also shows that none was leaked
	wait_for 20 no_namespaces || { lsns -t net; ps ax; fail "a namespace lingers"; }
	wire A B
	link_add mrA va A
	link_add mrB vb B
	rdma_move mrA A
	rdma_move mrB B
	[ -z "$(rdma link)" ] || fail "the first namespace still sees $(rdma link)"
	in_ns A rdma link | grep mrA
	! in_ns A rdma link | grep mrB || fail "A sees mrB"
	in_ns A ibv_devices
	in_ns A ibv_devices | grep mrA
	! in_ns B ibv_devices | grep mrA || fail "B sees mrA"
	# /sys shows each namespace its own devices
	local a b
	a=$(in_ns A bash -c '. "$0"; mount -t sysfs none /sys; gid_of mrA 10.0.0.1' "$lib/topo.sh")
	b=$(in_ns B bash -c '. "$0"; mount -t sysfs none /sys; gid_of mrB 10.0.0.2' "$lib/topo.sh")
	pair A "ibv_rc_pingpong -e -c -n 50 -d mrA -g $a" B "ibv_rc_pingpong -e -c -n 50 -d mrB -g $b 10.0.0.1" 18515
	in_ns A timeout 10 rdma link del mrA
	in_ns B timeout 10 rdma link del mrB
	ip -all netns delete
	rdma system set netns shared
}

# ---- users -----------------------------------------------------------------------------

unprivileged() { # [U27]
	local as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	hosts
	pair A "$as ibv_rc_pingpong -e -c -n 50 -d mrA -g $(gid_of mrA 10.0.0.1)" \
		B "$as ibv_rc_pingpong -e -c -n 50 -d mrB -g $(gid_of mrB 10.0.0.2) 10.0.0.1" 18515
}

memlock() { # [U25]
	local as="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all" i
	for i in 1 2 3; do
		! in_ns A bash -c "ulimit -l 64; exec $as $bw_tool -d mrA -g 10.0.0.1" 2>/tmp/memlock &
		bw_pid=$!
		in_ns B "$bw_tool" -d mrB -g 10.0.0.2 -n 16 10.0.0.1 && fail "1 MiB was registered"
		wait $bw_pid || true
		grep 'Cannot allocate memory' /tmp/memlock
	done
	bw -n 16
	clear_all
}

t "nothing listens before there is a link [U18]" silent_at_first
t "sockets are bound to the netdev's addresses [U18]" bound_to_addresses
t "wrong links are refused and leave no socket [U11]" wrong_links
t "GIDs and sockets follow addresses [U20]" gids_follow
t "GIDs follow addresses of lo [U20]" gids_follow_elsewhere
t "all GIDs are RoCE v2 and name their netdev [U21]" gid_types
t "devices with other drivers' names" foreign_names
t "a renamed device" renamed
for k in macvlan ipvlan; do t "two $k on the wire, each with a link [U24]" between $k; done
t "a VLAN's addresses are GIDs of the link below [U15]" vlan
for k in veth dummy bond bridge macvlan tun lo wireguard; do
	t "a link on $k [U15]" kind $k
done
t "link del while a program holds the device [U1]" held
t "link del under traffic [U1]" under_traffic
t "the netdev is deleted under traffic [U9]" netdev_goes
t "namespaces are deleted under traffic, $rounds times [U7]" namespaces_go
t "the netdev moves to another namespace" moved
t "the netdev goes down and up [U12]" down_and_up
t "links, addresses and routes flap under traffic [U13]" flapping
t "packets outlive the module in a queue [U4]" queued_below
t "the module goes and comes, with and without a link [U2] [U3]" reloads
t "allocations fail in link add [U11]" allocations_fail
t "usable without root [U27]" unprivileged
t "RLIMIT_MEMLOCK is honoured [U25]" memlock
t "exclusive namespaces [U23]" exclusive
tap_done
