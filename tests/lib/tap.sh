# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The form in which every suite reports (sourced by suites): Test Anything Protocol.
#
#   . "$(dirname "$0")/../lib/tap.sh"
#   carries_all_bytes() { ...; }            # a test: passes when it returns 0
#   t "all bytes arrive" carries_all_bytes  # its output is shown only if it fails
#   tap_done                                # last line of the suite
#
# A test that cannot run here calls 'skip REASON' and ends there. Inside a test 'fail TEXT'
# ends it, 'expect GOT OP WANT TEXT' compares numbers, 'note TEXT' prints a comment that is
# always shown (a figure measured, a seed).
#
# A suite states where it wants to run in a line among its first ten:
#   # runs-on: uml uml-debug sim vm
# uml and uml-debug are the default; sim is simulated time, vm is QEMU with two CPUs.

# shellcheck shell=bash
tap_count=0 tap_failed=0
tap_log=$(mktemp) tap_notes=$(mktemp)

TAP_SKIP=4 # a test's exit status for "not here", as in the kernel's selftests

skip() { echo "$*" >"$tap_log.skip"; exit $TAP_SKIP; }
fail() { echo "failed: $*"; exit 1; }
note() { echo "# $*" >>"$tap_notes"; }
diag() { sed 's/^/# /'; }

# expect GOT OP WANT [TEXT]: numbers, also fractions; OP is one of < <= == != >= >
expect() {
	[ -n "$1" ] && [ -n "$3" ] || fail "${4:-value}: got '$1', expected $2 '$3'"
	case $1$3 in
	*[!0-9-]*) ;;
	*) if (($1 $2 $3)); then return; fi ;;
	esac
	awk -v a="$1" -v b="$3" "BEGIN { exit !((a + 0) $2 (b + 0)) }" ||
		fail "${4:-value}: got $1, expected $2 $3"
}

# t NAME CMD...: one test, in a subshell of its own with 'set -e'.
t() {
	local name=$1 rc=0
	shift
	tap_count=$((tap_count + 1))
	[ ! -e "$tap_log.skip" ] || rm -f "$tap_log.skip"
	: >"$tap_notes"
	set +e
	(set -e; "$@") >"$tap_log" 2>&1
	rc=$?
	case $rc in
	0) echo "ok $tap_count - $name" ;;
	"$TAP_SKIP") echo "ok $tap_count - $name # SKIP $(cat "$tap_log.skip" 2>/dev/null)" ;;
	*)
		echo "not ok $tap_count - $name"
		tap_failed=$((tap_failed + 1))
		{ echo "status $rc"; tail -n "${TAP_LINES:-40}" "$tap_log"; } | diag
		;;
	esac
	[ ! -s "$tap_notes" ] || cat "$tap_notes"
}

tap_done() {
	echo "1..$tap_count"
	tap_ended=1
	[ "$tap_failed" = 0 ] || exit 1
	exit 0
}

# A suite that dies half-way prints no plan, which the runner counts as a failure.
tap_exit() {
	local rc=$?
	rm -f "$tap_log" "$tap_log.skip" "$tap_notes"
	[ -n "${tap_ended:-}" ] || echo "Bail out! the suite ended early (status $rc)"
	exit "$rc"
}
trap tap_exit EXIT
