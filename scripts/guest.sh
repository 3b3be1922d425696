# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Guest side of the test bed, process 1 in both UML and QEMU once the root file system
# stands (scripts/uml-init sources it, scripts/vm-init starts it): makes the place habitable, loads the module,
# runs the command, takes everything down again and reports what would not go.
#
# /run/bed is the run's directory on the host: 'settings' comes in, 'rc' and 'complaints'
# go out. Nothing in here may poll without sleeping: in simulated time that never ends.
set -u +e
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root TERM=dumb LANG=C.UTF-8
. /run/bed/settings

complain() { printf '%s\n' "$*" >>/run/bed/complaints; }

# The way out: UML's console, or the virtio port that has our name.
output() {
	local port n=50
	[ "$bed_out" = virtio ] || return 0
	while [ $((n--)) -gt 0 ]; do
		for port in /sys/class/virtio-ports/*; do
			[ "$(cat "$port/name" 2>/dev/null)" = bed ] || continue
			bed_out=/dev/${port##*/}
			return 0
		done
		sleep 0.1
	done
	bed_out=/dev/console
}

# What every machine has and a fresh kernel has not.
habitable() {
	ip link set lo up
	ln -s /proc/self/fd /dev/fd
	ln -s fd/0 /dev/stdin
	ln -s fd/1 /dev/stdout
	ln -s fd/2 /dev/stderr
	echo "$bed_kind" >/proc/sys/kernel/hostname
	ulimit -l unlimited
	ulimit -n 1048576
	ulimit -c 0
	# perftest reads the clock rate from here; UML has none.
	local cpus
	cpus=$(</proc/cpuinfo)
	[[ $cpus != *'cpu MHz'* ]] || return 0
	printf '%s\ncpu MHz\t\t: 1000.000\n' "$cpus" >/run/cpuinfo
	mount --bind /run/cpuinfo /proc/cpuinfo
}

# Our module by its usual names (modprobe, rdma link add), without indexing the
# kernel's whole module tree anew at each boot.
module_names() {
	{
		echo "alias rdma-link-metaroce metaroce"
		echo "install metaroce /sbin/insmod $bed_module \$CMDLINE_OPTS"
		echo "remove metaroce /sbin/rmmod metaroce"
	} >/etc/modprobe.d/metaroce-bed.conf
}

# The provider is found through a file that names it by its full path: the host's
# libibverbs directory is not touched (the root file system is a throw-away layer).
provider_names() {
	local so=$bed_top/build/provider/libmetaroce
	compgen -G "$so-rdmav*.so" >/dev/null || return 0
	mkdir -p /etc/libibverbs.d
	echo "driver $so" >/etc/libibverbs.d/metaroce.driver
}

load() {
	modprobe -aq "${bed_preload[@]}"
	provider_names
	[ -n "$bed_module" ] || return 0
	module_names
	insmod "$bed_module" || complain "metaroce.ko did not load"
}

run_command() {
	local v
	for v in "${bed_env[@]}"; do export "${v?}"; done
	export METAROCE_BED=$bed_kind METAROCE_SIM=$bed_sim METAROCE_DEBUG=$bed_debug
	export METAROCE_BUILD=$bed_top/build/$(uname -r) METAROCE_MODULE=$bed_module
	cd "$bed_cwd" && "${bed_cmd[@]}"
}

# bounded SECONDS CMD...: a stuck CMD (in the kernel, unkillable) must not stop us.
bounded() {
	local n=$(($1 * 10)) pid
	shift
	"$@" >/run/bounded 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		[ $((n--)) -gt 0 ] || { echo "still running" >>/run/bounded; return 124; }
		sleep 0.1
	done
	wait $pid
}

delete_links() {
	local dev
	for dev in /sys/class/infiniband/*; do
		[ -e "$dev" ] || continue
		bounded 20 rdma link del "${dev##*/}" ||
			complain "rdma link del ${dev##*/}: $(cat /run/bounded)"
	done
}

take_down() {
	local m
	kill -9 -1 2>/dev/null
	sleep 0.1
	delete_links
	bounded 20 ip -all netns delete || complain "ip netns delete: $(cat /run/bounded)"
	sleep 0.1
	delete_links
	for m in metaroce_kunit metaroce; do
		[ -e "/sys/module/$m" ] || continue
		[ "$m" = metaroce_kunit ] || leak_scan
		bounded 30 rmmod "$m" || complain "rmmod $m: $(cat /run/bounded)"
	done
}

# kmemleak believes in a leak only when the object is five seconds old.
leak_scan() {
	local f=/sys/kernel/debug/kmemleak
	[ -w $f ] || return 0
	echo scan=off >$f
	sleep 5.5
	echo scan >$f
	echo scan >$f
	cat $f >/run/leaks
	[ ! -s /run/leaks ] || { complain "kmemleak:"; cat /run/leaks >>/run/bed/complaints; }
	echo clear >$f
}

echo "bed: up" >/dev/kmsg # complaints count from here on
habitable
output
load
[ "$bed_kind" != uml ] || stty -F "$bed_out" raw -echo
run_command </dev/null >"$bed_out" 2>&1
rc=$?
take_down
leak_scan
[ "$bed_kind" != uml ] || stty -F "$bed_out" sane # returns when the last byte is out
echo $rc >/run/bed/rc.tmp
sync
mv /run/bed/rc.tmp /run/bed/rc
echo "$bed_off" >/proc/sysrq-trigger
sleep 60
