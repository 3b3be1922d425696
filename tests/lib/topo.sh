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

# On a real machine this would change its namespaces, routing rules and sysctls for good.
[ -e /run/bed/settings ] || {
	echo "Bail out! tests/lib/topo.sh works in the test bed only: scripts/uml run -- $0 $*"
	exit 1
}

# ---- waiting ---------------------------------------------------------------------------

# wait_for SECONDS CMD...: until CMD succeeds; 20 looks a second.
wait_for() {
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || { echo "waited in vain for: $*" >&2; return 1; }
		nap 0.05
	done
}

# A short sleep without starting a program: nothing is ever written to that pipe.
exec {topo_never}<> <(:)
nap() { read -rt "$1" -u "$topo_never" || true; }

# ended PID: a child is gone, or waits to be reaped. The shell, which may be late to reap while it
# starts nothing, would call that one alive.
ended() {
	local stat
	read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
	[[ ${stat##*) } == [ZX]* ]]
}

in_ns() { ip netns exec "$@"; }

# ---- namespaces and links --------------------------------------------------------------
#
# Starting a program takes 40 ms in UML, so what is to be done is collected by namespace
# and done by a few programs at the end (topo_apply): ip and tc read a batch each, a shell
# in the namespace does the rest.

declare -A topo_ip=() topo_tc=() topo_sh=()
topo_order=()

# queue KIND NS LINE...: KIND is ip, tc or sh; NS '-' is the namespace we are in.
queue() {
	local -n lines=topo_$1
	local ns=$2 line
	shift 2
	[[ " ${topo_order[*]} " == *" $ns "* ]] || topo_order+=("$ns")
	for line; do lines[$ns]+=$line$'\n'; done
}

topo_apply() {
	local ns in rc=0
	for ns in "${topo_order[@]}"; do
		in=()
		[ "$ns" = - ] || in=(-n "$ns")
		batch ip "${topo_ip[$ns]:-}" "${in[@]}" || rc=1
		batch tc "${topo_tc[$ns]:-}" "${in[@]}" || rc=1
		[ -z "${topo_sh[$ns]:-}" ] || ip netns exec "$ns" sh -ec "${topo_sh[$ns]}" || rc=1
	done
	topo_ip=() topo_tc=() topo_sh=() topo_order=()
	return $rc
}

batch() {
	[ -z "$2" ] || "$1" "${@:3}" -batch - <<<"$2"
}

# No waiting for duplicate address detection; a new namespace inherits this.
topo_defaults() {
	[ -z "${topo_ready:-}" ] || return 0
	sysctl -qw net.core.devconf_inherit_init_net=1 \
		net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 \
		net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0
	topo_ready=1
}

# ns_add NS...: namespaces with lo up, at once.
ns_add() { ns_queue "$@" && topo_apply; }

ns_queue() {
	local ns
	topo_defaults
	for ns; do
		queue ip - "netns add $ns"
		queue ip "$ns" "link set lo up"
	done
}

# A namespace that forwards, and spreads over its next hops by ports too.
router_queue() {
	local ns
	for ns; do
		queue sh "$ns" "sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
net.ipv4.fib_multipath_hash_policy=1 net.ipv6.fib_multipath_hash_policy=1"
	done
}

# value KEY DEFAULT ARG...: sets $val to the last KEY=... among the arguments.
value() {
	local key=$1 arg
	val=$2
	shift 2
	for arg; do [[ $arg != "$key="* ]] || val=${arg#*=}; done
}

# without KEY ARG...: sets $rest to the arguments but that one.
without() {
	local key=$1 arg
	rest=()
	shift
	for arg; do [[ $arg = "$key="* ]] || rest+=("$arg"); done
}

# veth NS1 DEV1 NS2 DEV2 [KEY=VALUE...]: a link, up, both directions shaped, at once.
veth() { veth_queue "$@" && topo_apply; }

# Each packet is a packet: no super-packets, which netem would delay and lose whole.
veth_queue() {
	local n1=$1 d1=$2 n2=$3 d2=$4 val
	shift 4
	value mtu 1500 "$@"
	queue ip - "link add $d1 netns $n1 mtu $val type veth peer name $d2 netns $n2 mtu $val"
	queue ip "$n1" "link set $d1 up"
	queue ip "$n2" "link set $d2 up"
	queue sh "$n1" "ethtool -K $d1 tso off gso off gro off >/dev/null 2>&1"
	queue sh "$n2" "ethtool -K $d2 tso off gso off gro off >/dev/null 2>&1"
	shape_queue "$n1" "$d1" "$@" && shape_queue "$n2" "$d2" "$@"
}

# shape NS DEV KEY=VALUE...: replaces what was set before; no keys: an unshaped link. An
# empty NS is the namespace we are in.
shape() {
	tc ${1:+-n "$1"} qdisc del dev "$2" root 2>/dev/null || true
	shape_queue "${1:--}" "${@:2}" && topo_apply
}

shape_queue() {
	local ns=$1 dev=$2 rate='' limit=10000 delay='' jitter='' ecn='' netem='' arg
	shift 2
	for arg; do
		case $arg in
		rate=*) rate=${arg#*=} ;;
		limit=*) limit=${arg#*=} ;;
		delay=*) delay=${arg#*=} ;;
		jitter=*) jitter=${arg#*=} ;;
		ecn=*) ecn=${arg#*=} ;;
		loss=*) netem+=" loss ${arg#*=}" ;;
		gemodel=*) netem+=" loss gemodel ${arg#*=}" ;;
		mark=*) netem+=" loss ${arg#*=} ecn" ;;
		dup=*) netem+=" duplicate ${arg#*=}" ;;
		reorder=*) netem+=" reorder ${arg#*=}" ;;
		corrupt=*) netem+=" corrupt ${arg#*=}" ;;
		mtu=*) ;;
		*) echo "shape: unknown key '$arg'" >&2; return 1 ;;
		esac
	done
	if [ -n "$ecn" ]; then
		marking_queue
		return
	fi
	[ -z "$delay" ] || netem+=" delay $delay $jitter"
	[ -z "$rate" ] || netem+=" rate $rate"
	[ -z "$netem" ] || queue tc "$ns" "qdisc add dev $dev root netem$netem limit $limit"
}

# A bottleneck as a switch port has it: one queue that marks above a queueing time.
# Works on shape_queue's variables.
marking_queue() {
	[ -n "$rate" ] && [ -z "$delay$jitter$netem" ] || {
		echo "shape: ecn wants a rate, and delay and loss on another hop" >&2
		return 1
	}
	queue tc "$ns" "qdisc add dev $dev root handle 1: tbf rate $rate burst 20kb limit 100mb" \
		"qdisc add dev $dev parent 1: fq_codel limit $limit flows 1 target 1s interval 10s \
ce_threshold $ecn ecn"
}

# addresses NS DEV N HOST: 10.0.N.HOST/24 and fd00:0:0:N::HOST/64.
addresses() {
	queue ip "$1" "addr add 10.0.$3.$4/24 dev $2" "addr add fd00:0:0:$3::$4/64 dev $2 nodad"
}

# wire A B [KEY=VALUE...]: A's end is 'va' (10.0.0.1, fd00::1), B's 'vb' (10.0.0.2, fd00::2).
# With ecn= a bridge in a namespace of its own (A-B) stands between, as the bottleneck.
wire() {
	local a=$1 b=$2 val
	shift 2
	ns_queue "$a" "$b"
	value ecn '' "$@"
	if [ -n "$val" ]; then bridge_queue "$a" "$b" "$@"
	else veth_queue "$a" va "$b" vb "$@"; fi || return
	addresses "$a" va 0 1
	addresses "$b" vb 0 2
	topo_apply
}

bridge_queue() {
	local a=$1 b=$2 sw=$1-$2 port val
	shift 2
	ns_queue "$sw"
	value mtu 1500 "$@"
	queue ip "$sw" "link add br0 mtu $val type bridge" "link set br0 up"
	veth_shaped_at_first "$a" va "$sw" pa "$@" && veth_shaped_at_first "$b" vb "$sw" pb "$@" ||
		return
	for port in pa pb; do queue ip "$sw" "link set $port master br0"; done
}

# veth_shaped_at_first NS1 DEV1 NS2 DEV2 [KEY=VALUE...]: an ordinary port at one end, a
# marking one at the other, which then has neither delay nor loss.
veth_shaped_at_first() {
	local n1=$1 d1=$2 n2=$3 d2=$4 val mtu ecn rate rest
	shift 4
	value mtu 1500 "$@"; mtu=$val
	value ecn '' "$@"; ecn=$val
	value rate 10gbit "$@"; rate=$val
	veth_queue "$n1" "$d1" "$n2" "$d2" mtu="$mtu" || return
	without ecn "$@"
	shape_queue "$n1" "$d1" "${rest[@]}" && shape_queue "$n2" "$d2" rate="$rate" ecn="$ecn"
}

# links N A B [KEY=VALUE...]: e0..eN-1 at both ends (10.0.I.1 and .2); the hosts' own
# addresses 10.1.0.1 and 10.1.0.2 (fd01::1, fd01::2) sit on the dummy 'host0', and a
# multipath route leads to the other's over all links.
links() {
	local n=$1 a=$2 b=$3 i
	shift 3
	ns_queue "$a" "$b"
	for ((i = 0; i < n; i++)); do
		veth_queue "$a" "e$i" "$b" "e$i" "$@" || return
		addresses "$a" "e$i" "$i" 1
		addresses "$b" "e$i" "$i" 2
	done
	multihomed "$a" "$n" 1 2 "$@"
	multihomed "$b" "$n" 2 1 "$@"
	topo_apply
}

# multihomed NS N ME OTHER [KEY=VALUE...]: the last route is what rdma_cm needs to accept a
# connection for an address on a dummy.
multihomed() {
	local ns=$1 n=$2 me=$3 other=$4 val i hops4='' hops6=''
	shift 4
	value mtu 1500 "$@"
	for ((i = 0; i < n; i++)); do
		hops4+=" nexthop via 10.0.$i.$other dev e$i"
		hops6+=" nexthop via fd00:0:0:$i::$other dev e$i"
	done
	queue ip "$ns" "link add host0 mtu $val type dummy" "link set host0 up" \
		"addr add 10.1.0.$me/32 dev host0" "addr add fd01::$me/128 dev host0 nodad" \
		"route add 10.1.0.$other/32 src 10.1.0.$me$hops4" \
		"route add fd01::$other/128 src fd01::$me$hops6" \
		"route add 10.1.0.$other/32 dev host0 metric 9999"
}

# leaf_spine H L S [KEY=VALUE...]: hosts h0.. (device e0, address from host_ip), leaves
# l0.., spines s0..; each leaf sends over all spines by the hash of addresses and ports.
# With ecn= the switches' ports mark, and delay and loss stand on the hosts' own ports.
leaf_spine() {
	local hosts=$1 leaves=$2 spines=$3 h l s val rest edge core
	shift 3
	fabric_leaves=$leaves fabric_hosts=$hosts
	edge=("$@") core=("$@")
	value ecn '' "$@"
	if [ -n "$val" ]; then
		core=(ecn="$val")
		value rate 10gbit "$@"; core+=(rate="$val")
		value mtu 1500 "$@"; core+=(mtu="$val")
		without ecn "$@"
		edge=("${rest[@]}")
	fi
	for ((l = 0; l < leaves; l++)); do ns_queue "l$l"; router_queue "l$l"; done
	for ((s = 0; s < spines; s++)); do ns_queue "s$s"; router_queue "s$s"; done
	for ((h = 0; h < hosts; h++)); do
		fabric_host "$h" $((h * leaves / hosts)) "$@" || return
	done
	for ((l = 0; l < leaves; l++)); do fabric_leaf "$l" "$spines" || return; done
	topo_apply
}

# host_ip H: the address of host H of the fabric.
host_ip() { echo "10.$(($1 * fabric_leaves / fabric_hosts)).$1.2"; }

# fabric_host H LEAF [KEY=VALUE...]
fabric_host() {
	local h=$1 l=$2 val
	shift 2
	ns_queue "h$h"
	value ecn '' "$@"
	if [ -n "$val" ]; then veth_shaped_at_first "h$h" e0 "l$l" "d$h" "$@"
	else veth_queue "h$h" e0 "l$l" "d$h" "$@"; fi || return
	queue ip "h$h" "addr add 10.$l.$h.2/24 dev e0" "route add default via 10.$l.$h.1"
	queue ip "l$l" "addr add 10.$l.$h.1/24 dev d$h"
}

# fabric_leaf LEAF SPINES: works on leaf_spine's core[].
fabric_leaf() {
	local l=$1 s hops=''
	for ((s = 0; s < $2; s++)); do
		veth_queue "l$l" "u$s" "s$s" "p$l" "${core[@]}" || return
		queue ip "l$l" "addr add 172.$((16 + s)).$l.1/24 dev u$s"
		queue ip "s$s" "addr add 172.$((16 + s)).$l.2/24 dev p$l" \
			"route add 10.$l.0.0/16 via 172.$((16 + s)).$l.1"
		hops+=" nexthop via 172.$((16 + s)).$l.2"
	done
	queue ip "l$l" "route add default$hops"
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

# gid_index DEV ADDRESS-IN-GID-FORM: its index; 'gid_v4 10.0.0.1' gives the form. One
# program for the whole table: rxe's has a thousand entries.
gid_index() {
	local f
	f=$(grep -lsx -- "$2" "/sys/class/infiniband/$1/ports/1/gids"/*) || [ -n "$f" ] || return 1
	f=${f%%$'\n'*}
	echo "${f##*/}"
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

cm_listening() { rdma resource show cm_id | grep -q LISTEN; }

finish() {
	wait_for "${1:-20}" server_ended || kill -9 "$server_pid" 2>/dev/null
	wait "$server_pid"
}

server_ended() { ended "$server_pid"; }

# pair NS-A 'SERVER COMMAND' NS-B 'CLIENT COMMAND' [TCP PORT TO WAIT FOR, or 'cm']: both must
# succeed.
# The client's output is shown, the server's only on failure.
pair() {
	local a=$1 scmd=$2 b=$3 ccmd=$4 port=${5:-} log rc=0
	log=$(mktemp)
	# shellcheck disable=SC2086
	serve "$a" "$log" $scmd
	if [ "$port" = cm ]; then wait_for 20 cm_listening || rc=1
	elif [ -n "$port" ]; then wait_for 20 listening "$a" "$port" || rc=1; else sleep 0.5; fi
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
	local dev val mtu
	value mtu 4400 "$@"
	mtu=$val
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
