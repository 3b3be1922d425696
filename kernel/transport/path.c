// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Paths: round-trip estimate, choice of a path per packet, and the route that a path borrows.
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

/*
 * Some other path heard from its peer while this one did not: the route is to blame, not the peer.
 */
static struct mroce_path *path_living(const struct mroce_path *p, u64 now)
{
	struct mroce_conn *conn = p->conn;
	struct mroce_path *best = NULL;
	u32 i;

	for (i = 0; i < conn->npaths; i++) {
		struct mroce_path *o = conn->paths[i];

		if (o == p || o->loss.rtos || !o->last_ack ||
		    now - o->last_ack > 4 * mroce_conn_rto(conn))
			continue;
		if (!best || o->last_ack > best->last_ack)
			best = o;
	}
	return best;
}

static u16 path_random_sport(struct mroce_peer *peer)
{
	return MROCE_SPORT_MIN + peer->ops->random32(peer) % (65536 - MROCE_SPORT_MIN);
}

/**
 * mroce_path_fresh_port() - other entropy for ECMP; nothing of the path is in flight
 * @p:	path
 */
void mroce_path_fresh_port(struct mroce_path *p)
{
	p->route.sport = path_random_sport(p->conn->peer);
}

/**
 * mroce_path_reroute() - leave a route that seems dead, with everything in flight [M60, M61]
 * @p:		path
 * @now:	current time, ns
 *
 * A path that lives proves its route: borrow that (rule 9). Otherwise take a fresh port, on the
 * next egress.
 */
void mroce_path_reroute(struct mroce_path *p, u64 now)
{
	struct mroce_conn *conn = p->conn;
	struct mroce_path *living = path_living(p, now);

	if (living) {
		p->route = living->route;
		p->route_payload = living->route_payload;
	} else {
		p->route.sport = path_random_sport(conn->peer);
		mroce_conn_spread(conn);
	}
	p->epoch++;
	p->loss.any_acked = false;
	memset(&p->rtt, 0, sizeof(p->rtt));
	mroce_count(conn->peer, MROCE_CNT_PATH_REROUTE);
}

#define SPREAD_MAX	16

/**
 * mroce_conn_spread() - ask the host for its routes and deal the paths over them
 * @conn:	connection
 *
 * New content is cut to what all of them carry [M64]. A path whose egress is still among them
 * keeps it.
 *
 * Return: number of routes; 0: none, nothing changed
 */
int mroce_conn_spread(struct mroce_conn *conn)
{
	struct mroce_route routes[SPREAD_MAX] = {};
	u32 payload[SPREAD_MAX] = {};
	int n = conn->peer->ops->conn_routes(conn->peer, routes, payload, SPREAD_MAX);
	u32 least = conn->max_payload;
	u32 i;
	int k;

	for (i = 0; n > 0 && i < conn->npaths_alloc; i++) {
		struct mroce_path *p = conn->paths[i];

		for (k = 0; k < n; k++)
			if (routes[k].ifindex == p->route.ifindex)
				break;
		if (k == n || p->loss.rtos >= MROCE_REROUTE_RTOS || conn->state == MROCE_CONN_CONNECTING) {
			k = conn->next_route++ % n;
			if (p->route.ifindex != routes[k].ifindex)
				p->epoch++;
			p->route.ifindex = routes[k].ifindex;
		}
		p->route_payload = payload[k];
		if (i < conn->npaths)
			least = min(least, payload[k]);
	}
	if (n > 0)
		conn->payload = max_t(u32, least - least % MROCE_PAYLOAD_ALIGN, MROCE_MIN_PAYLOAD);
	return n;
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
	p->route.sport = path_random_sport(peer);
	INIT_LIST_HEAD(&p->inflight);
	INIT_LIST_HEAD(&p->lost);
	INIT_LIST_HEAD(&p->ack_link);
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
	peer->ops->free(peer, p, sizeof(*p));
}

/*
 * Expected time until @bytes more are delivered: half a round trip plus the queue ahead at the
 * window's rate.
 */
static u64 path_cost(const struct mroce_path *p, u32 bytes)
{
	u64 srtt = mroce_path_srtt(p);

	return srtt / 2 + div_u64(srtt * (p->inflight_bytes + bytes), max(p->cc.cwnd, 1U));
}

/**
 * mroce_path_select() - the path with room that is expected to deliver first; equals take turns
 * @conn:	connection
 * @bytes:	size of the packet, header included
 * @now:	current time, ns
 *
 * A path that met an RTO carries nothing new until it was heard from, unless all did.
 *
 * Return: the path, or NULL when none has room
 */
struct mroce_path *mroce_path_select(struct mroce_conn *conn, u32 bytes, u64 now)
{
	struct mroce_path *best = NULL, *suspect = NULL;
	u64 best_cost = ~0ULL;
	u32 n;

	for (n = 0; n < conn->npaths; n++) {
		struct mroce_path *p = conn->paths[(conn->next_path + n) % conn->npaths];
		u64 cost;

		if (p->inflight_bytes && p->inflight_bytes + bytes > p->cc.cwnd)
			continue;
		if (!mroce_txwin_room(&p->tx) || !list_empty(&p->lost))
			continue;
		if (p->loss.rtos) {
			if (!p->inflight_bytes)
				suspect = p;
			continue;
		}
		cost = path_cost(p, bytes);
		if (cost < best_cost) {
			best_cost = cost;
			best = p;
		}
	}
	if (!best && suspect && !path_living(suspect, now))
		best = suspect;
	if (best)
		conn->next_path = best->index + 1;
	return best;
}
