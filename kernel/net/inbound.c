// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What comes in: the speed of the links that bring it (transport/inlinks.c), and who may send how
 * much of that (transport/share.c). A device receives over its own netdev, and with planes over
 * others. Connections of all associations share them, so this has a lock of its own, taken once per
 * ACK.
 *
 * A speed can only be asked for under RTNL, so a work asks: soon after an interface was met for the
 * first time, and then every second while packets come in. It waits for RTNL, so it is on no queue
 * that memory reclaim may wait for.
 */
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/rtnetlink.h>
#include "net.h"
#include "transport/internal.h"

#define MROCE_LOOK_DELAY	HZ
#define MROCE_LOOK_DELAY_SOON	(HZ / 100 + 1)	/* enough to see what an interface brings */
#define MROCE_MBPS		(1000000 / 8)	/* bytes per second */
#define MROCE_MAX_MBPS		100000000

/*
 * Devices are believed, and what bundles them. What is only software tells some number (veth and
 * tun), or that of the NIC below, over which not all of it comes (bridge, macvlan).
 */
static u64 mroce_link_speed(struct net_device *ndev)
{
	struct ethtool_link_ksettings ks;

	if (!ndev->dev.parent && !netif_is_lag_master(ndev))
		return 0;
	if (__ethtool_get_link_ksettings(ndev, &ks) || ks.base.speed == (u32)SPEED_UNKNOWN)
		return 0;
	return (u64)ks.base.speed * MROCE_MBPS;
}

/* What is not there has no speed. A VLAN is a view of the interface below. */
static struct mroce_link_speed mroce_link_at(struct net *net, u32 ifindex)
{
	struct mroce_link_speed at = { .ifindex = ifindex, .below = ifindex };
	struct net_device *ndev = __dev_get_by_index(net, ifindex);

	ASSERT_RTNL();
	if (!ndev)
		return at;
	if (is_vlan_dev(ndev))
		ndev = vlan_dev_real_dev(ndev);
	at.below = ndev->ifindex;
	at.speed = mroce_link_speed(ndev);
	return at;
}

/* Only mroce_inlinks_look() removes entries, so their places hold while the lock is not held. */
static bool mroce_inbound_look(struct mroce_dev *dev)
{
	struct mroce_inbound *in = &dev->net.inbound;
	struct mroce_link_speed at[MROCE_MAX_INLINKS];
	u32 i, n;
	bool more;

	spin_lock_bh(&in->lock);
	n = in->links.n;
	for (i = 0; i < n; i++)
		at[i].ifindex = in->links.link[i].at.ifindex;
	spin_unlock_bh(&in->lock);

	for (i = 0; i < n; i++)
		at[i] = mroce_link_at(dev_net(dev->netdev), at[i].ifindex);

	spin_lock_bh(&in->lock);
	more = mroce_inlinks_look(&in->links, at, n);
	spin_unlock_bh(&in->lock);
	return more;
}

static void mroce_inbound_work(struct work_struct *work)
{
	struct mroce_inbound *in = container_of(to_delayed_work(work), struct mroce_inbound, work);
	struct mroce_dev *dev = container_of(in, struct mroce_dev, net.inbound);
	bool more;

	rtnl_lock();
	more = mroce_inbound_look(dev);
	rtnl_unlock();
	if (more)
		queue_delayed_work(system_unbound_wq, &in->work, MROCE_LOOK_DELAY);
}

static void mroce_look(struct mroce_inbound *in, enum mroce_look look)
{
	if (look == MROCE_LOOK_LATER)
		queue_delayed_work(system_unbound_wq, &in->work, MROCE_LOOK_DELAY);
	if (look == MROCE_LOOK_SOON)
		mod_delayed_work(system_unbound_wq, &in->work, MROCE_LOOK_DELAY_SOON);
}

/**
 * mroce_host_rx_share() - the transport's rx_share op
 * @conn:	connection
 * @d:		what came of it since it last asked
 * @now:	current time, ns
 *
 * Interfaces are looked for in the namespace of the device's netdev. Packets of a GID that is in
 * another one (of a VLAN that was moved) are not counted.
 *
 * Return: bytes per second that it may send, 0: no limit
 */
u64 mroce_host_rx_share(struct mroce_conn *conn, const struct mroce_demand *d, u64 now)
{
	struct mroce_assoc *a = to_assoc(conn->peer);
	struct mroce_inbound *in = &a->dev->net.inbound;
	enum mroce_look look;
	u64 rate;

	lockdep_assert_held(&a->lock);
	if (!d->ifindex || a->sock->net != dev_net(a->dev->netdev))
		return 0;
	spin_lock(&in->lock);
	rate = mroce_inlinks_note(&in->links, &conn->share, d, now, &look);
	spin_unlock(&in->lock);
	mroce_look(in, look);
	return rate;
}

/**
 * mroce_inbound_leave() - @conn sends no more
 * @conn:	connection
 */
void mroce_inbound_leave(struct mroce_conn *conn)
{
	struct mroce_inbound *in = &to_assoc(conn->peer)->dev->net.inbound;

	spin_lock(&in->lock);
	mroce_share_leave(&in->links.share, &conn->share);
	spin_unlock(&in->lock);
}

/**
 * mroce_inbound_init() - nothing has come in yet
 * @dev:	device; mroce_inbound_stop() must follow
 *
 * Most will come over its own netdev: its speed is asked for now.
 */
void mroce_inbound_init(struct mroce_dev *dev)
{
	struct mroce_inbound *in = &dev->net.inbound;

	spin_lock_init(&in->lock);
	mroce_inlinks_init(&in->links, dev->netdev->ifindex);
	INIT_DELAYED_WORK(&in->work, mroce_inbound_work);
	queue_delayed_work(system_unbound_wq, &in->work, 0);
}

/**
 * mroce_inbound_stop() - no more looks
 * @dev:	device, without associations: nobody asks for one any more
 */
void mroce_inbound_stop(struct mroce_dev *dev)
{
	cancel_delayed_work_sync(&dev->net.inbound.work);
}

/* --- /sys/class/infiniband/DEV/inbound_mbps: what the links bring, where they do not tell --- */

static ssize_t inbound_mbps_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct mroce_dev *dev = rdma_device_to_drv_device(device, struct mroce_dev, ib);

	return sysfs_emit(buf, "%llu\n",
			  div_u64(READ_ONCE(dev->net.inbound.links.stated), MROCE_MBPS));
}

static ssize_t inbound_mbps_store(struct device *device, struct device_attribute *attr,
				  const char *buf, size_t count)
{
	struct mroce_dev *dev = rdma_device_to_drv_device(device, struct mroce_dev, ib);
	struct mroce_inbound *in = &dev->net.inbound;
	u32 mbps;

	if (kstrtou32(buf, 0, &mbps) || mbps > MROCE_MAX_MBPS)
		return -EINVAL;
	spin_lock_bh(&in->lock);
	mroce_inlinks_state(&in->links, (u64)mbps * MROCE_MBPS);
	spin_unlock_bh(&in->lock);
	return count;
}

static DEVICE_ATTR_RW(inbound_mbps);

static struct attribute *mroce_inbound_attrs[] = {
	&dev_attr_inbound_mbps.attr,
	NULL
};

const struct attribute_group mroce_dev_attrs = {
	.attrs = mroce_inbound_attrs,
};
