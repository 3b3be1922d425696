// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The core's host in the test world: memory with books kept, connection ids, routes, packets in
 * and out, and the part of struct mroce_host_ops that is not about QPs. The rest is in verbs.c.
 */
#include "world.h"

struct wpeer *wpeer_of(const struct mroce_peer *p)
{
	struct wpeer *wp = container_of(p, struct wpeer, p);

	/* Ops are called from within a call of the core, and never otherwise. */
	CHECK(wp->depth);
	return wp;
}

/* --- memory: each block knows its size --- */

struct block {
	u64 size;
	u64 magic;
};

#define BLOCK_MAGIC	0x6d726f6365626c6bULL

static void *host_alloc(struct mroce_peer *p, size_t size)
{
	struct whost *h = wpeer_of(p)->h;
	struct block *b;

	CHECK_LE(size, 65536);
	if (rng_hit(&h->w->rng, h->alloc_fail))
		return NULL;
	b = os_alloc(sizeof(*b) + size);
	b->size = size;
	b->magic = BLOCK_MAGIC;
	h->allocs++;
	h->alloc_bytes += size;
	h->alloc_peak = max(h->alloc_peak, h->alloc_bytes);
	return b + 1;
}

static void host_free(struct mroce_peer *p, void *mem, size_t size)
{
	struct whost *h = wpeer_of(p)->h;
	struct block *b = (struct block *)mem - 1;

	CHECK_EQ(b->magic, BLOCK_MAGIC);
	CHECK_EQ(b->size, size);
	b->magic = 0;
	h->alloc_bytes -= size;
	os_free(b);
}

static u32 host_random32(struct mroce_peer *p)
{
	return (u32)rng_next(&wpeer_of(p)->h->w->rng);
}

/* --- connections and routes --- */

static int host_conn_register(struct mroce_conn *conn)
{
	struct whost *h = wpeer_of(conn->peer)->h;
	u32 i, slot = WORLD_CONNS;

	for (i = 0; i < WORLD_CONNS; i++)
		if (!h->conns[i])
			slot = i;
	if (slot == WORLD_CONNS)
		return -ENOSPC;
	do {
		conn->rx_id = (u32)rng_next(&h->w->rng);
		for (i = 0; i < WORLD_CONNS; i++)
			if (h->conns[i] && h->conns[i]->rx_id == conn->rx_id)
				conn->rx_id = 0;
	} while (!conn->rx_id);
	h->conns[slot] = conn;
	h->nconns++;
	return 0;
}

static void host_conn_unregister(struct mroce_conn *conn)
{
	struct whost *h = wpeer_of(conn->peer)->h;
	u32 i;

	mroce_share_leave(&h->share, &conn->share);
	for (i = 0; i < WORLD_CONNS; i++) {
		if (h->conns[i] != conn)
			continue;
		h->conns[i] = NULL;
		h->nconns--;
		return;
	}
	CHECK(!"connection was registered");
}

static void host_conn_free(struct mroce_peer *p, struct mroce_conn *conn, size_t size)
{
	host_free(p, conn, size);
}

/* What came over a link of unknown speed is not divided. */
static u64 host_rx_share(struct mroce_conn *conn, const struct mroce_demand *d, u64 now)
{
	struct whost *h = wpeer_of(conn->peer)->h;

	CHECK_GE(d->ifindex, 1);
	CHECK_LE(d->ifindex, h->w->cfg.planes);
	return h->share.speed ? mroce_share_note(&h->share, &conn->share, d, now) : 0;
}

static int host_conn_routes(struct mroce_peer *p, struct mroce_route *routes, u32 *payload, int n)
{
	struct whost *h = wpeer_of(p)->h;
	int i, k = 0;

	for (i = 0; i < h->w->cfg.planes && k < n; i++) {
		if (!h->route_payload[i])
			continue;
		routes[k].ifindex = i + 1;
		routes[k].sport = 0;
		payload[k++] = h->route_payload[i];
	}
	return k;
}

/* --- held packets --- */

static struct mroce_held *host_hold(struct mroce_peer *p, struct mroce_rx *rx)
{
	struct wpeer *wp = wpeer_of(p);
	struct wpkt *pkt = rx->cookie;

	CHECK(!pkt->is_held);
	if (rng_hit(&wp->h->w->rng, wp->h->alloc_fail))
		return NULL;
	pkt->is_held = true;
	pkt->held.cost = pkt->len + 256;
	return &pkt->held;
}

static void *host_held_cookie(struct mroce_held *held)
{
	return container_of(held, struct wpkt, held);
}

static void host_release(struct mroce_peer *p, struct mroce_held *held)
{
	struct wpkt *pkt = container_of(held, struct wpkt, held);

	wpeer_of(p);
	CHECK(pkt->is_held);
	wpkt_free(pkt);
}

/* --- packets out --- */

static bool gather(struct whost *h, const struct mroce_tx *tx, u8 *out)
{
	struct wmsg *m;
	struct wmr *mr;
	u32 i;

	if (tx->src == MROCE_SRC_MSG) {
		m = container_of(tx->msg, struct wmsg, m);
		CHECK(!m->done);
		CHECK_LE(tx->offset + tx->len, m->m.len);
		if (m->bad_local)
			return false;
		for (i = 0; !h->w->phantom && i < tx->len; i++)
			out[i] = pattern(m->seed, tx->offset + i);
		return true;
	}
	CHECK_EQ(tx->src, MROCE_SRC_MR);
	mr = mr_find(h, tx->rkey);
	if (!mr || tx->addr < mr->addr || tx->addr + tx->len > mr->addr + mr->len)
		return false;
	if (!h->w->phantom)
		memcpy(out, mr->buf + (tx->addr - mr->addr), tx->len);
	return true;
}

/* The packet of @tx, or NULL when its payload cannot be read. */
static struct wpkt *build_packet(struct whost *h, struct whost *to, const struct mroce_tx *tx)
{
	struct world *w = h->w;
	struct wpkt *pkt = wpkt_new(tx->hdr_len + (w->phantom ? 0 : tx->len));

	CHECK_LE(tx->hdr_len, MROCE_MAX_CTRL_LEN);
	CHECK_EQ(!tx->len, tx->src == MROCE_SRC_NONE);
	memcpy(pkt->data, tx->hdr, tx->hdr_len);
	pkt->len = tx->hdr_len + tx->len;
	pkt->from = h->index;
	pkt->to = to->index;
	pkt->ect = tx->ect;
	pkt->df = tx->df;
	pkt->route = tx->route;
	if (!pkt->route.ifindex)
		pkt->route.ifindex = 1;
	CHECK_LE(pkt->route.ifindex, w->cfg.planes);
	if (tx->len && !gather(h, tx, pkt->data + tx->hdr_len)) {
		wpkt_free(pkt);
		return NULL;
	}
	return pkt;
}

void peer_pump(struct wpeer *wp)
{
	struct world *w = wp->h->w;
	u32 n = 0;

	for (;;) {
		struct wpkt *pkt;
		int got;

		if (w->budget && n++ == w->budget) {
			wp->pump_later = true;
			return;
		}
		wp->depth++;
		got = mroce_peer_output(&wp->p, &w->tx, w->now);
		wp->depth--;
		if (!got)
			return;
		pkt = build_packet(wp->h, wp->to, &w->tx);
		if (pkt) {
			sniff_packet(w, &w->tx, pkt);
			if (rng_hit(&w->rng, w->oom_ppm))
				wpkt_free(pkt);
			else
				world_send(w, pkt);
			continue;
		}
		wp->depth++;
		mroce_tx_failed(&wp->p, &w->tx, w->now);
		wp->depth--;
	}
}

void core_leave(struct wpeer *wp)
{
	CHECK(wp->depth);
	if (!--wp->depth)
		peer_pump(wp);
}

/* --- packets in --- */

static u64 cookie_for(const struct whost *h, u8 from, u64 seed)
{
	return mix64(h->secret ^ mix64(seed) ^ from) | 1;
}

static bool names_peer(const struct whost *h, const struct whost *to)
{
	struct wqp *qp;

	list_for_each_entry(qp, &h->qps, link)
		if (qp->peer && qp->peer->to == to && qp->state >= QP_RTR && qp->state <= QP_SQD)
			return true;
	return false;
}

static void stateless(struct whost *h, struct whost *to)
{
	struct wpkt *pkt = build_packet(h, to, &h->w->tx);

	sniff_packet(h->w, &h->w->tx, pkt);
	world_send(h->w, pkt);
}

static void input_connect(struct whost *h, struct whost *from, struct mroce_rx *rx)
{
	struct world *w = h->w;
	struct wpeer *wp;
	u64 seed, cookie = mroce_connect_cookie(rx, &seed), want = cookie_for(h, from->index, seed);

	if (mroce_connect_valid(rx) && cookie != want &&
	    (h->cookies == WCOOKIE_ALWAYS ||
	     (h->cookies == WCOOKIE_POLICY && !names_peer(h, from)))) {
		if (mroce_build_cookie(rx, h->limits.instance, want, &w->tx))
			stateless(h, from);
		return;
	}
	wp = host_peer(h, from);
	core_enter(wp);
	mroce_peer_connect(&wp->p, rx, w->now);
	core_leave(wp);
}

static void input_known(struct whost *h, struct whost *from, struct mroce_rx *rx)
{
	u32 id = mroce_pkt_conn_id(rx);
	struct mroce_conn *conn = NULL;
	struct wpeer *wp;
	u32 i;

	for (i = 0; i < WORLD_CONNS && !conn; i++)
		if (h->conns[i] && h->conns[i]->rx_id == id)
			conn = h->conns[i];
	if (!conn || container_of(conn->peer, struct wpeer, p)->to != from) {
		h->unknown++;
		if (!h->no_reset && mroce_build_reset(rx, &h->w->tx)) {
			h->resets++;
			stateless(h, from);
		}
		return;
	}
	wp = container_of(conn->peer, struct wpeer, p);
	core_enter(wp);
	mroce_conn_input(conn, rx, h->w->now);
	core_leave(wp);
}

static void input_reset(struct whost *h, struct whost *from, struct mroce_rx *rx)
{
	struct wpeer *wp = host_peer(h, from);

	core_enter(wp);
	mroce_peer_reset(&wp->p, rx, h->w->now);
	core_leave(wp);
}

/** host_input() - @pkt has arrived */
void host_input(struct whost *h, struct wpkt *pkt)
{
	struct mroce_rx rx = {
		.hdr	= pkt->data,
		.len	= pkt->len,
		.ce	= pkt->ce,
		.from	= pkt->route,
		.cookie	= pkt,
	};
	struct whost *from = &h->w->host[pkt->from];
	enum mroce_counter why;

	h->w->delivered++;
	switch (mroce_pkt_type(&rx, &why)) {
	case 0:
		h->bad++;
		h->stats[why]++;
		break;
	case MROCE_PT_CONNECT:
		input_connect(h, from, &rx);
		break;
	case MROCE_PT_RESET:
		input_reset(h, from, &rx);
		break;
	case MROCE_PT_DATAGRAM:
		break;
	default:
		input_known(h, from, &rx);
	}
	if (!pkt->is_held)
		wpkt_free(pkt);
}

/* --- hosts and peers --- */

void host_init(struct world *w, int index)
{
	struct whost *h = &w->host[index];
	int i;

	h->w = w;
	h->index = index;
	INIT_LIST_HEAD(&h->peers);
	INIT_LIST_HEAD(&h->qps);
	INIT_LIST_HEAD(&h->mrs);
	h->port = w->cfg.port;
	h->limits.instance = rng_next(&w->rng);
	h->limits.max_payload = w->cfg.payload;
	h->limits.npaths = w->cfg.npaths;
	h->limits.psn_window = w->cfg.psn_window;
	h->limits.msn_window = w->cfg.msn_window;
	h->limits.held_cap = w->cfg.held_cap;
	h->secret = rng_next(&w->rng);
	mroce_share_init(&h->share);
	mroce_share_speed(&h->share, w->cfg.rx_speed);
	h->next_qpn = 0x10 + rng_below(&w->rng, 1 << 23);
	h->next_key = (u32)rng_next(&w->rng);
	for (i = 0; i < w->cfg.planes; i++)
		h->route_payload[i] = w->cfg.payload;
}

struct wpeer *host_peer(struct whost *h, struct whost *to)
{
	struct wpeer *wp;

	list_for_each_entry(wp, &h->peers, link)
		if (wp->to == to)
			return wp;
	wp = os_alloc(sizeof(*wp));
	wp->h = h;
	wp->to = to;
	mroce_peer_init(&wp->p);
	wp->p.ops = &world_host_ops;
	wp->p.limits = h->limits;
	wp->p.loopback = h == to;
	wp->p.host = wp;
	list_add_tail(&wp->link, &h->peers);
	return wp;
}

static void peer_end(struct wpeer *wp)
{
	struct whost *h = wp->h;
	int i;

	CHECK(list_empty(&wp->p.streams));
	CHECK_EQ(wp->p.nstreams, 0);
	wp->depth++;
	mroce_peer_destroy(&wp->p);
	wp->depth--;
	CHECK(list_empty(&wp->p.conns));
	CHECK(list_empty(&wp->p.out));
	CHECK_EQ(mroce_peer_next_timer(&wp->p), ~0ULL);
	CHECK_EQ(wp->p.held_bytes, 0);
	CHECK_EQ(wp->p.half_open, 0);
	CHECK_EQ(wp->p.rmsgs.in_use, 0);
	for (i = 0; i < MROCE_CNT_MAX; i++)
		h->stats[i] += wp->p.stats[i];
	list_del(&wp->link);
	os_free(wp);
}

/** host_end() - QPs are gone: peers go, and nothing stays */
void host_end(struct whost *h)
{
	struct wpeer *wp, *tmp;

	list_for_each_entry_safe(wp, tmp, &h->peers, link)
		peer_end(wp);
	CHECK_EQ(h->nconns, 0);
	CHECK_EQ(h->share.n, 0);
	CHECK_EQ(h->share.greedy, 0);
	CHECK_EQ(h->share.wanted, 0);
	CHECK_EQ(h->alloc_bytes, 0);
}

void host_routes_changed(struct whost *h)
{
	struct wpeer *wp;

	list_for_each_entry(wp, &h->peers, link) {
		core_enter(wp);
		mroce_peer_routes_changed(&wp->p, h->w->now);
		core_leave(wp);
	}
}

void host_restart(struct whost *h)
{
	struct wqp *qp;

	list_for_each_entry(qp, &h->qps, link) {
		qp_reset(qp);
		if (qp->remote)
			qp->remote->remote = NULL;
		qp->remote = NULL;
	}
	host_end(h);
	h->limits.instance = rng_next(&h->w->rng);
	h->secret = rng_next(&h->w->rng);
}

u64 host_stat(const struct whost *h, enum mroce_counter c)
{
	u64 sum = h->stats[c];
	struct wpeer *wp;

	list_for_each_entry(wp, &h->peers, link)
		sum += wp->p.stats[c];
	return sum;
}

u64 world_stat(const struct world *w, enum mroce_counter c)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < w->cfg.hosts; i++)
		sum += host_stat(&w->host[i], c);
	return sum;
}

struct mroce_conn *host_conn(struct whost *h, struct whost *to, u8 tclass)
{
	struct mroce_conn *conn, *best = NULL;
	struct wpeer *wp = host_peer(h, to);

	list_for_each_entry(conn, &wp->p.conns, link)
		if (conn->tclass == tclass && !(wp->p.loopback && conn->passive))
			best = conn;
	return best;
}

u32 host_conns(const struct whost *h)
{
	return h->nconns;
}

static void check_path(const struct mroce_path *p)
{
	const struct mroce_sent *sent;
	u32 bytes = 0, n = 0, slots = 0, psn;

	list_for_each_entry(sent, &p->inflight, tx_link) {
		CHECK(!sent->lost);
		bytes += sent->bytes;
		n++;
	}
	list_for_each_entry(sent, &p->lost, tx_link) {
		CHECK(sent->lost);
		n++;
	}
	for (psn = p->tx.una; psn != p->tx.nxt; psn++)
		slots += !!p->tx.slots[psn & (p->tx.size - 1)];
	CHECK_EQ(bytes, p->inflight_bytes);
	CHECK_EQ(n, slots);
	CHECK_LE(p->tx.nxt - p->tx.una, p->tx.limit);
}

static void check_conn(const struct mroce_conn *conn)
{
	const struct mroce_stream *s;
	u64 inflight = 0, backlog = 0;
	u32 i, lost = 0, streams = 0;

	for (i = 0; i < conn->npaths_alloc; i++) {
		const struct mroce_sent *sent;

		check_path(conn->paths[i]);
		inflight += conn->paths[i]->inflight_bytes;
		list_for_each_entry(sent, &conn->paths[i]->lost, tx_link)
			lost++;
	}
	list_for_each_entry(s, &conn->peer->streams, peer_link) {
		if (s->conn != conn)
			continue;
		streams++;
		backlog += mroce_stream_backlog(s);
	}
	CHECK_EQ(inflight, conn->inflight_bytes);
	CHECK_EQ(lost, conn->lost_pkts);
	CHECK_EQ(streams, conn->nstreams);
	CHECK_EQ(backlog, conn->backlog);
}

void world_check_conns(struct world *w)
{
	int i;

	for (i = 0; i < w->cfg.hosts; i++) {
		struct wpeer *wp;

		list_for_each_entry(wp, &w->host[i].peers, link) {
			const struct mroce_conn *conn;
			u32 half = 0;

			list_for_each_entry(conn, &wp->p.conns, link) {
				check_conn(conn);
				half += conn->state == MROCE_CONN_HALF;
			}
			CHECK_EQ(half, wp->p.half_open);
		}
	}
}

static void host_path_event(const struct mroce_path *p, enum mroce_path_event ev, u32 n)
{
	struct wpeer *wp = p->conn->peer->host;
	bool counts = ev == MROCE_PATH_EV_LOSS || ev == MROCE_PATH_EV_PROBE ||
		      ev == MROCE_PATH_EV_RTO;

	CHECK(p->conn->paths[p->index] == p);
	CHECK_EQ(!!n, counts);
	wp->h->path_events[ev] += n ?: 1;
}

const struct mroce_host_ops world_host_ops = {
	.alloc			= host_alloc,
	.free			= host_free,
	.random32		= host_random32,
	.conn_register		= host_conn_register,
	.conn_unregister	= host_conn_unregister,
	.conn_free		= host_conn_free,
	.conn_routes		= host_conn_routes,
	.rx_share		= host_rx_share,
	.path_event		= host_path_event,
	.stream_find		= op_stream_find,
	.send_done		= op_send_done,
	.recv_done		= op_recv_done,
	.stream_failed		= op_stream_failed,
	.established		= op_established,
	.sq_drained		= op_sq_drained,
	.local_op		= op_local,
	.recv_bind		= op_recv_bind,
	.recv_unbind		= op_recv_unbind,
	.recv_limit		= op_recv_limit,
	.rnr_timer		= op_rnr_timer,
	.mr_check		= op_mr_check,
	.place			= op_place,
	.place_recv		= op_place_recv,
	.place_resp		= op_place_resp,
	.place_atomic		= op_place_atomic,
	.atomic			= op_atomic,
	.invalidate		= op_invalidate,
	.copy_payload		= op_copy_payload,
	.hold			= host_hold,
	.held_cookie		= host_held_cookie,
	.release		= host_release,
};
