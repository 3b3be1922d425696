#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdma-core's own pyverbs suite, as Debian ships it, on one of our devices. Its traffic goes
# from the device to itself. What fails must be named in pyverbs.expected.
# usage: pyverbs.sh [PATTERN...]   such as 'test_qp.*'
# runs-on: uml uml-debug
here=$(dirname "$(readlink -f "$0")")
. "$here/../lib/tap.sh"
. "$here/../lib/topo.sh"
. "$here/../lib/verbs.sh"
trap - EXIT # run_pyverbs.py prints the plan

from=/usr/share/doc/rdma-core/tests
[ -d $from ] || { echo "ok 1 - pyverbs # SKIP $from is not there: install python3-pyverbs"; echo 1..1; exit 0; }
# The tests' .py files are compressed, as documentation is.
work=$(mktemp -d)
cp -r $from "$work/tests"
find "$work/tests" -name '*.gz' -exec gunzip -f {} +

# The suite finds a device's netdev through its parent in sysfs, which a veth has not; here it
# looks into a directory of ours.
sed -i "s,/sys/class/infiniband/{}/device/net/,$work/net/{}/,g" "$work/tests/base.py"
mkdir -p "$work/net/mrA/va"
hosts
exec ip netns exec A /usr/bin/python3 "$here/../tools/run_pyverbs.py" "$work/tests" mrA \
	"$here/pyverbs.expected" "$@"
