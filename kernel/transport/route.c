// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Routes: a path is a sequence space that borrows a route, an egress and a source port (rule 9).
 * Each has a home route; when that falls silent the path goes over a route that is known to live,
 * while the home is probed, and comes back after two answers.
 */
#include "internal.h"

#define HOME_PERIOD	(20 * NSEC_MS)
#define HOME_ANSWERS	2

static u16 random_sport(struct mroce_peer *peer)
{
	return MROCE_SPORT_MIN + peer->ops->random32(peer) % (65536 - MROCE_SPORT_MIN);
}

/**
 * mroce_path_fresh_port() - other entropy for ECMP; nothing of the path is in flight
 * @p:	path
 */
void mroce_path_fresh_port(struct mroce_path *p)
{
	p->home.sport = random_sport(p->conn->peer);
	p->route.sport = p->home.sport;
}

/*
 * Another route, another epoch [M61]: what was learnt of the old one does not hold. What is in
 * flight there is given up by time, unless the caller knows better.
 */
static void take_route(struct mroce_path *p, struct mroce_route route)
{
	p->route = route;
	p->epoch++;
	p->loss.any_acked = false;
	memset(&p->rtt, 0, sizeof(p->rtt));
	mroce_rtt_forget_min(&p->conn->rtt);
	mroce_path_note(p, p->away ? MROCE_PATH_EV_AWAY : MROCE_PATH_EV_MOVED, 0);
}

/**
 * mroce_path_living() - a path that lately heard from the peer while @p did not
 * @p:		path
 * @now:	current time, ns
 *
 * Then the route of @p is to blame, not the peer, and not this host.
 *
 * Return: the path that was heard last, or NULL
 */
struct mroce_path *mroce_path_living(const struct mroce_path *p, u64 now)
{
	struct mroce_conn *conn = p->conn;
	struct mroce_path *best = NULL;
	u64 since = now - min(now, 4 * mroce_conn_rto(conn));
	u32 i;

	if (p->loss.rtos)
		since = min(since, p->loss.probed_at);

	for (i = 0; i < conn->npaths; i++) {
		struct mroce_path *o = conn->paths[i];

		if (o == p || o->loss.rtos || !o->last_ack || o->last_ack < since)
			continue;
		if (!best || o->last_ack > best->last_ack)
			best = o;
	}
	return best;
}

static void home_watch(struct mroce_conn *conn, u64 now)
{
	if (!conn->home_timer.armed)
		mroce_timer_arm(&conn->peer->timers, &conn->home_timer, now + HOME_PERIOD);
}

/**
 * mroce_path_reroute() - leave a route that seems dead, with everything in flight [M60, M61]
 * @p:		path
 * @now:	current time, ns
 *
 * A path that lives proves its route: borrow that. Otherwise take a fresh port, on the next egress.
 */
void mroce_path_reroute(struct mroce_path *p, u64 now)
{
	struct mroce_conn *conn = p->conn;
	struct mroce_path *living = mroce_path_living(p, now);

	mroce_count(conn->peer, MROCE_CNT_PATH_REROUTE);
	if (living) {
		conn->cc->rerouted(p, now);
		p->route_payload = living->route_payload;
		p->away = true;
		p->home_answers = 0;
		take_route(p, living->route);
		home_watch(conn, now);
		return;
	}
	p->away = false;
	p->home.sport = random_sport(conn->peer);
	take_route(p, p->home);
	mroce_conn_spread(conn, false);
}

static void go_home(struct mroce_path *p)
{
	p->away = false;
	take_route(p, p->home);
	mroce_count(p->conn->peer, MROCE_CNT_PATH_HOME);
	mroce_conn_spread(p->conn, false);
}

static void home_ask(struct mroce_path *p)
{
	p->home_seq = p->conn->peer->ops->random32(p->conn->peer);
	p->conn->home_asks += !p->home_ask;
	p->home_ask = true;
	mroce_conn_out(p->conn);
}

/**
 * mroce_home_timer() - ask after the home routes of the paths that are away
 * @t:		mroce_conn.home_timer
 * @now:	current time, ns
 *
 * A connection that nobody uses does not ask.
 */
void mroce_home_timer(struct mroce_timer *t, u64 now)
{
	struct mroce_conn *conn = container_of(t, struct mroce_conn, home_timer);
	bool away = false;
	u32 i, asked = 0;

	for (i = 0; i < conn->npaths; i++) {
		struct mroce_path *p = conn->paths[(conn->next_home + i) % conn->npaths];

		if (!p->away)
			continue;
		away = true;
		if (asked++ < MROCE_PROBE_REPLIES)
			home_ask(p);
	}
	conn->next_home += asked;
	if (away && now - conn->rx_last < MROCE_TRIM_AFTER)
		home_watch(conn, now);
}

static void build_probe(const struct mroce_path *p, struct mroce_tx *tx, u64 now)
{
	struct mroce_conn *conn = p->conn;
	struct mroce_probe pr = {
		.ver_type	= MROCE_VER_TYPE(MROCE_PT_PROBE),
		.path		= p->index,
		.conn_id	= cpu_to_be32(conn->tx_id),
		.seq		= cpu_to_be32(p->home_seq),
		.tstamp		= cpu_to_be32(mroce_tick(now)),
	};

	mroce_tx_init(tx, conn, p->home, conn->tclass);
	memcpy(tx->hdr, &pr, sizeof(pr));
	tx->hdr_len = sizeof(pr);
}

/**
 * mroce_home_output() - a PROBE question over a home route, if one is due
 * @conn:	connection
 * @tx:		packet to fill in
 * @now:	current time, ns
 *
 * Return: true with @tx filled in
 */
bool mroce_home_output(struct mroce_conn *conn, struct mroce_tx *tx, u64 now)
{
	struct mroce_path *p;
	u32 i = 0;

	if (!conn->home_asks)
		return false;
	while (!conn->paths[i]->home_ask)
		i++;
	p = conn->paths[i];
	p->home_ask = false;
	conn->home_asks--;
	build_probe(p, tx, now);
	mroce_count(conn->peer, MROCE_CNT_TX_PROBE);
	return true;
}

/**
 * mroce_home_answer() - a PROBE reply came
 * @conn:	connection
 * @pr:		its content, the path checked
 */
void mroce_home_answer(struct mroce_conn *conn, const struct mroce_probe *pr)
{
	struct mroce_path *p = conn->paths[pr->path];

	if (!p->away || be32_to_cpu(pr->seq) != p->home_seq)
		return;
	if (++p->home_answers >= HOME_ANSWERS)
		go_home(p);
	else
		home_ask(p);
}

/* The routes that may be used come first, @n of @all. */
struct spread {
	struct mroce_route routes[MROCE_MAX_PLANES];
	u32 payload[MROCE_MAX_PLANES];
	u32 users[MROCE_MAX_PLANES];
	int n;
	int all;
};

static int spread_find(const struct spread *sp, u32 ifindex)
{
	int k;

	for (k = 0; k < sp->all; k++)
		if (sp->routes[k].ifindex == ifindex)
			return k;
	return -1;
}

/**
 * mroce_conn_plane() - the number of the plane behind an egress
 * @conn:	connection
 * @ifindex:	interface
 *
 * Return: the number, or -1 if it has none
 */
int mroce_conn_plane(const struct mroce_conn *conn, u32 ifindex)
{
	u32 i;

	for (i = 0; i < conn->nplanes; i++)
		if (conn->planes[i] == ifindex)
			return i;
	return -1;
}

/* A plane keeps its number while it is gone. */
static bool plane_allowed(struct mroce_conn *conn, u32 ifindex)
{
	int plane = mroce_conn_plane(conn, ifindex);

	if (plane < 0) {
		if (conn->nplanes == MROCE_MAX_PLANES)
			return true;
		plane = conn->nplanes;
		conn->planes[conn->nplanes++] = ifindex;
	}
	return conn->plane_mask >> plane & 1;
}

/* Planes that are not to be used go behind the others, unless no other is left. */
static void spread_order(struct mroce_conn *conn, struct spread *sp)
{
	int k, n = 0;

	for (k = 0; k < sp->all; k++) {
		if (!plane_allowed(conn, sp->routes[k].ifindex))
			continue;
		swap(sp->routes[n], sp->routes[k]);
		swap(sp->payload[n], sp->payload[k]);
		n++;
	}
	sp->n = n ?: sp->all;
}

static void spread_ask(struct mroce_conn *conn, struct spread *sp)
{
	memset(sp, 0, sizeof(*sp));
	sp->all = conn->peer->ops->conn_routes(conn->peer, sp->routes, sp->payload,
					       MROCE_MAX_PLANES);
	spread_order(conn, sp);
}

static void set_egress(struct mroce_path *p, const struct spread *sp, int k, bool gone)
{
	if (p->home.ifindex != sp->routes[k].ifindex) {
		p->home.ifindex = sp->routes[k].ifindex;
		p->away = false;
		take_route(p, p->home);
		if (gone)
			mroce_loss_all(p);
	}
	p->route_payload = sp->payload[k];
}

/* Paths come to a route that has been added: it shall not stay idle. */
static void spread_level(struct mroce_conn *conn, struct spread *sp)
{
	u32 i;

	for (i = 0; i < conn->npaths_alloc; i++) {
		int k, most = spread_find(sp, conn->paths[i]->home.ifindex), least = 0;

		for (k = 1; k < sp->n; k++)
			if (sp->users[k] < sp->users[least])
				least = k;
		if (sp->users[most] <= sp->users[least] + 1)
			continue;
		sp->users[most]--;
		sp->users[least]++;
		set_egress(conn->paths[i], sp, least, false);
	}
}

/**
 * mroce_conn_spread() - ask the host for its routes and deal the paths over them
 * @conn:	connection
 * @level:	the routes have changed: no two may differ by more than one path
 *
 * New content is cut to what all of them carry [M64]. Otherwise a path whose egress is still among
 * them keeps it, unless it has failed or its plane is not to be used. In that case what is in
 * flight there arrives as it would have.
 *
 * Return: number of routes; 0: none, nothing changed
 */
int mroce_conn_spread(struct mroce_conn *conn, bool level)
{
	u32 least = conn->max_payload;
	struct spread sp;
	u32 i;

	spread_ask(conn, &sp);
	if (sp.n <= 0)
		return 0;
	for (i = 0; i < conn->npaths_alloc; i++) {
		struct mroce_path *p = conn->paths[i];
		int k = spread_find(&sp, p->home.ifindex);
		bool gone = k < 0;

		if (gone || k >= sp.n || p->loss.rtos >= MROCE_REROUTE_RTOS ||
		    conn->state == MROCE_CONN_CONNECTING)
			k = conn->next_route++ % sp.n;
		sp.users[k]++;
		set_egress(p, &sp, k, gone);
	}
	if (level)
		spread_level(conn, &sp);
	for (i = 0; i < conn->npaths; i++)
		least = min(least, conn->paths[i]->route_payload);
	conn->payload = max_t(u32, least - least % MROCE_PAYLOAD_ALIGN, MROCE_MIN_PAYLOAD);
	return sp.n;
}

/**
 * mroce_conn_use_planes() - which planes the paths may take
 * @conn:	connection
 * @mask:	bit by number of plane
 *
 * Later, when the last of them is gone, all others are used: a mask does not cut a connection.
 *
 * Return: false if none of them has a route now; then nothing changes
 */
bool mroce_conn_use_planes(struct mroce_conn *conn, u32 mask)
{
	struct spread sp;
	bool any = false;
	int k;

	spread_ask(conn, &sp);
	for (k = 0; k < sp.all; k++) {
		int plane = mroce_conn_plane(conn, sp.routes[k].ifindex);

		any |= plane >= 0 && mask >> plane & 1;
	}
	if (!any)
		return false;
	conn->plane_mask = mask;
	mroce_conn_spread(conn, true);
	mroce_conn_out(conn);
	return true;
}
