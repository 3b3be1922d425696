// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Paths: birth and death, and the round-trip estimate of each.
 */
#include "internal.h"

#define RTT_MIN_SLOT	(5 * NSEC_S)	/* min covers one to two slots */

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
	if (now >= r->slot_end) {
		r->min = r->slot_min;
		r->slot_min = rtt;
		r->slot_end = now + RTT_MIN_SLOT;
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
