# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Host side common to scripts/uml and scripts/vm (sourced): where things are cached,
# how a run's temporary directory is laid out, how its outcome is judged.
# The guest side is scripts/guest.sh.

# shellcheck shell=bash
bed_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
bed_cache=${XDG_CACHE_HOME:-$HOME/.cache}/metaroce
bed_patch=$bed_top/scripts/uml.patch # what Debian's kernel source lacks

# Exit statuses of a run that are not the command's own.
BED_COMPLAINT=97 # the kernel complained, or left something behind
BED_LOST=98      # panic, hang or time-out: there is no exit status

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$@"; exit 1; }

# need FILE GROUP WHAT: stop unless FILE (a path or a command) exists.
need() {
	[ -e "$1" ] || command -v "$1" >/dev/null 2>&1 ||
		die "$3 is missing: run '$bed_top/scripts/setup $2'"
}

# locked FILE CMD...: run CMD while holding the lock FILE, saying so if that waits.
locked() {
	local lock=$1
	shift
	mkdir -p "$(dirname "$lock")"
	(
		flock -n 9 || { say "waiting for another build ($lock)"; flock 9; }
		"$@" 9>&-
	) 9>"$lock"
}

# logged FILE CMD...: run CMD with its output in FILE; show the end of it on failure.
logged() {
	local log=$1 rc=0
	shift
	"$@" >"$log" 2>&1 </dev/null || rc=$?
	[ $rc = 0 ] || { tail -n 30 "$log" >&2; say "failed, whole output in $log"; }
	return $rc
}

# linux_source: print the directory of linux-source-6.12, unpacked and patched, which is done if
# needed.
linux_source() {
	local tar=/usr/src/linux-source-6.12.tar.xz dir
	need $tar uml "the kernel source (linux-source-6.12)"
	dir=$bed_cache/linux-source-$(linux_source_version)
	[ -e "$dir/.ready" ] || locked "$dir.lock" unpack_source "$tar" "$dir"
	echo "$dir"
}

# linux_source_version: the package's and a hash of the patch. Part of every name in the cache, so a
# new one of either makes all of it anew.
linux_source_version() {
	local ver
	ver=$(dpkg-query -W -f '${Version}' linux-source-6.12 2>/dev/null)
	echo "${ver%%-*}-$(sha256sum <"$bed_patch" | cut -c1-8)"
}

# The register headers of one graphics driver are a third of the tree: left out.
unpack_source() {
	[ ! -e "$2/.ready" ] || return 0
	say "unpacking ${1##*/}"
	rm -rf "$2" && mkdir -p "$2"
	tar -xJf "$1" -C "$2" --strip-components=1 --exclude='*/drivers/gpu/drm/amd/include/*'
	patch -s -d "$2" -p1 <"$bed_patch"
	touch "$2/.ready"
}

# ---- one run -------------------------------------------------------------------------

# run_dir: make the run's temporary directory; sets $run. A kernel command line cannot
# carry a path with blanks, hence the fall-back.
run_dir() {
	local base=${TMPDIR:-/tmp}
	[[ $base != *[[:space:]]* ]] || base=/tmp
	run=$(mktemp -d "$base/metaroce.XXXXXXXX")
	mkdir "$run/mnt"
	: >"$run/klog"
	trap run_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# Ends the guest by the process id we started, never by name. Its last act is to wake
# the pumps, which end with their pipe.
run_cleanup() {
	local rc=$?
	trap - EXIT INT TERM HUP
	[ -z "${guest_pid:-}" ] || kill "$guest_pid" 2>/dev/null || true
	[ -z "${guest_pid:-}" ] || wait "$guest_pid" 2>/dev/null || true
	rm -rf "$run"
	exit "$rc"
}

# preload: modules every run finds loaded, whatever ours depends on among them.
preload='ib_uverbs rdma_ucm ib_umad udp_tunnel ip6_udp_tunnel rdma_rxe siw'

# run_settings KEY=VALUE...: what scripts/guest.sh is to know, in a form bash can source.
run_settings() {
	local kv
	for kv in "$@"; do printf '%s=%q\n' "${kv%%=*}" "${kv#*=}"; done
	printf 'bed_cwd=%q\nbed_top=%q\nbed_preload=(%s)\nbed_rw=(' "$PWD" "$bed_top" "$preload"
	printf ' %q' "$bed_top" "${rw[@]}"
	printf ' )\nbed_cmd=('
	printf ' %q' "${cmd[@]}"
	printf ' )\nbed_env=('
	env -0 | while IFS= read -r -d '' kv; do
		[[ $kv != METAROCE_* ]] || printf ' %q' "$kv"
	done
	printf ' )\n'
}

# parse_run ARG...: options common to both beds; leaves the command in cmd[]. A bed's own
# options go through own_option NAME VALUE, which sets $used to the words it took.
parse_run() {
	cmd=() rw=() append=() timeout=900 load=1 ignore= keep_log=
	while [ $# -gt 0 ]; do
		case $1 in
		--) shift; cmd=("$@"); break ;;
		--timeout) timeout=$2; shift ;;
		--mem) mem=$2; shift ;;
		--append) append+=("$2"); shift ;;
		--rw) rw+=("$(readlink -f "$2")"); shift ;;
		--ignore) ignore=${ignore:+$ignore|}$2; shift ;;
		--log) keep_log=$2; shift ;;
		--no-module) load= ;;
		*)
			used=0
			own_option "$@"
			[ "$used" != 0 ] || die "unknown option '$1' (commands stand after --); try --help"
			shift $((used - 1))
			;;
		esac
		shift
	done
	[ ${#cmd[@]} -gt 0 ] || die "nothing to run: give a command after --"
}

# module_for KREL: our module as built for that kernel, or nothing.
module_for() {
	local ko=$bed_top/build/$1/metaroce.ko
	[ -n "$load" ] || return 0
	if [ -e "$ko" ]; then echo "$ko"; else
		say "metaroce.ko is not built for $1 (make module KDIR=\$($0 kdir ...)): running without it"
	fi
}

# What a kernel says when something is wrong. One expression for both beds.
complaint_re='WARNING:|BUG:|BUG at|KASAN|UBSAN|Oops|general protection|Kernel panic'
complaint_re+='|refcount_t:|ref_tracker:|ODEBUG:|list_(add|del) corruption|DEBUG_LOCKS_WARN'
complaint_re+='|INFO: (task|rcu|trying|possible|lockdep)|suspicious RCU|self-detected stall'
complaint_re+='|unregister_netdevice: waiting|Objects remaining|leaked|unreferenced object'
complaint_re+='|page allocation failure|scheduling while atomic|sleeping function called'

# complaints FILE: "LINE:TEXT" of each, from the moment the guest was up: what a kernel
# says while it boots is not our doing.
complaints() {
	awk '/bed: up/ { up = 1 } { if (up) print; else print "" }' "$1" |
		grep -anE "$complaint_re" | { if [ -n "$ignore" ]; then grep -vE "$ignore"; else cat; fi; }
}

# show_from FILE LINE: the report that starts at LINE, as far as anybody reads.
show_from() {
	tail -n "+$2" "$1" | head -n 80 | sed 's/^/| /' >&2
}

# await_guest: wait for the guest and for its output's last byte, then judge.
await_guest() {
	guest_rc=0
	{ wait "$guest_pid" || guest_rc=$?; } 2>/dev/null # no job notice
	guest_pid=
	wait "$pump" 2>/dev/null || true
	judge
}

# judge: turn what the guest left into this run's exit status. Sets nothing, exits.
judge() {
	local line rc
	[ -z "$keep_log" ] || cp "$run/klog" "$keep_log"
	line=$(complaints "$run/klog" | head -n 1 | cut -d: -f1) || true
	if [ ! -s "$run/rc" ]; then
		if [ "$guest_rc" = 124 ] || [ "$guest_rc" = 137 ]; then
			say "no end within $timeout s: guest killed; end of its kernel log:"
		else
			say "the guest died (status $guest_rc) before the command ended; kernel log:"
		fi
		if [ -n "$line" ]; then show_from "$run/klog" "$line"; else
			# What led to it says more than the trace that ends it.
			cat "$run/host.log" "$run/klog" | sed '/Kernel panic/q' | tail -n 25 | sed 's/^/| /' >&2
		fi
		exit "$BED_LOST"
	fi
	rc=$(cat "$run/rc")
	if [ -n "$line" ]; then
		say "the kernel complained (the command's own exit status was $rc):"
		show_from "$run/klog" "$line"
		exit "$BED_COMPLAINT"
	fi
	if [ -s "$run/complaints" ]; then
		say "after the command (its own exit status was $rc):"
		sed 's/^/| /' "$run/complaints" >&2
		exit "$BED_COMPLAINT"
	fi
	exit "$rc"
}
