// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The net half of what the transport asks of its host: memory, random numbers, connection ids, held
 * packets; and the table of all host ops. Called by the transport under the association's lock, in
 * softirq or process context.
 */
#include <linux/mm.h>
#include <linux/netfilter.h>
#include <linux/slab.h>
#include "net.h"
#include "trace.h"
#include "transport/internal.h"

#define MROCE_HELD_SHARE	64	/* of memory, for held packets of one device (rule 8) */

static void *mroce_host_alloc(struct mroce_peer *peer, size_t size)
{
	return kzalloc(size, GFP_ATOMIC | __GFP_NOWARN);
}

static void mroce_host_free(struct mroce_peer *peer, void *p, size_t size)
{
	kfree(p);
}

static u32 mroce_host_random32(struct mroce_peer *peer)
{
	return get_random_u32();
}

/* --- connection ids ------------------------------------------------------------------------ */

const struct rhashtable_params mroce_conn_params = {
	.head_offset = offsetof(struct mroce_conn_entry, node),
	.key_offset = offsetof(struct mroce_conn_entry, id),
	.key_len = sizeof_field(struct mroce_conn_entry, id),
	.automatic_shrinking = true,
};

/* Random, so that nobody off the path guesses it [M12], and never zero. */
static int mroce_host_conn_register(struct mroce_conn *conn)
{
	struct mroce_assoc *a = to_assoc(conn->peer);
	struct mroce_conn_entry *e = kzalloc(sizeof(*e), GFP_ATOMIC | __GFP_NOWARN);
	int err;

	if (!e)
		return -ENOMEM;
	e->assoc = a;
	e->conn = conn;
	do {
		e->id = get_random_u32();
		if (e->id)
			err = rhashtable_lookup_insert_fast(&a->dev->net.conns, &e->node,
							    mroce_conn_params);
		else
			err = -EEXIST;
	} while (err == -EEXIST);
	if (err) {
		kfree(e);
		return err;
	}
	conn->rx_id = e->id;
	return 0;
}

static void mroce_host_conn_unregister(struct mroce_conn *conn)
{
	struct mroce_assoc *a = to_assoc(conn->peer);
	struct mroce_conn_entry *e;

	lockdep_assert_held(&a->lock);
	mroce_inbound_leave(conn);
	rcu_read_lock();
	e = rhashtable_lookup(&a->dev->net.conns, &conn->rx_id, mroce_conn_params);
	if (!WARN_ON_ONCE(!e || e->conn != conn)) {
		e->conn = NULL;
		rhashtable_remove_fast(&a->dev->net.conns, &e->node, mroce_conn_params);
		kfree_rcu(e, rcu);
	}
	rcu_read_unlock();
}

/* Receivers reach it only through the entry and under the lock: there is nobody to wait for. */
static void mroce_host_conn_free(struct mroce_peer *peer, struct mroce_conn *conn, size_t size)
{
	kfree(conn);
}

/* --- packets ------------------------------------------------------------------------------- */

static void mroce_host_copy_payload(void *cookie, u32 pkt_off, void *dst, u32 len)
{
	/* the transport asks only for what the length of the packet covers */
	WARN_ON_ONCE(skb_copy_bits(cookie, pkt_off, dst, len));
}

/* Over the cap all but what is next in its stream is refused, to be sent again later. */
static bool mroce_held_full(struct mroce_net *net)
{
	s64 cap = (s64)(totalram_pages() / MROCE_HELD_SHARE) << PAGE_SHIFT;

	return atomic64_read(&net->held) >= cap;
}

/*
 * The packet itself is kept, without what refers to its way in: routes, netdevs, conntrack entries
 * and sockets must be able to go while it waits.
 */
static struct mroce_held *mroce_host_hold(struct mroce_peer *peer, struct mroce_rx *rx)
{
	struct mroce_net *net = &to_assoc(peer)->dev->net;
	struct sk_buff *skb = rx->cookie;
	struct mroce_held *held;

	BUILD_BUG_ON(sizeof(struct mroce_held) > sizeof_field(struct sk_buff, cb));

	if (mroce_held_full(net))
		return NULL;
	skb = skb_shared(skb) ? skb_clone(skb, GFP_ATOMIC | __GFP_NOWARN) : skb_get(skb);
	if (!skb)
		return NULL;
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
	skb->dev = NULL;

	held = (struct mroce_held *)skb->cb;
	memset(held, 0, sizeof(*held));
	held->cost = skb->truesize;
	atomic64_add(held->cost, &net->held);
	return held;
}

static void *mroce_host_held_cookie(struct mroce_held *held)
{
	return container_of((void *)held, struct sk_buff, cb);
}

static void mroce_host_release(struct mroce_peer *peer, struct mroce_held *held)
{
	atomic64_sub(held->cost, &to_assoc(peer)->dev->net.held);
	consume_skb(mroce_host_held_cookie(held));
}

/* --- tracing ------------------------------------------------------------------------------- */

static void mroce_host_path_event(const struct mroce_path *p, enum mroce_path_event ev, u32 n)
{
	switch (ev) {
	case MROCE_PATH_EV_LOSS:
	case MROCE_PATH_EV_PROBE:
		trace_metaroce_loss(p, ev, n);
		break;
	case MROCE_PATH_EV_RTO:
	case MROCE_PATH_EV_UNDONE:
		trace_metaroce_rto(p, ev, n);
		break;
	default:
		trace_metaroce_path_state(p, ev, n);
	}
}

const struct mroce_host_ops mroce_host_ops = {
	.alloc = mroce_host_alloc,
	.free = mroce_host_free,
	.random32 = mroce_host_random32,
	.conn_register = mroce_host_conn_register,
	.conn_unregister = mroce_host_conn_unregister,
	.conn_free = mroce_host_conn_free,
	.conn_routes = mroce_host_conn_routes,
	.rx_share = mroce_host_rx_share,
	.path_event = mroce_host_path_event,
	.stream_find = mroce_host_stream_find,
	.send_done = mroce_host_send_done,
	.recv_done = mroce_host_recv_done,
	.stream_failed = mroce_host_stream_failed,
	.established = mroce_host_established,
	.sq_drained = mroce_host_sq_drained,
	.local_op = mroce_host_local_op,
	.recv_bind = mroce_host_recv_bind,
	.recv_unbind = mroce_host_recv_unbind,
	.recv_limit = mroce_host_recv_limit,
	.rnr_timer = mroce_host_rnr_timer,
	.mr_check = mroce_host_mr_check,
	.place = mroce_host_place,
	.place_recv = mroce_host_place_recv,
	.place_resp = mroce_host_place_resp,
	.place_atomic = mroce_host_place_atomic,
	.atomic = mroce_host_atomic,
	.invalidate = mroce_host_invalidate,
	.copy_payload = mroce_host_copy_payload,
	.hold = mroce_host_hold,
	.held_cookie = mroce_host_held_cookie,
	.release = mroce_host_release,
};
