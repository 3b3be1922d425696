# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the scenarios of tests/fabric have in common (sourced by them): topologies between
# which only the last hop loses, traffic by rdma_fabric, the link's ceiling, figures against
# bars, and the table of results.
#
#   route A B [KEY=VALUE...]     two hosts with a switch between them, devices mrA and mrB
#   impair KEY=VALUE...          loss etc. behind the link, both ways; impair_to HOST: one way
#   spines / planes              leaf_spine and links of topo.sh, with devices
#   star N [KEY=VALUE...]        N hosts at one switch, devices mr0..; ecn= marks at its ports
#   fab [OPTION...] PATTERN      rdma_fabric between all hosts; its lines are in $fab_out
#   of WHAT KEY                  KEY's value in the first line of it that begins with WHAT
#   watched / shares / settles   links are sampled meanwhile; who got how much of them
#   ceiling FROM TO ADDRESS      MB/s of payload that the link between them carries
#   holds VARIANT VALUE OP BAR [UNIT [RXE [IDEAL]]]     assert it, say it, write it down
#
# A header line '# fabric: check' puts a scenario into the subset of 'scripts/check fabric';
# '# mem: SIZE' and '# timeout: SECONDS' are for its guest.

# shellcheck shell=bash
fabric_lib=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$fabric_lib/tap.sh"
. "$fabric_lib/topo.sh"
. "$fabric_lib/verbs.sh"

fabric_tool=$verbs_top/build/tools/rdma_fabric
blast_tool=$verbs_top/build/tools/udp_blast
setup_tool=$verbs_top/build/tools/netns_setup
sampler_tool=$verbs_top/build/tools/link_sampler
tcp_tool=$verbs_top/build/tools/tcp_flow
fabric_name=$(basename "$0" .sh)
fabric_results=$verbs_top/build/fabric/$fabric_name.tsv
fabric_all=${METAROCE_FABRIC_ALL:-}
ranks=() fab_out=/tmp/fab.out

[ -n "$METAROCE_SIM" ] || { echo "Bail out! simulated time only: scripts/uml run --sim"; exit 1; }
[ -x "$fabric_tool" ] || { echo "Bail out! $fabric_tool is not built: make tools"; exit 1; }
# Neighbours are counted over all namespaces.
sysctl -qw net.ipv4.neigh.default.gc_thresh{1,2,3}=65536
mkdir -p "${fabric_results%/*}" && : >"$fabric_results"

# ---- set-up ----------------------------------------------------------------------------

# What topo.sh would start a program each for, one of ours does for all namespaces; and the
# devices that are due (device NS DEV NETDEV) come with it.
eval "topo_apply_programs() $(declare -f topo_apply | tail -n +2)"
fabric_devices=() fabric_due=() fabric_mbps=0

device() { fabric_devices+=("$1 rdma $2 $3 metaroce"); fabric_due+=("$2"); }

topo_apply() {
	local ns line word dev late=()
	for ns in "${!topo_sh[@]}"; do
		while read -ra line; do
			case ${line[0]:-} in
			ethtool) late+=("$ns plain ${line[2]}") ;;
			sysctl) for word in "${line[@]:2}"; do late+=("$ns sysctl $word"); done ;;
			esac
		done <<<"${topo_sh[$ns]}"
	done
	topo_sh=()
	topo_apply_programs || return
	late+=("${fabric_devices[@]}")
	[ ${#late[@]} = 0 ] || printf '%s\n' "${late[@]}" | "$setup_tool" || return
	for dev in "${fabric_due[@]}"; do
		await_active "$dev" || return
		echo "$fabric_mbps" >"/sys/class/infiniband/$dev/inbound_mbps"
	done
	fabric_devices=() fabric_due=()
}

# brings N [KEY=VALUE...]: what a host's N links bring together, which no veth can tell.
brings() {
	local val
	value rate 0 "${@:2}"
	[[ $val = 0 || $val = *gbit ]] || { echo "rate=$val: not in gbit" >&2; return 1; }
	fabric_mbps=$(calc "$1 * ${val%gbit} * 1000")
}

await_active() {
	local state i
	for ((i = 0; i < 100; i++)); do
		read -r state <"/sys/class/infiniband/$1/ports/1/state"
		[[ $state != *ACTIVE* ]] || return 0
		nap 0.05
	done
	echo "$1 does not come up" >&2
	return 1
}

# ---- topologies ------------------------------------------------------------------------

# route A B [KEY=VALUE...]: rate, delay and limit are of the hosts' ports; a bridge in the
# namespace A-B leads to the other host. What is lost there has taken its time on the link.
route() {
	local a=$1 b=$2 sw=$1-$2 val port
	shift 2
	clear_all || return
	ns_queue "$a" "$b" "$sw"
	brings 1 "$@" || return
	value mtu 1500 "$@"
	queue ip "$sw" "link add br0 mtu $val type bridge mcast_snooping 0" "link set br0 up"
	for port in a b; do
		local -n host=$port
		veth_queue "$host" "v$host" "$sw" "p$port" mtu="$val" || return
		shape_queue "$host" "v$host" "$@" || return
		queue ip "$sw" "link set p$port master br0"
	done
	addresses "$a" "v$a" 0 1
	addresses "$b" "v$b" 0 2
	known_queue "$a" "v$a" 1 2
	known_queue "$b" "v$b" 2 1
	device "$a" "mr$a" "v$a"
	device "$b" "mr$b" "v$b"
	topo_apply || return
	ranks=("$a:mr$a:10.0.0.1" "$b:mr$b:10.0.0.2")
	fabric_mtu=$val
}

impair() { shape A-B pa "$@" && shape A-B pb "$@"; }
impair_to() { shape A-B "p${1,,}" "${@:2}"; }

# star N [KEY=VALUE...]: host h's port is e0 (10.0.0.1 + h), the switch's towards it p<h>.
star() {
	local n=$1 h val all
	shift
	clear_all || return
	ns_queue sw
	brings 1 "$@" || return
	value mtu 1500 "$@"
	queue ip sw "link add br0 mtu $val type bridge mcast_snooping 0" "link set br0 up"
	ranks=()
	mapfile -t all < <(seq "$n")
	for ((h = 0; h < n; h++)); do
		star_host "$h" "$@" || return
		known_queue "h$h" e0 $((h + 1)) "${all[@]}"
		ranks+=("h$h:mr$h:10.0.0.$((h + 1))")
		device "h$h" "mr$h" e0
	done
	topo_apply || return
	fabric_mtu=$val
}

# known_queue NS DEV ME OTHER...: 10.0.0.ME, who knows the others' link addresses: there is
# no ARP to be lost.
known_queue() {
	local ns=$1 dev=$2 me=$3 other mac lines=()
	printf -v mac '02:00:00:00:00:%02x' "$me"
	lines=("link set $dev address $mac")
	shift 3
	for other; do
		[ "$other" != "$me" ] || continue
		printf -v mac '02:00:00:00:00:%02x' "$other"
		lines+=("neigh add 10.0.0.$other lladdr $mac dev $dev nud permanent")
	done
	queue ip "$ns" "${lines[@]}"
}

star_host() {
	local h=$1 val
	shift
	ns_queue "h$h"
	value ecn '' "$@"
	if [ -n "$val" ]; then veth_shaped_at_first "h$h" e0 sw "p$h" "$@"
	else veth_queue "h$h" e0 sw "p$h" "$@"; fi || return
	queue ip "h$h" "addr add 10.0.0.$((h + 1))/16 dev e0"
	queue ip sw "link set p$h master br0"
}

# spines HOSTS LEAVES SPINES [KEY=VALUE...]: leaf_spine with devices mr0...
spines() {
	local n=$1 h val
	clear_all || return
	for ((h = 0; h < n; h++)); do device "h$h" "mr$h" e0; done
	brings 1 "${@:4}" || return
	leaf_spine "$@" || return
	ranks=()
	for ((h = 0; h < n; h++)); do ranks+=("h$h:mr$h:$(host_ip "$h")"); done
	value mtu 1500 "${@:4}"
	fabric_mtu=$val
}

# planes N [KEY=VALUE...]: links N A B with devices mrA and mrB on the dummies.
planes() {
	local val
	clear_all || return
	device A mrA host0
	device B mrB host0
	brings "$1" "${@:2}" || return
	links "$1" A B "${@:2}" || return
	ranks=(A:mrA:10.1.0.1 B:mrB:10.1.0.2)
	value mtu 1500 "${@:2}"
	fabric_mtu=$val
}

# ---- traffic ---------------------------------------------------------------------------

# fab [OPTION...] PATTERN: 0 if every byte was right and no work request failed.
fab() {
	local rc=0
	"$fabric_tool" "$@" "${ranks[@]}" >"$fab_out" 2>&1 || rc=$?
	cat "$fab_out"
	return $rc
}

# watched PERIOD "LINK..." COMMAND...: the command, while the links (NS:DEV) are sampled into $samples.
samples=/tmp/samples.csv
watched() {
	local period=$1 links=$2 rc=0 sampler
	shift 2
	# shellcheck disable=SC2086
	"$sampler_tool" -p "$period" -o "$samples" $links &
	sampler=$!
	"$@" || rc=$?
	kill $sampler && wait $sampler || rc=1
	return $rc
}

# sampled SCRIPT [-v NAME=VALUE...]: an awk script over the samples: t is seconds since the
# common start of the traffic, link the link, the columns are tx, rx, qlen, backlog, drops.
sampled() {
	local script=$1
	shift
	awk -F, -v start="$(of total start)" "$@" "NR > 1 { t = \$1 - start; link = \$2; tx = \$3; rx = \$5
		qlen = \$7; backlog = \$8; drops = \$9 } $script" "$samples"
}

# shares COLUMN FROM TO WINDOW: over all windows of that length between FROM and TO (seconds
# since the start), the largest part by which a link's bytes are off the mean of all.
shares() {
	sampled '
	NR > 1 && t >= from && t <= to {
		if (!(link in id)) id[link] = n++
		if (t != last) { k++; at[k] = t; last = t }
		b[id[link], k] = '"$1"'
	}
	END {
		for (i = 1; i <= k; i++) {
			for (j = i; j <= k && at[j] - at[i] < window * 0.999; j++);
			if (j > k) break
			sum = 0
			for (l = 0; l < n; l++) sum += b[l, j] - b[l, i]
			for (l = 0; l < n && sum; l++) {
				off = (b[l, j] - b[l, i]) * n / sum - 1
				if (off < 0) off = -off
				if (off > worst) worst = off
			}
		}
		if (i > 1) printf "%.3f\n", worst
	}' -v from="$2" -v to="$3" -v window="$4"
}

# settles COLUMN FROM TO WINDOW LINK...: seconds from FROM to the begin of the last window before
# TO in which one of the links had more than 10 % more or less than their mean; 0: there is none.
settles() {
	sampled '
	index(links, " " link " ") && t >= from && t <= to {
		if (t != last) { k++; at[k] = t; last = t }
		b[link, k] = '"$1"'
	}
	END {
		n = split(links, name, " ")
		for (i = j = 1; i <= k; i++) {
			while (j <= k && at[j] - at[i] < window * 0.999) j++
			if (j > k) break
			sum = 0
			for (l = 1; l <= n; l++) sum += b[name[l], j] - b[name[l], i]
			for (l = 1; l <= n; l++) {
				off = sum ? (b[name[l], j] - b[name[l], i]) * n / sum - 1 : 1
				if (off > 0.1 || off < -0.1) late = at[i] - from
			}
		}
		if (i > 1) printf "%.6f\n", late
	}' -v from="$2" -v to="$3" -v window="$4" -v links=" ${*:5} "
}

# rate COLUMN LINK FROM TO: bytes per second of it between two times, in MB/s.
rate() {
	sampled 'link == want && t >= from && t <= to { if (!n++) { t0 = t; b0 = '"$1"' } t1 = t; b1 = '"$1"' }
		END { if (t1 > t0) printf "%.2f\n", (b1 - b0) / (t1 - t0) / 1e6 }' -v want="$2" -v from="$3" -v to="$4"
}

of() { sed -n "/^$1/{s,.* $2=\([^ ]*\).*,\1,p;q}" "$fab_out"; }

# The payload of a packet over IPv4: 28 bytes of IP and UDP, 64 of ours, a multiple of 128.
payload_of() { echo $((($1 - 92) / 128 * 128)); }

# ceiling FROM-NS TO-NS TO-ADDRESS [PACKETS]: of payload, from a raw blast of our packet's size.
# After the set-up a switch's port may not forward yet, so first a few have to arrive.
ceiling() {
	local payload tries
	payload=$(payload_of "$fabric_mtu")
	for ((tries = 0; tries < 20; tries++)); do
		[[ $("$blast_tool" -n 100 "$1" "$2" "$3") != *" received=100 "* ]] || break
	done
	[ $tries -lt 20 ] || { echo "$2 hears nothing from $1" >&2; return 1; }
	"$blast_tool" -s $((payload + 92)) -n "${4:-5000}" "$1" "$2" "$3" |
		awk -v p="$payload" '{ sub(/.*packets\/s=/, ""); printf "%.2f\n", $1 * p / 1e6 }'
}

# ---- figures against bars --------------------------------------------------------------

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", b ? a / b : 0 }'; }
calc() { awk "BEGIN { printf \"%.6g\n\", ($*) }"; }

# holds VARIANT VALUE OP BAR [UNIT [RXE [IDEAL]]]: '-' for what there is not. A bar that is missed
# fails the test, unless performance.rst says that it is: what fails then is news.
holds() {
	local variant=$1 value=$2 op=$3 bar=$4 unit=${5:-} rxe=${6:--} ideal=${7:--} pass=no
	awk -v a="$value" -v b="$bar" "BEGIN { exit !(length(a) && (a + 0) $op (b + 0)) }" && pass=yes
	tabled "$variant" "${value:--}${unit:+ $unit}" "$rxe" "$ideal" "$op $bar" $pass
	note "$variant: ${value:-nothing}${unit:+ $unit}, bar $op $bar, ideal $ideal, rxe $rxe"
	[ $pass = no ] || return 0
	[ -n "$value" ] || fail "broken: no figure for $variant"
	known_missed "$variant" || fail "missed: $variant: $value${unit:+ $unit}, bar $op $bar"
	note "missed, as performance.rst says: $variant"
}

known_missed() { grep -qF -- "* \`\`$fabric_name: $1\`\`" "$verbs_top/Documentation/performance.rst"; }

# reported VARIANT VALUE [UNIT [RXE [IDEAL]]]: a figure without a bar.
reported() {
	tabled "$1" "$2${3:+ $3}" "${4:--}" "${5:--}" - -
	note "$1: $2${3:+ $3}, ideal ${5:--}, rxe ${4:--}"
}

# broken VARIANT BAR: there is no figure, because the run failed. Its caller's test fails.
broken() {
	tabled "$1" broken - - "$2" -
	note "broken: $1: the run failed"
}

tabled() { (IFS=$'\t'; echo "$fabric_name"$'\t'"$*") >>"$fabric_results"; }

# Remembered between the tests of a scenario, which are subshells.
keep() { echo "$2" >"/tmp/keep.$1"; }
kept() { cat "/tmp/keep.$1" 2>/dev/null || echo "${2:-}"; }

# What may never happen, whatever the network does.
sound() {
	local dev
	for dev; do
		unmoved "$dev" stream_retry_exceeded stream_rnr_exceeded met_remote_error conn_reset \
			refused_invalid refused_access refused_operation rx_drop_malformed tx_self_reordered
	done
}

# ---- rxe -------------------------------------------------------------------------------

# rxe_route KEY=VALUE...: the two ends of rxe's wire as ranks; see rxe_wire.
rxe_route() {
	clear_all || return
	rxe_wire "$@" || return
	ranks=(-:rxe0:10.9.0.1 -:rxe1:10.9.0.2)
}

# rxe_star N [KEY=VALUE...]: as star. The hosts' ports e0.. are in the initial namespace; what a
# host's address sends leaves by its port, and what comes in there is for us.
rxe_star() {
	local n=$1 h val all
	shift
	clear_all || return
	value mtu 4400 "$@"
	ns_queue sw
	queue ip sw "link add br0 mtu $val type bridge mcast_snooping 0" "link set br0 up"
	ranks=()
	mapfile -t all < <(seq "$n")
	for ((h = 0; h < n; h++)); do
		rxe_star_host "$h" mtu="$val" "$@" || return
		known_queue - "e$h" $((h + 1)) "${all[@]}"
		ranks+=("-:rxe$h:10.0.0.$((h + 1))")
		fabric_devices+=("- rdma rxe$h e$h rxe") fabric_due+=("rxe$h")
	done
	topo_apply || return
	ip rule add pref 1000 lookup local && ip rule del pref 0 || return
	fabric_mtu=$val
}

rxe_star_host() {
	local h=$1 me=10.0.0.$(($1 + 1)) val rest mtu
	shift
	value mtu 4400 "$@"; mtu=$val
	queue ip - "link add e$h mtu $mtu type veth peer name p$h netns sw mtu $mtu" \
		"link set e$h up" "addr add $me/32 dev e$h" \
		"rule add pref $((10 + h)) iif e$h lookup local" \
		"rule add pref $((500 + h)) from $me lookup $((500 + h))" \
		"route add 10.0.0.0/24 dev e$h src $me table $((500 + h))"
	queue sh - "ethtool -K e$h tso off gso off gro off" \
		"sysctl -qw net.ipv4.conf.e$h.accept_local=1 net.ipv4.conf.e$h.rp_filter=0"
	queue sh sw "ethtool -K p$h tso off gso off gro off"
	queue ip sw "link set p$h up" "link set p$h master br0"
	without ecn "$@"
	shape_queue - "e$h" "${rest[@]}" || return
	value ecn '' "$@"; rest=(${val:+ecn="$val"})
	value rate 10gbit "$@"
	shape_queue sw "p$h" rate="$val" "${rest[@]}"
}
