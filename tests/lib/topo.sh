# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Topologies of network namespaces, shaped links and RDMA devices (sourced by suites that
# run as root in the test bed). Nothing here polls without sleeping: in simulated time a
# loop that spins never lets time pass, while sleeping costs nothing.
#
#   wire A B [KEY=VALUE...]            two namespaces, one link
#   links N A B [KEY=VALUE...]         N parallel links, addresses on a dummy, ECMP routes
#   leaf_spine H L S [KEY=VALUE...]    H hosts under L leaves and S spines, L4-hash ECMP
#   shape NS DEV KEY=VALUE...          change one direction of one link
#   link_add DEV NETDEV [NS]           rdma link add, until the port is up
#   serve / finish / pair              a server here, a client there
#   rxe_wire                           the RoCEv2 baseline over a real link
#
# Keys: rate=10gbit delay=5us jitter=1us loss=1% dup=1% reorder=25% corrupt=0.1% mark=5%
# limit=PACKETS mtu=1500 ecn=20us (queueing time above which the bottleneck marks).
# reorder needs delay. All apply to each direction.

# shellcheck shell=bash

# ---- waiting ---------------------------------------------------------------------------

# wait_for SECONDS CMD...: until CMD succeeds; 20 looks a second.
wait_for() {
	local n=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $((n--)) -gt 0 ] || { echo "waited in vain for: $*" >&2; return 1; }
		sleep 0.05
	done
}

in_ns() { ip netns exec "$@"; }

# ---- namespaces and links --------------------------------------------------------------

ns_add() {
	local ns
	for ns; do
		ip netns add "$ns" || return
		ip -n "$ns" link set lo up
		in_ns "$ns" sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 \
			net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0
	done
}

ns_router() {
	local ns
	for ns; do
		in_ns "$ns" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
			net.ipv4.fib_multipath_hash_policy=1 net.ipv6.fib_multipath_hash_policy=1
	done
}

# value KEY DEFAULT ARG...: the last KEY=... among the arguments.
value() {
	local key=$1 val=$2 arg
	shift 2
	for arg; do [[ $arg != "$key="* ]] || val=${arg#*=}; done
	echo "$val"
}

# without KEY ARG...: the arguments but that one.
without() {
	local key=$1 arg
	shift
	for arg; do [[ $arg = "$key="* ]] || echo "$arg"; done
}

# veth NS1 DEV1 NS2 DEV2 [KEY=VALUE...]: a link, up, each packet a packet (no super-packets
# that netem would lose whole), both directions shaped.
veth() {
	local n1=$1 d1=$2 n2=$3 d2=$4 mtu
	shift 4
	mtu=$(value mtu 1500 "$@")
	ip link add "$d1" netns "$n1" mtu "$mtu" type veth peer name "$d2" netns "$n2" || return
	ip -n "$n2" link set "$d2" mtu "$mtu"
	in_ns "$n1" ethtool -K "$d1" tso off gso off gro off >/dev/null 2>&1 || true
	in_ns "$n2" ethtool -K "$d2" tso off gso off gro off >/dev/null 2>&1 || true
	ip -n "$n1" link set "$d1" up
	ip -n "$n2" link set "$d2" up
	shape "$n1" "$d1" "$@" && shape "$n2" "$d2" "$@"
}

# shape NS DEV KEY=VALUE...: replaces what was set before; no keys: an unshaped link. An
# empty NS is the namespace we are in.
shape() {
	local ns=$1 dev=$2 rate='' limit=10000 delay='' jitter='' ecn='' netem=() arg
	local tc=(tc ${ns:+-n "$ns"})
	shift 2
	for arg; do
		case $arg in
		rate=*) rate=${arg#*=} ;;
		limit=*) limit=${arg#*=} ;;
		delay=*) delay=${arg#*=} ;;
		jitter=*) jitter=${arg#*=} ;;
		ecn=*) ecn=${arg#*=} ;;
		loss=*) netem+=(loss "${arg#*=}") ;;
		gemodel=*) netem+=(loss gemodel ${arg#*=}) ;;
		mark=*) netem+=(loss "${arg#*=}" ecn) ;;
		dup=*) netem+=(duplicate "${arg#*=}") ;;
		reorder=*) netem+=(reorder "${arg#*=}") ;;
		corrupt=*) netem+=(corrupt "${arg#*=}") ;;
		mtu=*) ;;
		*) echo "shape: unknown key '$arg'" >&2; return 1 ;;
		esac
	done
	"${tc[@]}" qdisc del dev "$dev" root 2>/dev/null || true
	if [ -n "$ecn" ]; then
		[ -n "$rate" ] && [ -z "$delay$jitter${netem[*]}" ] || {
			echo "shape: ecn wants a rate, and delay and loss on another hop" >&2
			return 1
		}
		shape_marking
		return
	fi
	[ -z "$delay" ] || netem+=(delay "$delay" $jitter)
	[ -z "$rate" ] || netem+=(rate "$rate")
	[ ${#netem[@]} = 0 ] ||
		"${tc[@]}" qdisc add dev "$dev" root netem "${netem[@]}" limit "$limit"
}

# A bottleneck as a switch port has it: one queue that marks above a queueing time.
# Works on shape's variables.
shape_marking() {
	"${tc[@]}" qdisc add dev "$dev" root handle 1: tbf rate "$rate" burst 20kb limit 100mb &&
		"${tc[@]}" qdisc add dev "$dev" parent 1: fq_codel limit "$limit" flows 1 \
			target 1s interval 10s ce_threshold "$ecn" ecn
}

# addresses NS DEV N HOST: 10.0.N.HOST/24 and fd00:0:0:N::HOST/64.
addresses() {
	ip -n "$1" addr add "10.0.$3.$4/24" dev "$2"
	ip -n "$1" addr add "fd00:0:0:$3::$4/64" dev "$2" nodad
}

# wire A B [KEY=VALUE...]: A's end is 'va' (10.0.0.1, fd00::1), B's 'vb' (10.0.0.2, fd00::2).
# With ecn= a bridge in a namespace of its own stands between, as the marking bottleneck.
wire() {
	local a=$1 b=$2
	shift 2
	ns_add "$a" "$b" || return
	if [ -n "$(value ecn '' "$@")" ]; then wire_bridged "$a" "$b" "$@"
	else veth "$a" va "$b" vb "$@"; fi || return
	addresses "$a" va 0 1
	addresses "$b" vb 0 2
}

wire_bridged() {
	local a=$1 b=$2 sw=$1-$2 mtu port ends
	shift 2
	mtu=$(value mtu 1500 "$@")
	mapfile -t ends < <(without ecn "$@")
	ns_add "$sw" || return
	ip -n "$sw" link add br0 mtu "$mtu" type bridge
	ip -n "$sw" link set br0 up
	veth "$a" va "$sw" pa "${ends[@]}" && veth "$b" vb "$sw" pb "${ends[@]}" || return
	for port in pa pb; do
		ip -n "$sw" link set "$port" master br0
		shape "$sw" "$port" rate="$(value rate 10gbit "$@")" ecn="$(value ecn '' "$@")" || return
	done
}

# links N A B [KEY=VALUE...]: e0..eN-1 at both ends (10.0.I.1 and .2); the hosts' own
# addresses 10.1.0.1 and 10.1.0.2 (fd01::1, fd01::2) sit on the dummy 'host0', and a
# multipath route leads to the other's over all links. The last route is what rdma_cm
# needs to accept a connection for an address on a dummy.
links() {
	local n=$1 a=$2 b=$3 i hops4 hops6 me other ns
	shift 3
	ns_add "$a" "$b" || return
	for ((i = 0; i < n; i++)); do
		veth "$a" "e$i" "$b" "e$i" "$@" || return
		addresses "$a" "e$i" "$i" 1
		addresses "$b" "e$i" "$i" 2
	done
	for ns in "$a" "$b"; do
		me=1 other=2 hops4=() hops6=()
		[ "$ns" = "$a" ] || { me=2 other=1; }
		ip -n "$ns" link add host0 mtu "$(value mtu 1500 "$@")" type dummy
		ip -n "$ns" link set host0 up
		ip -n "$ns" addr add "10.1.0.$me/32" dev host0
		ip -n "$ns" addr add "fd01::$me/128" dev host0 nodad
		for ((i = 0; i < n; i++)); do
			hops4+=(nexthop via "10.0.$i.$other" dev "e$i")
			hops6+=(nexthop via "fd00:0:0:$i::$other" dev "e$i")
		done
		ip -n "$ns" route add "10.1.0.$other/32" src "10.1.0.$me" "${hops4[@]}" || return
		ip -n "$ns" -6 route add "fd01::$other/128" src "fd01::$me" "${hops6[@]}" || return
		ip -n "$ns" route add "10.1.0.$other/32" dev host0 metric 9999
	done
}

# leaf_spine H L S [KEY=VALUE...]: hosts h0.. (device e0, address from host_ip), leaves
# l0.., spines s0..; each leaf sends over all spines by the hash of addresses and ports.
# With ecn= the switches' ports mark, and the delay stands on the hosts' own ports.
leaf_spine() {
	local hosts=$1 leaves=$2 spines=$3 h l s
	shift 3
	local ports=("$@")
	if [ -n "$(value ecn '' "$@")" ]; then
		mapfile -t ports < <(without delay "$@")
		mapfile -t edge < <(without ecn "$@")
	else local edge=("$@"); fi
	for ((l = 0; l < leaves; l++)); do ns_add "l$l" && ns_router "l$l" || return; done
	for ((s = 0; s < spines; s++)); do ns_add "s$s" && ns_router "s$s" || return; done
	for ((h = 0; h < hosts; h++)); do
		fabric_host "$h" $((h * leaves / hosts)) || return
	done
	for ((l = 0; l < leaves; l++)); do fabric_leaf "$l" "$spines" || return; done
	fabric_leaves=$leaves fabric_hosts=$hosts
}

# host_ip H: the address of host H of the fabric.
host_ip() { echo "10.$(($1 * fabric_leaves / fabric_hosts)).$1.2"; }

fabric_host() {
	local h=$1 l=$2
	ns_add "h$h" || return
	veth "h$h" e0 "l$l" "d$h" "${edge[@]}" || return
	[ -z "$(value ecn '' "${ports[@]}")" ] || shape "l$l" "d$h" "${ports[@]}" || return
	ip -n "h$h" addr add "10.$l.$h.2/24" dev e0
	ip -n "l$l" addr add "10.$l.$h.1/24" dev "d$h"
	ip -n "h$h" route add default via "10.$l.$h.1"
}

fabric_leaf() {
	local l=$1 s hops=()
	for ((s = 0; s < $2; s++)); do
		veth "l$l" "u$s" "s$s" "p$l" "${ports[@]}" || return
		ip -n "l$l" addr add "172.$((16 + s)).$l.1/24" dev "u$s"
		ip -n "s$s" addr add "172.$((16 + s)).$l.2/24" dev "p$l"
		ip -n "s$s" route add "10.$l.0.0/16" via "172.$((16 + s)).$l.1"
		hops+=(nexthop via "172.$((16 + s)).$l.2")
	done
	ip -n "l$l" route add default "${hops[@]}"
}

# ---- RDMA devices ----------------------------------------------------------------------

# link_add DEV NETDEV [NS] [TYPE]: names are system-wide. In the shared mode (default) every
# namespace sees every device; which namespace the netdev is in decides where packets go.
link_add() {
	local dev=$1 netdev=$2 ns=${3:-} type=${4:-metaroce}
	${ns:+ip netns exec "$ns"} rdma link add "$dev" type "$type" netdev "$netdev" || return
	wait_for 5 link_active "$dev"
}

link_active() { grep -q ACTIVE "/sys/class/infiniband/$1/ports/1/state"; }
link_del() { rdma link del "$1"; }

# gid_index DEV ADDRESS-IN-GID-FORM: its index; 'gid_v4 10.0.0.1' gives the form.
gid_index() {
	local f
	for f in "/sys/class/infiniband/$1/ports/1/gids"/*; do
		[ "$(cat "$f" 2>/dev/null)" != "$2" ] || { basename "$f"; return 0; }
	done
	return 1
}

gid_v4() {
	local o
	IFS=. read -ra o <<<"$1"
	printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' "${o[@]}"
}

# gid_of DEV ADDRESS: wait until the IPv4 address is a GID of the device; print its index.
gid_of() { wait_for 5 gid_index "$1" "$(gid_v4 "$2")" && gid_index "$1" "$(gid_v4 "$2")"; }

# rdma_exclusive: from here on each namespace sees its own devices. Only possible while no
# other namespace exists, so before the topology; then rdma_move DEV NS after link_add.
rdma_exclusive() { rdma system set netns exclusive; }
rdma_move() { rdma dev set "$1" netns "$2"; }

# counter DEV NAME: one value of 'rdma statistic', 0 if there is none.
counter() {
	local f=/sys/class/infiniband/$1/ports/1/hw_counters/$2
	cat "$f" 2>/dev/null || echo 0
}

# ---- programs --------------------------------------------------------------------------

# serve NS LOG CMD...: in the background; finish waits for it and gives its status.
serve() {
	local ns=$1 log=$2
	shift 2
	ip netns exec "$ns" "$@" >"$log" 2>&1 </dev/null &
	server_pid=$!
}

listening() { [ -n "$(ip netns exec "$1" ss -Htln "sport = :$2")" ]; }

finish() {
	local n=$((${1:-20} * 20))
	while kill -0 "$server_pid" 2>/dev/null && [ $((n--)) -gt 0 ]; do sleep 0.05; done
	[ $n -ge 0 ] || { kill -9 "$server_pid" 2>/dev/null; echo "the server did not end"; }
	wait "$server_pid"
}

# pair NS-A 'SERVER COMMAND' NS-B 'CLIENT COMMAND' [TCP PORT TO WAIT FOR]: both must succeed.
# The client's output is shown, the server's only on failure.
pair() {
	local a=$1 scmd=$2 b=$3 ccmd=$4 port=${5:-} log rc=0
	log=$(mktemp)
	# shellcheck disable=SC2086
	serve "$a" "$log" $scmd
	if [ -n "$port" ]; then wait_for 20 listening "$a" "$port" || rc=1; else sleep 0.5; fi
	# shellcheck disable=SC2086
	timeout "${PAIR_TIMEOUT:-120}" ip netns exec "$b" $ccmd || rc=$?
	[ $rc = 0 ] || kill "$server_pid" 2>/dev/null
	finish 20 || rc=$((rc ? rc : 1))
	[ $rc = 0 ] || { echo "server said:"; cat "$log"; }
	rm -f "$log"
	return $rc
}

# ---- the RoCEv2 baseline ---------------------------------------------------------------

# rxe_wire [KEY=VALUE...]: rxe 6.12 does not work inside namespaces, so both ends of a veth
# pair live in the initial one and policy routing keeps their traffic on the wire. Devices
# rxe0 (10.9.0.1) and rxe1 (10.9.0.2); shape it with rxe_shape. MTU 4400 by default: rxe's
# best, an IB MTU of 4096.
rxe_wire() {
	local dev mtu
	mtu=$(value mtu 4400 "$@")
	ip link add r0 mtu "$mtu" type veth peer name r1 mtu "$mtu" || return
	for dev in r0 r1; do
		sysctl -qw "net.ipv4.conf.$dev.accept_local=1" "net.ipv4.conf.$dev.rp_filter=0" \
			"net.ipv4.conf.$dev.arp_ignore=1"
		ethtool -K "$dev" tso off gso off gro off >/dev/null 2>&1 || true
		ip link set "$dev" up
	done
	ip addr add 10.9.0.1/32 dev r0
	ip addr add 10.9.0.2/32 dev r1
	sysctl -qw net.ipv4.conf.all.rp_filter=0
	ip rule add pref 10 iif r0 lookup local
	ip rule add pref 11 iif r1 lookup local
	ip rule add pref 500 lookup 500
	ip route add 10.9.0.2/32 dev r0 src 10.9.0.1 table 500
	ip route add 10.9.0.1/32 dev r1 src 10.9.0.2 table 500
	ip rule add pref 1000 lookup local
	ip rule del pref 0
	rxe_shape "$@"
	link_add rxe0 r0 '' rxe && link_add rxe1 r1 '' rxe
}

# rxe_shape KEY=VALUE...: both directions of that link.
rxe_shape() { shape '' r0 "$@" && shape '' r1 "$@"; }
