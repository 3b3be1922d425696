// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Setting up a connection: CONNECT and ACCEPT, their loss, duplication and crossing; restarts of
 * the peer.
 *
 * Each end chooses the id that it wants to receive and a random seed that names its attempt. An
 * ACCEPT that echoes our seed opens our side; a passive end opens when the first valid packet
 * arrives under its id. Nothing that a CONNECT claims ends an existing connection [M22]: a new one
 * is built beside it, and only its confirmation ends the old.
 */
#include "internal.h"

#define HS_AMBIGUOUS	(~0ULL)

/* [M23] */
static bool connect_valid(const struct mroce_connect *c)
{
	return c->npaths >= 1 && c->npaths <= MROCE_MAX_PATHS && be32_to_cpu(c->my_id) &&
	       be16_to_cpu(c->max_payload) >= MROCE_MIN_PAYLOAD &&
	       be16_to_cpu(c->psn_window) >= MROCE_MIN_PSN_WINDOW &&
	       be16_to_cpu(c->msn_window) >= MROCE_MIN_MSN_WINDOW;
}

/*
 * What the other end says of itself; both ends use the smaller of each limit [M29]. No PSN has been
 * used yet.
 */
static void conn_set_peer(struct mroce_conn *conn, const struct mroce_connect *c)
{
	const struct mroce_limits *own = &conn->peer->limits;
	u32 i;

	conn->tx_id = be32_to_cpu(c->my_id);
	conn->peer_seed = be64_to_cpu(c->seed);
	conn->peer_instance = be64_to_cpu(c->instance);
	conn->has_peer = true;
	conn->max_payload = min_t(u32, own->max_payload, be16_to_cpu(c->max_payload));
	conn->payload = max_t(u32, min(conn->payload, conn->max_payload) /
				   MROCE_PAYLOAD_ALIGN * MROCE_PAYLOAD_ALIGN,
			      MROCE_MIN_PAYLOAD);
	conn->psn_window = rounddown_pow_of_two(min_t(u32, own->psn_window,
						      be16_to_cpu(c->psn_window)));
	conn->msn_window = min_t(u32, own->msn_window, be16_to_cpu(c->msn_window));
	conn->npaths = min_t(u32, conn->npaths_alloc, c->npaths);
	for (i = 0; i < conn->npaths_alloc; i++) {
		struct mroce_path *p = conn->paths[i];

		p->tx.limit = conn->psn_window;
		mroce_rxwin_free(conn->peer, &p->rx);
		mroce_rxwin_init(&p->rx, mroce_isn(conn->peer_seed, i), conn->psn_window);
	}
	mroce_conn_spread(conn, false);
	for (i = 0; i < conn->npaths_alloc; i++)
		conn->cc->init(conn->paths[i]);
}

/* Own limits, not the agreed ones; no feature bits exist yet [M30]. */
static void build_connect(struct mroce_conn *conn, u8 type, struct mroce_tx *tx)
{
	const struct mroce_limits *own = &conn->peer->limits;
	struct mroce_connect c = {
		.ver_type	= MROCE_VER_TYPE(type),
		.tclass		= conn->tclass,
		.npaths		= own->npaths,
		.my_id		= cpu_to_be32(conn->rx_id),
		.instance	= cpu_to_be64(own->instance),
		.seed		= cpu_to_be64(conn->seed),
		.max_payload	= cpu_to_be16(own->max_payload),
		.psn_window	= cpu_to_be16(own->psn_window),
		.msn_window	= cpu_to_be16(own->msn_window),
	};

	if (type == MROCE_PT_ACCEPT) {
		c.conn_id = cpu_to_be32(conn->tx_id);
		c.echo = cpu_to_be64(conn->peer_seed);
		mroce_tx_init(tx, conn, conn->hs_from, conn->tclass);
	} else {
		c.cookie = cpu_to_be64(conn->cookie);
		mroce_tx_init(tx, conn, conn->paths[conn->hs_tries % conn->npaths_alloc]->route,
			      conn->tclass);
	}
	memcpy(tx->hdr, &c, sizeof(c));
	tx->hdr_len = sizeof(c);
	mroce_count(conn->peer, MROCE_CNT_TX_CTRL);
}

static void build_confirm(struct mroce_conn *conn, struct mroce_tx *tx)
{
	struct mroce_ack_hdr *h = (void *)tx->hdr;

	mroce_tx_init(tx, conn, conn->paths[conn->hs_tries % conn->npaths]->route, conn->tclass);
	memset(h, 0, sizeof(*h));
	h->ver_type = MROCE_VER_TYPE(MROCE_PT_ACK);
	h->conn_id = cpu_to_be32(conn->tx_id);
	h->hint = cpu_to_be16(MROCE_HINT_NONE);
	h->proof = cpu_to_be32(mroce_proof(conn->peer_seed));
	tx->hdr_len = sizeof(*h);
	mroce_count(conn->peer, MROCE_CNT_TX_CTRL);
}

/* The time of a question, unless an earlier one may get the answer. */
static void handshake_asked(struct mroce_conn *conn, u64 now)
{
	conn->hs_asked_at = conn->hs_asked_at ? HS_AMBIGUOUS : now;
}

/* The first round-trip sample, if there was one question for this answer. */
static void handshake_answered(struct mroce_conn *conn, u64 now)
{
	if (conn->hs_asked_at && conn->hs_asked_at != HS_AMBIGUOUS)
		mroce_rtt_sample(&conn->rtt, now - conn->hs_asked_at, now);
	conn->hs_asked_at = 0;
}

/**
 * mroce_handshake_output() - a handshake packet if one is due
 * @conn:	connection
 * @tx:		packet to fill in
 * @now:	current time, ns
 *
 * Return: true with @tx filled in, false when there is nothing to say
 */
bool mroce_handshake_output(struct mroce_conn *conn, struct mroce_tx *tx, u64 now)
{
	if (conn->send_accept) {
		conn->send_accept = false;
		build_connect(conn, MROCE_PT_ACCEPT, tx);
		if (conn->state != MROCE_CONN_OPEN)
			handshake_asked(conn, now);
		return true;
	}
	if (conn->send_confirm) {
		conn->send_confirm = false;
		build_confirm(conn, tx);
		return true;
	}
	if (conn->send_connect && conn->state == MROCE_CONN_CONNECTING) {
		conn->send_connect = false;
		build_connect(conn, MROCE_PT_CONNECT, tx);
		handshake_asked(conn, now);
		conn->hs_tries++;
		return true;
	}
	return false;
}

/**
 * mroce_hs_timer() - CONNECT again with back-off [M13], or the end of a half-open life [M27]
 * @t:		mroce_conn.hs_timer
 * @now:	current time, ns
 *
 * Context: may destroy the connection
 */
void mroce_hs_timer(struct mroce_timer *t, u64 now)
{
	struct mroce_conn *conn = container_of(t, struct mroce_conn, hs_timer);

	if (conn->state == MROCE_CONN_HALF ||
	    (conn->state == MROCE_CONN_CONNECTING && !conn->nstreams)) {
		mroce_count(conn->peer, MROCE_CNT_CONN_EXPIRED);
		mroce_conn_destroy(conn);
		return;
	}
	if (conn->state != MROCE_CONN_CONNECTING)
		return;
	/*
	 * Another port, and where there are several another egress: the first may lead nowhere.
	 * Paths are dealt so that the one of try t gets route t modulo their number.
	 */
	mroce_path_fresh_port(conn->paths[conn->hs_tries % conn->npaths_alloc]);
	conn->next_route = conn->hs_tries - conn->hs_tries % conn->npaths_alloc;
	mroce_conn_spread(conn, false);
	conn->send_connect = true;
	conn->hs_backoff = min(conn->hs_backoff * 2, MROCE_HS_MAX);
	mroce_timer_arm(&conn->peer->timers, t, now + conn->hs_backoff);
	mroce_conn_out(conn);
}

/**
 * mroce_handshake_answer() - send an ACCEPT
 * @conn:	connection that knows its peer
 * @from:	where the question came in
 */
void mroce_handshake_answer(struct mroce_conn *conn, struct mroce_route from)
{
	conn->hs_from = from;
	conn->send_accept = true;
	mroce_conn_out(conn);
}

/*
 * The same attempt again [M16], or one that crosses ours [M21]: its connection, or NULL. On
 * loopback only the passive one [M24].
 */
static struct mroce_conn *connect_known(struct mroce_peer *peer, const struct mroce_connect *c)
{
	struct mroce_conn *conn;

	list_for_each_entry(conn, &peer->conns, link) {
		if (peer->loopback && !conn->passive)
			continue;
		if (conn->has_peer && conn->peer_seed == be64_to_cpu(c->seed))
			return conn;
	}
	if (peer->loopback)
		return NULL;
	list_for_each_entry(conn, &peer->conns, link)
		if (conn->state == MROCE_CONN_CONNECTING && conn->tclass == c->tclass &&
		    !conn->has_peer)
			return conn;
	return NULL;
}

/* [M27] */
static void drop_oldest_half_open(struct mroce_peer *peer)
{
	struct mroce_conn *conn;

	list_for_each_entry(conn, &peer->conns, link) {
		if (conn->state != MROCE_CONN_HALF)
			continue;
		mroce_conn_destroy(conn);
		return;
	}
}

void mroce_peer_connect(struct mroce_peer *peer, struct mroce_rx *rx, u64 now)
{
	struct mroce_connect c;
	struct mroce_conn *conn;

	memcpy(&c, rx->hdr, sizeof(c));
	if (!connect_valid(&c) ||
	    (peer->loopback && be64_to_cpu(c.instance) != peer->limits.instance)) {
		mroce_count(peer, MROCE_CNT_DROP_CONNECT);
		return;
	}
	conn = connect_known(peer, &c);
	if (conn) {
		if (conn->state == MROCE_CONN_CONNECTING)
			conn_set_peer(conn, &c);
		mroce_handshake_answer(conn, rx->from);
		return;
	}
	if (peer->half_open >= MROCE_MAX_HALF_OPEN)
		drop_oldest_half_open(peer);
	conn = mroce_conn_create(peer, c.tclass, true, now);
	if (!conn) {
		mroce_count(peer, MROCE_CNT_DROP_NOMEM);
		return;
	}
	conn_set_peer(conn, &c);
	mroce_handshake_answer(conn, rx->from);
}

/**
 * mroce_accept_input() - the answer to our CONNECT, if it echoes our seed [M17]
 * @conn:	connection
 * @rx:		received packet
 * @now:	current time, ns
 *
 * Context: may open @conn, which ends streams of earlier ones
 */
void mroce_accept_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now)
{
	struct mroce_peer *peer = conn->peer;
	struct mroce_connect c;

	memcpy(&c, rx->hdr, sizeof(c));
	if (be64_to_cpu(c.echo) != conn->seed) {
		mroce_count(peer, MROCE_CNT_DROP_CONNECT);
		return;
	}
	if (conn->state == MROCE_CONN_OPEN) {
		/* Our confirmation was lost, or the ACCEPT was doubled [M18]. */
		if (conn->tx_id == be32_to_cpu(c.my_id) && conn->peer_seed == be64_to_cpu(c.seed)) {
			conn->send_confirm = true;
			mroce_conn_out(conn);
			return;
		}
		mroce_count(peer, MROCE_CNT_DROP_CONNECT);
		return;
	}
	if (conn->state != MROCE_CONN_CONNECTING) {
		mroce_count(peer, MROCE_CNT_DROP_CONN_STATE);
		return;
	}
	if (c.flags & MROCE_CONNECT_F_RETRY) {	/* [M26] */
		if (conn->cookie != be64_to_cpu(c.cookie)) {
			conn->cookie = be64_to_cpu(c.cookie);
			conn->hs_asked_at = 0;
			conn->send_connect = true;
			mroce_conn_out(conn);
		}
		return;
	}
	if (!connect_valid(&c)) {
		mroce_count(peer, MROCE_CNT_DROP_CONNECT);
		return;
	}
	conn_set_peer(conn, &c);
	handshake_answered(conn, now);
	conn->rx_last = now;
	conn->send_confirm = true;
	mroce_conn_opened(conn, now);
}

/* Would an open connection end, were this one to open? */
static bool ends_another(const struct mroce_conn *conn)
{
	const struct mroce_conn *o;

	if (conn->peer->loopback)
		return false;
	list_for_each_entry(o, &conn->peer->conns, link)
		if (o->state == MROCE_CONN_OPEN && o->tclass == conn->tclass)
			return true;
	return false;
}

/**
 * mroce_conn_confirm() - a valid packet came under our id: the other end has our ACCEPT [M19]
 * @conn:	connection
 * @proven:	it held the proof, not only the id and a PSN
 * @now:	current time, ns
 *
 * Whoever wrote the CONNECT knows the PSNs, and might guess the id: where an open connection would
 * end, that is not enough.
 *
 * Context: may open @conn, which ends streams of earlier ones
 * Return: is it open now?
 */
bool mroce_conn_confirm(struct mroce_conn *conn, bool proven, u64 now)
{
	if (conn->state == MROCE_CONN_OPEN)
		return true;
	if (!conn->has_peer || (!proven && ends_another(conn)))
		return false;
	handshake_answered(conn, now);
	mroce_conn_opened(conn, now);
	return true;
}

int mroce_build_cookie(const struct mroce_rx *rx, u64 instance, u64 cookie, struct mroce_tx *tx)
{
	struct mroce_connect c, a = {
		.ver_type	= MROCE_VER_TYPE(MROCE_PT_ACCEPT),
		.flags		= MROCE_CONNECT_F_RETRY,
		.instance	= cpu_to_be64(instance),
		.cookie		= cpu_to_be64(cookie),
	};

	memcpy(&c, rx->hdr, sizeof(c));
	a.tclass = c.tclass;
	a.conn_id = c.my_id;
	a.echo = c.seed;
	mroce_tx_init(tx, NULL, rx->from, c.tclass);
	memcpy(tx->hdr, &a, sizeof(a));
	tx->hdr_len = sizeof(a);
	return 1;
}

bool mroce_connect_valid(const struct mroce_rx *rx)
{
	struct mroce_connect c;

	memcpy(&c, rx->hdr, sizeof(c));
	return connect_valid(&c);
}

u64 mroce_connect_cookie(const struct mroce_rx *rx, u64 *seed)
{
	struct mroce_connect c;

	memcpy(&c, rx->hdr, sizeof(c));
	*seed = be64_to_cpu(c.seed);
	return be64_to_cpu(c.cookie);
}

/*
 * A RESET proves itself by echoing a packet in flight; the timestamp is that of its last
 * transmission [M33].
 */
static bool reset_valid(const struct mroce_conn *conn, const struct mroce_reset *r, u64 now)
{
	const struct mroce_sent *sent;

	if (conn->state != MROCE_CONN_OPEN || r->path >= conn->npaths)
		return false;
	sent = mroce_txwin_find(&conn->paths[r->path]->tx, be32_to_cpu(r->psn));
	if (!sent || mroce_tick(sent->sent_at) != be32_to_cpu(r->tstamp))
		return false;
	return now - sent->sent_at <=
	       8 * max(mroce_path_srtt(conn->paths[r->path]), MROCE_RTT_INIT);
}

void mroce_peer_reset(struct mroce_peer *peer, struct mroce_rx *rx, u64 now)
{
	struct mroce_conn *conn;
	struct mroce_reset r;

	memcpy(&r, rx->hdr, sizeof(r));
	list_for_each_entry(conn, &peer->conns, link) {
		if (!conn->has_peer || conn->tx_id != be32_to_cpu(r.conn_id))
			continue;
		if (!reset_valid(conn, &r, now))
			break;
		mroce_conn_lost(conn, now);
		return;
	}
	mroce_count(peer, MROCE_CNT_DROP_RESET);
}
