# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Recording the driver's tracepoints (sourced by suites and scripts that run as root).
#
#   trace_start [EVENT...]      ack, loss, retransmit, rto and path_state if none is named
#   trace_stop FILE             what was recorded since, as text
#
# The clock is CLOCK_MONOTONIC, which is the simulated one in simulated time.

# shellcheck shell=bash
tracefs=/sys/kernel/tracing

# trace_set FILE VALUE
trace_set() { echo "$2" >"$tracefs/$1"; }

trace_start() {
	local event
	[ -e $tracefs/trace ] || mount -t tracefs tracefs $tracefs || return
	[ $# -gt 0 ] || set -- ack loss retransmit rto path_state
	trace_set tracing_on 0
	trace_set events/metaroce/enable 0
	trace_set trace_clock mono
	trace_set buffer_size_kb 65536
	trace_set trace ''
	for event; do trace_set "events/metaroce/metaroce_$event/enable" 1; done
	trace_set tracing_on 1
}

trace_stop() {
	trace_set tracing_on 0
	trace_set events/metaroce/enable 0
	cat $tracefs/trace >"$1"
	trace_set trace ''
	trace_set buffer_size_kb 16
}
