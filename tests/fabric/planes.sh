#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Two hosts joined by 1, 2, 4 and 8 planes of 2.5 Gb/s, and by two that are unequal (10 and
# 2.5 Gb/s); one queue pair.
# Bar: N planes >= 0.97 x N of one; unequal ones >= 0.95 of their sum.
# fabric: check
. "$(dirname "$(readlink -f "$0")")/../lib/fabric.sh"

measured() { fab -r -s 1048576 -q 8 -W 0.02 -D 0.06 pair; }

equal() {
	planes "$1" rate=2.5gbit delay=5us
	mark mrA; mark mrB
	measured || { broken "$1 planes" ">= 0.97"; return 1; }
	changes mrA
	sound mrA mrB
	[ "$1" != 1 ] || { keep one "$(of total steady_MB/s)"; return 0; }
	holds "$1 planes, of $1 x one" "$(ratio "$(of total steady_MB/s)" "$(calc "$1 * $(kept one)")")" '>=' 0.97 '' \
		- "$1 x $(kept one) MB/s"
}

unequal() {
	planes 2 rate=2.5gbit delay=5us
	shape A e0 rate=10gbit delay=5us && shape B e0 rate=10gbit delay=5us
	mark mrA; mark mrB
	measured || { broken "10 and 2.5 Gb/s" ">= 0.95"; return 1; }
	changes mrA
	sound mrA mrB
	holds "10 and 2.5 Gb/s, of the sum" "$(ratio "$(of total steady_MB/s)" "$(calc "5 * $(kept one)")")" '>=' 0.95 '' \
		- "$(calc "5 * $(kept one)") MB/s"
}

for n in 1 2 4 8; do t "$n planes" equal $n; done
t "unequal planes" unequal
clear_all
tap_done
