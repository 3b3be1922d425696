// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Associations: life, lock, timer, work, and the pump that follows every call into the transport.
 * QPs hold references from process context; the receive path makes associations in softirq context.
 *
 * Who drives an association: a receiver (softirq), the timer (softirq), the work (process context),
 * and posters (any context that may take BH locks). Each locks, calls the transport, and unlocks
 * with mroce_assoc_unlock(), which does the rest: it transmits what there is to send, arms the
 * timer, and delivers the events that the call collected.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include "net.h"
#include "transport/internal.h"

#define MROCE_TX_BATCH		16	/* packets built in one go under the lock */
#define MROCE_TX_BUDGET		64	/* packets sent by one unlock; the work goes on */

/* --- lookup -------------------------------------------------------------------------------- */

/*
 * The key for a lookup: what mroce_assoc.gids holds, and the socket, of which two may have the same
 * GID.
 */
struct mroce_assoc_want {
	struct mroce_assoc_key gids;
	const struct mroce_sock *sock;
};

static int mroce_assoc_cmp(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct mroce_assoc_want *want = arg->key;
	const struct mroce_assoc *a = obj;

	return a->sock != want->sock || memcmp(&a->gids, &want->gids, sizeof(a->gids));
}

const struct rhashtable_params mroce_assoc_params = {
	.head_offset = offsetof(struct mroce_assoc, node),
	.key_offset = offsetof(struct mroce_assoc, gids),
	.key_len = sizeof_field(struct mroce_assoc, gids),
	.obj_cmpfn = mroce_assoc_cmp,
	.automatic_shrinking = true,
};

/* The association of @ms and @remote, referenced, or NULL. */
struct mroce_assoc *mroce_assoc_find(struct mroce_sock *ms, const union ib_gid *remote)
{
	struct mroce_assoc_want want = {
		.gids = { .local = ms->gid, .remote = *remote },
		.sock = ms,
	};
	struct mroce_assoc *a;

	rcu_read_lock();
	a = rhashtable_lookup(&ms->dev->net.assocs, &want, mroce_assoc_params);
	if (a && !refcount_inc_not_zero(&a->ref))
		a = NULL;
	rcu_read_unlock();
	return a;
}

/* Is @id what our packets to the peer carry? For packets that come back to us (rx.c). */
bool mroce_assoc_sends_id(struct mroce_assoc *a, u32 id)
{
	struct mroce_conn *conn;
	bool found = false;

	spin_lock_bh(&a->lock);
	list_for_each_entry(conn, &a->core.conns, link)
		if (conn->has_peer && conn->tx_id == id) {
			found = true;
			break;
		}
	spin_unlock_bh(&a->lock);
	return found;
}

/* --- the pump ------------------------------------------------------------------------------ */

static void mroce_assoc_queue_work(struct mroce_assoc *a)
	__must_hold(&a->lock)
{
	if (!a->gone)
		queue_work(a->dev->wq, &a->work);
}

static void mroce_assoc_routes(struct mroce_assoc *a)
{
	if (!a->routes_stale)
		return;
	mroce_peer_routes_changed(&a->core, ktime_get_ns());
	a->routes_stale = false;
}

/*
 * Send what the transport has. The lock is dropped around each burst, and as long as somebody is
 * between two bursts of an association, nobody else starts one: two contexts that interleave would
 * put a path's packets out of order (rule 17) [M55]. Who finds an owner may leave at once, because
 * the owner looks again after each burst and stops only when it finds nothing under the same lock.
 */
static void mroce_pump(struct mroce_assoc *a)
	__must_hold(&a->lock)
{
	int n, budget = MROCE_TX_BUDGET;
	struct sk_buff_head burst;

	if (a->tx_owner)
		return;
	a->tx_owner = true;
	__skb_queue_head_init(&burst);

	rcu_read_lock();
	mroce_assoc_routes(a);
	while ((n = mroce_tx_build(a, &burst, MROCE_TX_BATCH))) {
		spin_unlock(&a->lock);
		mroce_tx_burst(a, &burst);
		spin_lock(&a->lock);
		budget -= n;
		if (budget <= 0 || a->routes_stale) {
			mroce_assoc_queue_work(a);
			break;
		}
	}
	rcu_read_unlock();
	a->tx_owner = false;
}

/*
 * Only ever moved forward: a timer that has become too early fires, finds nothing due, and is armed
 * again. Retransmission timers are pushed back by every packet, and this costs nothing then.
 */
static void mroce_arm(struct mroce_assoc *a)
	__must_hold(&a->lock)
{
	u64 next = mroce_peer_next_timer(&a->core);

	if (next >= a->timer_at)
		return;
	a->timer_at = next;
	hrtimer_start(&a->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
}

/* Keep the device's sum of half-open connections (rule 39). */
static void mroce_sum_half_open(struct mroce_assoc *a)
	__must_hold(&a->lock)
{
	if (likely(a->core.half_open == a->half_open))
		return;
	atomic_add(a->core.half_open - a->half_open, &a->dev->net.half_open);
	a->half_open = a->core.half_open;
}

/**
 * mroce_deliver() - tell what came up under a lock
 * @events:	list of struct mroce_event, the caller's own; empty afterwards
 *
 * Context: any; no data path lock held
 */
void mroce_deliver(struct list_head *events)
{
	struct mroce_event *ev;

	while ((ev = list_first_entry_or_null(events, struct mroce_event, link))) {
		list_del_init(&ev->link);
		ev->deliver(ev);
	}
}

void mroce_assoc_lock(struct mroce_assoc *a)
	__acquires(&a->lock)
{
	spin_lock_bh(&a->lock);
}

/**
 * mroce_assoc_unlock() - what follows a call into the transport
 * @a:		association, locked by mroce_assoc_lock()
 * @ctx:	whether events may be delivered here, or a consumer's locks may be held
 */
void mroce_assoc_unlock(struct mroce_assoc *a, enum mroce_ctx ctx)
	__releases(&a->lock)
{
	LIST_HEAD(events);

	mroce_pump(a);
	mroce_arm(a);
	mroce_sum_half_open(a);
	if (ctx == MROCE_CTX_RX)
		list_splice_init(&a->events, &events);
	else if (!list_empty(&a->events))
		mroce_assoc_queue_work(a);
	spin_unlock_bh(&a->lock);

	mroce_deliver(&events);
}

static void mroce_assoc_work(struct work_struct *work)
{
	struct mroce_assoc *a = container_of(work, struct mroce_assoc, work);

	mroce_assoc_lock(a);
	mroce_assoc_unlock(a, MROCE_CTX_RX);
}

static enum hrtimer_restart mroce_assoc_timer(struct hrtimer *timer)
{
	struct mroce_assoc *a = container_of(timer, struct mroce_assoc, timer);

	mroce_assoc_lock(a);
	a->timer_at = U64_MAX;
	mroce_peer_timer(&a->core, ktime_get_ns());
	mroce_assoc_unlock(a, MROCE_CTX_RX);	/* arms it again */
	return HRTIMER_NORESTART;
}

/* --- birth --------------------------------------------------------------------------------- */

/* What we can receive from this peer: what comes back by the routes we know, rather than by any. */
static void mroce_assoc_limit_payload(struct mroce_assoc *a)
{
	struct mroce_route routes[MROCE_MAX_EGRESS];
	u32 payload[MROCE_MAX_EGRESS], max = 0;
	int i, n;

	mroce_assoc_lock(a);
	n = mroce_host_conn_routes(&a->core, routes, payload, MROCE_MAX_EGRESS);
	for (i = 0; i < n; i++)
		max = max(max, payload[i]);
	if (max)
		a->core.limits.max_payload = min(max, a->core.limits.max_payload);
	spin_unlock_bh(&a->lock);
}

static struct mroce_assoc *mroce_assoc_alloc(struct mroce_sock *ms, const union ib_gid *remote,
					     gfp_t gfp)
{
	struct mroce_assoc *a = kzalloc(sizeof(*a), gfp);

	if (!a)
		return NULL;
	spin_lock_init(&a->lock);
	refcount_set(&a->ref, 2);	/* the table's and the caller's */
	a->dev = ms->dev;
	a->sock = ms;
	a->gids.local = ms->gid;
	a->gids.remote = *remote;
	a->timer_at = U64_MAX;
	a->tx_cpu = raw_smp_processor_id();
	a->tx_salt = get_random_u32();
	INIT_LIST_HEAD(&a->events);
	INIT_WORK(&a->work, mroce_assoc_work);
	hrtimer_init(&a->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	a->timer.function = mroce_assoc_timer;

	a->core.ops = &mroce_host_ops;
	a->core.limits = ms->dev->net.limits;
	a->core.loopback = !memcmp(&ms->gid, remote, sizeof(*remote));
	a->core.host = a;
	mroce_peer_init(&a->core);
	mroce_assoc_limit_payload(a);
	return a;
}

/* Before anybody has found it. */
static void mroce_assoc_abort(struct mroce_assoc *a)
{
	mroce_assoc_lock(a);
	mroce_egress_flush(a);
	spin_unlock_bh(&a->lock);
	kfree(a);
}

/*
 * Publish @a unless another one came first, or the socket was closed, since when nobody would drop
 * its cached routes. Returns the one that is published, referenced for the caller.
 */
static struct mroce_assoc *mroce_assoc_publish(struct mroce_assoc *a)
{
	struct mroce_net *net = &a->dev->net;
	struct mroce_assoc *was;
	int err;

	spin_lock_bh(&net->lock);
	was = mroce_assoc_find(a->sock, &a->gids.remote);
	if (was) {
		err = -EEXIST;
	} else if (!rcu_access_pointer(a->sock->sock)) {
		err = -ENODEV;
	} else {
		err = rhashtable_insert_fast(&net->assocs, &a->node, mroce_assoc_params);
		if (!err) {
			refcount_inc(&a->sock->ref);
			list_add_tail(&a->dev_link, &net->assoc_list);
			queue_delayed_work(a->dev->wq, &net->reaper, 5 * HZ);
		}
	}
	spin_unlock_bh(&net->lock);

	if (!err)
		return a;
	mroce_assoc_abort(a);
	return was ?: ERR_PTR(err);
}

/*
 * The association of @ms, to which the caller has a reference or RCU, and @remote; referenced.
 * ERR_PTR if not.
 */
struct mroce_assoc *mroce_assoc_find_or_make(struct mroce_sock *ms, const union ib_gid *remote,
					     gfp_t gfp)
{
	struct mroce_assoc *a = mroce_assoc_find(ms, remote);

	if (a)
		return a;
	a = mroce_assoc_alloc(ms, remote, gfp);
	return a ? mroce_assoc_publish(a) : ERR_PTR(-ENOMEM);
}

/**
 * mroce_assoc_get() - the association for a QP
 * @dev:	device
 * @local:	the QP's source GID
 * @remote:	the peer's GID
 *
 * Return: referenced; ERR_PTR(-ENODEV) when @local has no socket, -EAFNOSUPPORT when the families
 * differ, or -ENOMEM.
 */
struct mroce_assoc *mroce_assoc_get(struct mroce_dev *dev, const struct ib_gid_attr *local,
				    const union ib_gid *remote)
{
	struct mroce_sock *ms = mroce_sock_find(dev, local);
	struct mroce_assoc *a;

	if (!ms)
		return ERR_PTR(-ENODEV);
	if (mroce_gid_is_v4(remote) == ms->v4)
		a = mroce_assoc_find_or_make(ms, remote, GFP_KERNEL);
	else
		a = ERR_PTR(-EAFNOSUPPORT);
	mroce_sock_put(ms);
	return a;
}

/*
 * Never the last: the table's reference is taken away only from an association that has no other
 * (mroce_assoc_claim()).
 */
void mroce_assoc_put(struct mroce_assoc *a)
{
	refcount_dec(&a->ref);
}

/* --- end ----------------------------------------------------------------------------------- */

/*
 * The socket of these associations is not to be had any more: drop their cached routes. Who holds
 * an association's lock now and found the socket before is waited for; who comes later finds none,
 * and so caches no route.
 */
void mroce_assoc_sock_closed(struct mroce_sock *ms)
{
	struct mroce_net *net = &ms->dev->net;
	struct mroce_assoc *a;

	spin_lock_bh(&net->lock);
	list_for_each_entry(a, &net->assoc_list, dev_link) {
		if (a->sock != ms)
			continue;
		spin_lock(&a->lock);
		mroce_egress_flush(a);
		spin_unlock(&a->lock);
	}
	spin_unlock_bh(&net->lock);
}

/*
 * Take the table's reference, if it is the last and nothing would be lost. Nobody can get another
 * then, and the address is free for a new association.
 */
static bool mroce_assoc_claim(struct mroce_assoc *a, bool all, u64 now)
	__must_hold(&a->dev->net.lock)
{
	bool ours = false;

	spin_lock(&a->lock);
	if (all || mroce_peer_idle(&a->core, now))
		ours = refcount_dec_if_one(&a->ref);
	spin_unlock(&a->lock);
	if (ours)
		rhashtable_remove_fast(&a->dev->net.assocs, &a->node, mroce_assoc_params);
	return ours;
}

/*
 * The stages after mroce_assoc_claim(), since which no QP and no receiver has a reference, and none
 * can get one:
 *
 *  1. The transport's connections are destroyed under the lock. Receivers that come by a
 *     connection's entry see that it is gone; one that is between two bursts goes on after us, for
 *     it has no reference, but under RCU. From now on the transport has nothing to send and no
 *     time to wait for, and nothing gives it any: whoever still pumps finds nothing, arms no
 *     timer, and queues no work.
 *  2. The timer is stopped, and waited for.
 *  3. The work is stopped, and waited for. It arms no timer.
 *  4. Events that nobody delivered are delivered; they hold references to what they tell about.
 *     They are taken under the lock, for that receiver takes them too.
 *  5. The counters move to the device's in the same step in which the association leaves the list.
 *  6. Readers of connection entries may still hold the lock for a moment: the memory goes after a
 *     grace period.
 */
static void mroce_assoc_destroy(struct mroce_assoc *a)
{
	struct mroce_net *net = &a->dev->net;
	LIST_HEAD(events);
	int i;

	mroce_assoc_lock(a);
	a->gone = true;
	mroce_peer_destroy(&a->core);
	mroce_sum_half_open(a);
	mroce_egress_flush(a);
	spin_unlock_bh(&a->lock);

	hrtimer_cancel(&a->timer);
	cancel_work_sync(&a->work);
	mroce_assoc_lock(a);
	list_splice_init(&a->events, &events);
	spin_unlock_bh(&a->lock);
	mroce_deliver(&events);

	spin_lock_bh(&net->lock);
	list_del(&a->dev_link);
	for (i = 0; i < MROCE_CNT_MAX; i++)
		atomic64_add(a->core.stats[i], &net->drops[i]);
	spin_unlock_bh(&net->lock);

	mroce_sock_put(a->sock);
	if (a->frag.page)
		put_page(a->frag.page);
	kfree_rcu(a, rcu);
}

static struct mroce_assoc *mroce_assoc_next_idle(struct mroce_net *net, bool all)
{
	u64 now = ktime_get_ns();
	struct mroce_assoc *a;

	spin_lock_bh(&net->lock);
	list_for_each_entry(a, &net->assoc_list, dev_link)
		if (refcount_read(&a->ref) == 1 && mroce_assoc_claim(a, all, now)) {
			spin_unlock_bh(&net->lock);
			return a;
		}
	spin_unlock_bh(&net->lock);
	return NULL;
}

/**
 * mroce_assoc_reap() - destroy associations that nobody has
 * @dev:	device
 * @all:	not only those that are idle; then all must go
 */
void mroce_assoc_reap(struct mroce_dev *dev, bool all)
{
	struct mroce_assoc *a;

	while ((a = mroce_assoc_next_idle(&dev->net, all)))
		mroce_assoc_destroy(a);
	WARN_ON(all && !list_empty(&dev->net.assoc_list));
}
