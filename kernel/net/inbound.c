// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What comes in: the speed of the links that bring it, and who may send how much of that
 * (transport/share.c). A device receives over its own netdev, and with planes over others; their
 * speeds add up. Connections of all associations share them, so this has a lock of its own, taken
 * once per ACK.
 *
 * A speed can only be asked for under RTNL, so a work asks: when an interface is met for the first
 * time, and then every second while packets come in.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include "net.h"
#include "transport/internal.h"

#define MROCE_LOOK_EVERY	HZ
#define MROCE_MBPS		(1000000 / 8)	/* bytes per second */

/* 0: a link that does not tell, or that is not there */
static u64 mroce_link_speed(struct net *net, u32 ifindex)
{
	struct net_device *ndev = __dev_get_by_index(net, ifindex);
	struct ethtool_link_ksettings ks;

	ASSERT_RTNL();
	if (!ndev || __ethtool_get_link_ksettings(ndev, &ks) ||
	    ks.base.speed == (u32)SPEED_UNKNOWN)
		return 0;
	return (u64)ks.base.speed * MROCE_MBPS;
}

/*
 * Learn the speeds, and forget interfaces that bring nothing while others do. Only this removes
 * entries, so their places hold while the lock is not held. True if there were packets.
 */
static bool mroce_inbound_look(struct mroce_dev *dev)
{
	struct mroce_inbound *in = &dev->net.inbound;
	u32 ifindex[MROCE_MAX_INBOUND], i, n;
	u64 speed[MROCE_MAX_INBOUND], sum = 0;
	bool any = false;

	spin_lock_bh(&in->lock);
	n = in->n;
	for (i = 0; i < n; i++)
		ifindex[i] = in->link[i].ifindex;
	spin_unlock_bh(&in->lock);

	for (i = 0; i < n; i++)
		speed[i] = mroce_link_speed(dev_net(dev->netdev), ifindex[i]);

	spin_lock_bh(&in->lock);
	for (i = 0; i < n; i++) {
		in->link[i].speed = speed[i];
		any |= in->link[i].used;
	}
	for (i = n; i-- && any;)
		if (!in->link[i].used)
			in->link[i] = in->link[--in->n];
	for (i = 0; i < in->n; i++) {
		sum += in->link[i].speed;
		in->link[i].used = false;
	}
	mroce_share_speed(&in->share, sum);
	spin_unlock_bh(&in->lock);
	return any;
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
		queue_delayed_work(dev->wq, &in->work, MROCE_LOOK_EVERY);
}

/* The link that a packet came over, or NULL when there are too many. */
static struct mroce_inbound_link *mroce_inbound_link(struct mroce_dev *dev, u32 ifindex)
	__must_hold(&dev->net.inbound.lock)
{
	struct mroce_inbound *in = &dev->net.inbound;
	struct mroce_inbound_link *l;

	for (l = in->link; l < in->link + in->n; l++) {
		if (l->ifindex != ifindex)
			continue;
		if (!l->used)
			queue_delayed_work(dev->wq, &in->work, MROCE_LOOK_EVERY);
		l->used = true;
		return l;
	}
	if (in->n == MROCE_MAX_INBOUND)
		return NULL;
	*l = (struct mroce_inbound_link){ .ifindex = ifindex, .used = true };
	in->n++;
	mod_delayed_work(dev->wq, &in->work, 0);
	return l;
}

/**
 * mroce_host_rx_share() - the transport's rx_share op
 * @conn:	connection
 * @d:		what came of it since it last asked
 * @now:	current time, ns
 *
 * Interfaces are looked for in the namespace of the device's netdev. Packets of a GID that is in
 * another one (of a VLAN that was moved) are not counted, as those that come over links of unknown
 * speed.
 *
 * Return: bytes per second that it may send, 0: no limit
 */
u64 mroce_host_rx_share(struct mroce_conn *conn, const struct mroce_demand *d, u64 now)
{
	struct mroce_assoc *a = to_assoc(conn->peer);
	struct mroce_inbound *in = &a->dev->net.inbound;
	struct mroce_inbound_link *l;
	u64 rate = 0;

	lockdep_assert_held(&a->lock);
	if (!d->ifindex || a->sock->net != dev_net(a->dev->netdev))
		return 0;
	spin_lock(&in->lock);
	l = mroce_inbound_link(a->dev, d->ifindex);
	if (l && l->speed)
		rate = mroce_share_note(&in->share, &conn->share, d, now);
	spin_unlock(&in->lock);
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
	mroce_share_leave(&in->share, &conn->share);
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
	mroce_share_init(&in->share);
	INIT_DELAYED_WORK(&in->work, mroce_inbound_work);
	in->link[0].ifindex = dev->netdev->ifindex;
	in->n = 1;
	queue_delayed_work(dev->wq, &in->work, 0);
}

/**
 * mroce_inbound_stop() - no more looks
 * @dev:	device, to which no packets come any more
 */
void mroce_inbound_stop(struct mroce_dev *dev)
{
	cancel_delayed_work_sync(&dev->net.inbound.work);
}
