// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The net half of a device: its tables, their birth and end, and the counters. Called by
 * kernel/verbs when a link is added and deleted, and by rdma netlink for statistics; process
 * context.
 */
#include <linux/if_arp.h>
#include <linux/mutex.h>
#include <rdma/ib_addr.h>
#include "net.h"
#include "trace.h"

#ifndef MROCE_NPATHS
#define MROCE_NPATHS		16
#endif
#define MROCE_MSN_WINDOW	1024
#define MROCE_HELD_CAP		(4 << 20)
#define MROCE_REAP_EVERY	(5 * HZ)

/* All devices, for netdev events. */
static LIST_HEAD(mroce_nets);
static DEFINE_MUTEX(mroce_nets_lock);

static void mroce_reaper(struct work_struct *work)
{
	struct mroce_net *net = container_of(to_delayed_work(work), struct mroce_net, reaper);
	struct mroce_dev *dev = container_of(net, struct mroce_dev, net);
	bool more;

	mroce_assoc_reap(dev, false);
	spin_lock_bh(&net->lock);
	more = !list_empty(&net->assoc_list);
	spin_unlock_bh(&net->lock);
	if (more)
		queue_delayed_work(dev->wq, &net->reaper, MROCE_REAP_EVERY);
}

/*
 * The payload offered is what the widest link could bring, not what this device's netdev can: with
 * planes, packets come in over other interfaces. Each association lowers it to what its own routes
 * carry.
 */
static void mroce_set_limits(struct mroce_limits *l)
{
	l->instance = get_random_u64();		/* [M15] */
	l->max_payload = MROCE_MAX_PAYLOAD;
	l->npaths = MROCE_NPATHS;
	l->psn_window = MROCE_MAX_PSN_WINDOW;
	l->msn_window = MROCE_MSN_WINDOW;
	l->held_cap = MROCE_HELD_CAP;
}

/**
 * mroce_net_init() - prepare the net half of @dev
 * @dev:	zeroed, with its work queue; not registered yet
 *
 * Opens no socket: that is add_gid's.
 *
 * Return: 0 or -ENOMEM.
 */
int mroce_net_init(struct mroce_dev *dev)
{
	struct mroce_net *net = &dev->net;
	int err;

	spin_lock_init(&net->lock);
	INIT_LIST_HEAD(&net->assoc_list);
	INIT_LIST_HEAD(&net->socks);
	INIT_DELAYED_WORK(&net->reaper, mroce_reaper);
	get_random_bytes(&net->cookie_key, sizeof(net->cookie_key));
	net->answers_until = jiffies;
	mroce_set_limits(&net->limits);

	err = rhashtable_init(&net->conns, &mroce_conn_params);
	if (err)
		return err;
	err = rhashtable_init(&net->assocs, &mroce_assoc_params);
	if (err) {
		rhashtable_destroy(&net->conns);
		return err;
	}

	mroce_inbound_init(dev);
	mutex_lock(&mroce_nets_lock);
	list_add_tail(&net->link, &mroce_nets);
	mutex_unlock(&mroce_nets_lock);
	return 0;
}

/**
 * mroce_net_destroy() - undo mroce_net_init()
 * @dev:	no QP is left, and ib_core has deleted every GID
 *
 * In stages, each of which relies on the one before:
 *
 *  1. No netdev event finds the device.
 *  2. Every GID is deleted, so every socket is closed, and closing waited for its receivers and
 *     transmitters: no packet comes in, none is on its way out through our code. What is queued
 *     below IP refers to nothing of ours.
 *  3. The reaper is stopped. Without packets and QPs nobody makes associations, so none starts it
 *     again.
 *  4. All associations are torn down (assoc.c has that argument): no timer, no work. Their last
 *     references to sockets go, and with them the entries of the list.
 *  5. The look at the links' speeds is stopped, which ACKs start: their timers ran until now.
 *  6. Nobody can look into the tables: they are freed. What went through kfree_rcu() needs no code
 *     of ours.
 */
void mroce_net_destroy(struct mroce_dev *dev)
{
	struct mroce_net *net = &dev->net;

	mutex_lock(&mroce_nets_lock);
	list_del(&net->link);
	mutex_unlock(&mroce_nets_lock);

	cancel_delayed_work_sync(&net->reaper);
	mroce_assoc_reap(dev, true);
	mroce_inbound_stop(dev);

	WARN_ON(!list_empty(&net->socks));
	rhashtable_destroy(&net->assocs);
	rhashtable_destroy(&net->conns);
}

void mroce_net_netdev_gone(struct net_device *ndev)
{
	struct mroce_net *net;

	mutex_lock(&mroce_nets_lock);
	list_for_each_entry(net, &mroce_nets, link)
		mroce_sock_netdev_gone(container_of(net, struct mroce_dev, net), ndev);
	mutex_unlock(&mroce_nets_lock);
}

/**
 * mroce_net_counters() - what `rdma statistic` shows
 * @dev:	device
 * @sum:	MROCE_CNT_MAX values
 *
 * Counters of live associations are read without their locks: each is one aligned word, and only
 * ever grows.
 */
void mroce_net_counters(struct mroce_dev *dev, u64 *sum)
{
	struct mroce_net *net = &dev->net;
	struct mroce_assoc *a;
	int i;

	spin_lock_bh(&net->lock);
	for (i = 0; i < MROCE_CNT_MAX; i++)
		sum[i] = atomic64_read(&net->drops[i]);
	list_for_each_entry(a, &net->assoc_list, dev_link)
		for (i = 0; i < MROCE_CNT_MAX; i++)
			sum[i] += READ_ONCE(a->core.stats[i]);
	spin_unlock_bh(&net->lock);
}

void mroce_count_drop(struct mroce_dev *dev, enum mroce_counter c)
{
	atomic64_inc(&dev->net.drops[c]);
	trace_metaroce_drop(dev, c);
}

u32 mroce_net_mtu(struct mroce_dev *dev)
{
	return iboe_get_mtu(READ_ONCE(dev->netdev->mtu)) ?: IB_MTU_256;
}
