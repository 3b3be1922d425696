/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the two kernel halves of the driver share: kernel/verbs (ib_device, objects, rings,
 * completions) and kernel/net (sockets, routes, transmit, receive, the timer). Between them and
 * kernel/transport stands one object, struct mroce_assoc: a transport peer with its lock, its timer
 * and its transmitter.
 *
 * Flow of a send: verbs copies WQEs -> mroce_assoc_lock() -> mroce_stream_post() ->
 * mroce_assoc_unlock(), which pumps.
 *
 * Flow of a receive: net finds the connection -> mroce_assoc_lock() -> mroce_conn_input() -> host
 * ops in verbs place data and write CQEs -> mroce_assoc_unlock() pumps, transmits, then delivers
 * the collected events.
 */
#ifndef MROCE_DRIVER_H
#define MROCE_DRIVER_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include "transport/transport.h"

struct mroce_dev;
struct mroce_sock;
struct mroce_qp;

/**
 * struct mroce_inbound - the links that bring packets, and how they are divided
 * @lock:	guards @links; a leaf, inside the associations' locks
 * @links:	with the connections that send
 * @work:	looks at the speeds every second while packets come in; on the system's queue
 */
struct mroce_inbound {
	spinlock_t lock;	/* @links */
	struct mroce_inlinks links;
	struct delayed_work work;
};

/**
 * struct mroce_net - the part of a device that kernel/net owns
 * @conns:	connection entries by the id that packets to us carry (RCU readers, writers under
 *		the association's lock)
 * @assocs:	associations by socket and remote GID (RCU readers, writers under @lock)
 * @assoc_list:	the same associations, mroce_assoc.dev_link; under @lock
 * @socks:	one socket per GID, mroce_sock.link; under @lock
 * @lock:	guards the lists and insertion; see kernel/net/net.h for the order
 * @limits:	what every association of this device offers; constant
 * @half_open:	passive connections not confirmed yet (rule 39)
 * @held:	bytes of packets that wait for their turn, of all peers (rule 8)
 * @inbound:	what comes in, and who may send how much of it
 * @cookie_key:	for stateless CONNECT answers; constant
 * @answers_left:	stateless answers that may still be sent in this window
 * @answers_until:	when the window ends, jiffies
 * @link:	in the list of all devices, through which netdev events come
 * @reaper:	frees associations that nobody needs
 * @drops:	what was counted outside any association, and the counters of associations that
 *		are gone
 */
struct mroce_net {
	struct rhashtable conns;
	struct rhashtable assocs;
	struct list_head assoc_list;
	struct list_head socks;
	spinlock_t lock;	/* lists, insertion */
	struct mroce_limits limits;
	atomic_t half_open;
	atomic64_t held;
	struct mroce_inbound inbound;
	siphash_key_t cookie_key;
	atomic_t answers_left;
	unsigned long answers_until;
	struct list_head link;
	struct delayed_work reaper;
	atomic64_t drops[MROCE_CNT_MAX];
};

/**
 * struct mroce_dev - one RDMA device
 * @ib:		first; freed through ib_dealloc_device()
 * @netdev:	held from link add until the ib_device is destroyed
 * @net:	kernel/net's part
 * @netdev_tracker: of the reference to @netdev
 * @qps:	QP by number, RCU readers
 * @mrs:	regions and windows by the index in their key, RCU readers
 * @ahs:	address vectors by the number that user space puts into its WQEs, RCU readers
 * @n_mrs:	regions and windows that there are
 * @n_qps:	QPs that there are
 * @n_ahs:	address handles that there are
 * @next_qpn:	where the search for a free number in @qps goes on
 * @next_ah:	the same for @ahs
 * @wq:		WQ_MEM_RECLAIM; work that may not run where it was found
 * @rescan:	has ib_core look for new addresses; a user of @ib while it is queued
 */
struct mroce_dev {
	struct ib_device ib;
	struct net_device *netdev;
	netdevice_tracker netdev_tracker;
	struct mroce_net net;

	struct xarray qps;
	struct xarray mrs;
	struct xarray ahs;
	atomic_t n_mrs;
	atomic_t n_qps;
	atomic_t n_ahs;
	u32 next_qpn;
	u32 next_ah;
	struct workqueue_struct *wq;
	struct work_struct rescan;
};

static inline struct mroce_dev *to_mdev(struct ib_device *ib)
{
	return container_of(ib, struct mroce_dev, ib);
}

/* Egress interfaces that one association can use; more nexthops than that are not asked */
#define MROCE_MAX_EGRESS	16

/**
 * struct mroce_egress - one way out to the peer
 * @ifindex:	interface; 0: whatever the routing table says
 * @cookie:	of @dst
 * @dst:	cached route, or NULL
 */
struct mroce_egress {
	u32 ifindex;
	u32 cookie;
	struct dst_entry *dst;
};

/**
 * struct mroce_assoc - a transport peer in the kernel
 * @core:	the transport's; guarded by @lock
 * @lock:	the one data path lock; BHs off. Taken with a consumer's locks held or without,
 *		never with a lock of a CQ, SQ, RQ or SRQ, which are taken inside it
 * @dev:	device; an association never outlives it
 * @sock:	socket of the local GID, referenced
 * @gids:	local and remote GID (v4-mapped for IPv4); with @sock the key
 * @node:	in net.assocs
 * @dev_link:	in net.assoc_list, under net.lock
 * @ref:	QPs bound, plus one for the table, which alone takes it to zero
 * @timer:	the only timer; fires in softirq
 * @timer_at:	when it fires, ns; ~0: not armed; under @lock
 * @work:	pumps when a budget was spent, when transmission was found in the wrong context,
 *		and to deliver events there
 * @tx_owner:	somebody transmits for this association (rule 17); under @lock
 * @gone:	destroyed: a receiver that is still on its way out, without a reference, queues no
 *		work any more; under @lock
 * @routes_stale: a cached route is no longer valid: ask again after this burst; under @lock
 * @half_open:	what of core.half_open is in net.half_open; under @lock
 * @tx_cpu:	whose transmit queue the packets take (rule 17); constant
 * @tx_salt:	of the per-path packet hash; constant
 * @events:	completions and QP events to deliver after unlock: list of struct mroce_event,
 *		under @lock
 * @egress_any:	the route for an interface that is not in @egress; under @lock
 * @egress:	ways out, under @lock
 * @n_egress:	entries in @egress
 * @frag:	page that large payloads are cut from, under @lock
 * @tx:		the packet that is being built, under @lock
 * @rcu:	frees it after the last reader that found it in a table
 */
struct mroce_assoc {
	struct mroce_peer core;
	spinlock_t lock;	/* the data path */
	struct mroce_dev *dev;
	struct mroce_sock *sock;
	struct mroce_assoc_key {
		union ib_gid local;
		union ib_gid remote;
	} gids;
	struct rhash_head node;
	struct list_head dev_link;
	refcount_t ref;
	struct hrtimer timer;
	u64 timer_at;
	struct work_struct work;
	bool tx_owner;
	bool gone;
	bool routes_stale;
	u32 half_open;
	u32 tx_cpu;
	u32 tx_salt;
	struct list_head events;
	struct mroce_egress egress_any;
	struct mroce_egress egress[MROCE_MAX_EGRESS];
	u32 n_egress;
	struct page_frag frag;
	struct mroce_tx tx;
	struct rcu_head rcu;
};

static inline struct mroce_assoc *to_assoc(struct mroce_peer *peer)
{
	return container_of(peer, struct mroce_assoc, core);
}

/**
 * struct mroce_event - something to tell the consumer once no lock is held
 * @link:	in mroce_assoc.events, then on a list of the context that delivers
 * @deliver:	runs in softirq or process context without locks and drops the reference that
 *		queueing took
 *
 * Embedded in CQs, QPs and SRQs; queued at most once, which its owner ensures by a flag of its own:
 * set before the event is put on a list, cleared by @deliver in one step with a look at what is to
 * be told.
 * @link belongs to kernel/net in between, and is off every list when @deliver is called.
 */
struct mroce_event {
	struct list_head link;
	void (*deliver)(struct mroce_event *ev);
};

/**
 * enum mroce_ctx - from where an association is unlocked
 * @MROCE_CTX_RX:	softirq, or process context with no consumer's lock: events are delivered
 *			here
 * @MROCE_CTX_POST:	a consumer's call that may hold its locks: events go to the work
 */
enum mroce_ctx {
	MROCE_CTX_RX,
	MROCE_CTX_POST,
};

/* --- kernel/net, called by kernel/verbs ------------------------------- */

/* ib_device_ops.device_group: what people may set in sysfs */
extern const struct attribute_group mroce_dev_attrs;

int mroce_net_init(struct mroce_dev *dev);	/* before the device is registered */
void mroce_net_destroy(struct mroce_dev *dev);	/* when no QP is left */

/* ib_device_ops.add_gid/del_gid: one socket per GID, in the netns of attr->ndev (rule 22) */
int mroce_net_add_gid(const struct ib_gid_attr *attr, void **context);
int mroce_net_del_gid(const struct ib_gid_attr *attr, void **context);

/*
 * From the module's netdevice notifier, NETDEV_UNREGISTER of any netdev (RTNL is held): closes the
 * sockets of GIDs that are on it, in every device. ib_core deletes the GIDs too, but later, when
 * the network namespace may be gone.
 */
void mroce_net_netdev_gone(struct net_device *ndev);

/*
 * find or create, referenced; process context. ERR_PTR(-ENODEV) if the GID has no socket, -ENOMEM
 */
struct mroce_assoc *mroce_assoc_get(struct mroce_dev *dev, const struct ib_gid_attr *local,
				    const union ib_gid *remote);
void mroce_assoc_put(struct mroce_assoc *a);

/* BHs off */
void mroce_assoc_lock(struct mroce_assoc *a)
	__acquires(&a->lock);
/* pump, transmit, re-arm, deliver */
void mroce_assoc_unlock(struct mroce_assoc *a, enum mroce_ctx ctx)
	__releases(&a->lock);
void mroce_deliver(struct list_head *events);

/**
 * struct mroce_dgram - a UD or GSI message to be sent
 * @sgid:	local GID, whose socket sends it
 * @dgid:	where to
 * @tclass:	traffic class
 * @hop_limit:	as in the AH
 * @pkey:	of the sender
 * @dst_qpn:	destination QPN
 * @src_qpn:	sender's QPN
 * @qkey:	of the destination
 * @imm:	as on the wire, if @has_imm
 * @has_imm:	it carries an immediate
 * @solicited:	raise a solicited event there
 * @len:	payload bytes
 * @gather:	copies the whole payload to dst; 0 or -errno
 * @arg:	first argument of @gather
 *
 * The caller's, for the call.
 */
struct mroce_dgram {
	const struct ib_gid_attr *sgid;
	union ib_gid dgid;
	u8 tclass;
	u8 hop_limit;
	u16 pkey;
	u32 dst_qpn;
	u32 src_qpn;
	u32 qkey;
	u32 imm;
	bool has_imm;
	bool solicited;
	u32 len;
	int (*gather)(void *arg, void *dst, u32 len);
	void *arg;
};

int mroce_net_dgram_send(struct mroce_dev *dev, const struct mroce_dgram *d);

/* sum of all counters into @sum[MROCE_CNT_MAX] */
void mroce_net_counters(struct mroce_dev *dev, u64 *sum);
void mroce_count_drop(struct mroce_dev *dev, enum mroce_counter c);

/* IB MTU enum and speed of the netdev, as reported by query_port */
u32 mroce_net_mtu(struct mroce_dev *dev);

/* --- kernel/verbs, called by kernel/net ------------------------------- */

/* The verbs half of mroce_host_ops: same contracts as there. kernel/net completes the table. */
struct mroce_stream *mroce_host_stream_find(struct mroce_peer *peer, u32 qpn);
void mroce_host_send_done(struct mroce_stream *s, struct mroce_msg *msg, u8 status);
void mroce_host_recv_done(struct mroce_stream *s, struct mroce_recv *recv,
			  const struct mroce_recv_info *info);
void mroce_host_stream_failed(struct mroce_stream *s, enum mroce_fail why);
void mroce_host_established(struct mroce_stream *s);
void mroce_host_sq_drained(struct mroce_stream *s);
u8 mroce_host_local_op(struct mroce_stream *s, struct mroce_msg *msg);
struct mroce_recv *mroce_host_recv_bind(struct mroce_stream *s, u32 rsn);
void mroce_host_recv_unbind(struct mroce_stream *s, struct mroce_recv *recv);
u32 mroce_host_recv_limit(struct mroce_stream *s, bool *unlimited);
u8 mroce_host_rnr_timer(struct mroce_stream *s);
int mroce_host_mr_check(struct mroce_stream *s, u32 rkey, u64 addr, u32 len, unsigned int acc);
int mroce_host_place(struct mroce_stream *s, u32 rkey, u64 addr, void *cookie, u32 pkt_off, u32 len,
		     bool relaxed);
int mroce_host_place_recv(struct mroce_stream *s, struct mroce_recv *recv, u32 offset, void *cookie,
			  u32 pkt_off, u32 len);
int mroce_host_place_resp(struct mroce_stream *s, struct mroce_msg *msg, u32 offset, void *cookie,
			  u32 pkt_off, u32 len);
int mroce_host_place_atomic(struct mroce_stream *s, struct mroce_msg *msg, u64 old);
int mroce_host_atomic(struct mroce_stream *s, u8 opcode, u32 rkey, u64 addr, u64 compare,
		      u64 swap_add, u64 *old);
int mroce_host_invalidate(struct mroce_stream *s, u32 rkey);

/*
 * copy the payload of @tx to @dst (MROCE_SRC_MSG or MROCE_SRC_MR); -errno: the region cannot be
 * read any more
 */
int mroce_host_gather(struct mroce_tx *tx, void *dst);

/*
 * A DATAGRAM arrived (softirq). @skb's data starts at the mroce_datagram; the network header is
 * valid, for the GRH. The callee counts drops; the caller frees @skb. @dev's local GID @local
 * received it.
 */
void mroce_ud_input(struct mroce_dev *dev, struct sk_buff *skb, const union ib_gid *local,
		    const union ib_gid *remote);

#endif /* MROCE_DRIVER_H */
