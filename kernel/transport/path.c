// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Paths: birth and death, and the round-trip estimate of each.
 */
#include "internal.h"

#define RTT_MIN_SLOT	(5 * NSEC_S)	/* min covers one to two slots */
#define RTT_UNDER	16		/* samples in a row: more than overtake by chance */

/**
 * mroce_rtt_sample() - RFC 6298's estimator, and a windowed minimum
 * @r:		estimate
 * @rtt:	sample, ns
 * @now:	current time, ns
 */
void mroce_rtt_sample(struct mroce_rtt *r, u64 rtt, u64 now)
{
	rtt = max(rtt, 1ULL);
	r->latest = rtt;
	if (!r->srtt) {
		r->srtt = rtt;
		r->var = rtt / 2;
		r->min = rtt;
		r->slot_min = rtt;
		r->slot_end = now + RTT_MIN_SLOT;
		return;
	}
	r->var = (3 * r->var + (rtt > r->srtt ? rtt - r->srtt : r->srtt - rtt)) / 4;
	r->srtt = (7 * r->srtt + rtt) / 8;
	r->under = rtt < r->floor - r->floor / 8 ? r->under + 1 : 0;
	if (r->under >= RTT_UNDER)
		r->floor = 0;
	if (now >= r->slot_end) {
		r->min = r->slot_min;
		r->slot_min = rtt;
		r->slot_end = now + RTT_MIN_SLOT;
		r->floor = 0;
	}
	r->slot_min = min(r->slot_min, rtt);
	r->min = min(r->min, rtt);
}

/**
 * mroce_rtt_forget_min() - the smallest sample is of a route that is no more
 * @r:	estimate
 */
void mroce_rtt_forget_min(struct mroce_rtt *r)
{
	r->min = r->srtt - min(r->var, r->srtt / 2);
	r->slot_min = r->min;
}

/**
 * mroce_rtt_set_floor() - the round trip is what the route takes, faster samples do not count
 * @r:	estimate
 *
 * Where packets overtake each other, those that do tell nothing of the others' queue. The floor
 * holds until many in a row are well below it, or for a slot.
 */
void mroce_rtt_set_floor(struct mroce_rtt *r)
{
	mroce_rtt_forget_min(r);
	r->floor = r->min;
	r->under = 0;
	r->stuck = 0;
}

/**
 * mroce_rtt_base() - the round trip without queues
 * @r:	estimate
 *
 * Return: ns; 0 without a sample
 */
u64 mroce_rtt_base(const struct mroce_rtt *r)
{
	return max(r->min, r->floor);
}

/**
 * mroce_path_srtt() - smoothed round-trip time
 * @p:	path
 *
 * The connection's before the path has its own; MROCE_RTT_INIT before any.
 *
 * Return: ns
 */
u64 mroce_path_srtt(const struct mroce_path *p)
{
	return p->rtt.srtt ?: p->conn->rtt.srtt ?: MROCE_RTT_INIT;
}

/**
 * mroce_path_state() - what the path is good for at present
 * @p:	path
 *
 * Return: the worst that applies
 */
enum mroce_path_state mroce_path_state(const struct mroce_path *p)
{
	if (p->away)
		return MROCE_PATH_AWAY;
	if (p->loss.rtos)
		return MROCE_PATH_SUSPECT;
	return mroce_path_active(p) ? MROCE_PATH_USED : MROCE_PATH_RESTS;
}

/**
 * mroce_path_ce_permille() - smoothed share of the path's packets that are CE-marked
 * @p:	path
 *
 * Congestion control starts out from the worst; for people it is nothing until a mark was seen.
 *
 * Return: 0 to 1000
 */
u32 mroce_path_ce_permille(const struct mroce_path *p)
{
	return p->ce_seen ? p->cc.alpha * 1000 / MROCE_CC_ALL : 0;
}

/**
 * mroce_path_note() - tell who watches
 * @p:	path
 * @ev:	what has happened
 * @n:	packets concerned, or 0
 */
void mroce_path_note(const struct mroce_path *p, enum mroce_path_event ev, u32 n)
{
	const struct mroce_peer *peer = p->conn->peer;

	if (peer->ops->path_event)
		peer->ops->path_event(p, ev, n);
}

/**
 * mroce_path_create() - a path that nothing was sent on
 * @conn:	connection
 * @index:	its number on the wire
 *
 * Return: the path, or NULL without memory
 */
struct mroce_path *mroce_path_create(struct mroce_conn *conn, u8 index)
{
	struct mroce_peer *peer = conn->peer;
	struct mroce_path *p = peer->ops->alloc(peer, sizeof(*p));

	if (!p)
		return NULL;
	p->conn = conn;
	p->index = index;
	mroce_path_fresh_port(p);
	INIT_LIST_HEAD(&p->inflight);
	INIT_LIST_HEAD(&p->lost);
	INIT_LIST_HEAD(&p->ack_link);
	INIT_LIST_HEAD(&p->active_link);
	p->timer.fn = mroce_loss_timer;
	mroce_txwin_init(&p->tx, mroce_isn(conn->seed, index), conn->psn_window);
	mroce_rxwin_init(&p->rx, 0, conn->psn_window);
	return p;
}

/**
 * mroce_path_destroy() - free @p with all that is in flight
 * @p:	path
 */
void mroce_path_destroy(struct mroce_path *p)
{
	struct mroce_peer *peer = p->conn->peer;

	mroce_timer_cancel(&peer->timers, &p->timer);
	mroce_txwin_drop(p);
	mroce_rxwin_free(peer, &p->rx);
	list_del(&p->ack_link);
	list_del(&p->active_link);
	peer->ops->free(peer, p, sizeof(*p));
}
