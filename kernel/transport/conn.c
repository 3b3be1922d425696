// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connections: birth, death, and where a received packet goes. Also the segments, the contents that
 * PSNs carry.
 */
#include "internal.h"

/**
 * mroce_conn_out() - @conn may have something to send
 * @conn:	connection
 */
void mroce_conn_out(struct mroce_conn *conn)
{
	if (list_empty(&conn->out_link))
		list_add_tail(&conn->out_link, &conn->peer->out);
}

static void kick_timer(struct mroce_timer *t, u64 now)
{
	mroce_conn_out(container_of(t, struct mroce_conn, kick_timer));
}

static bool conn_quiet(const struct mroce_conn *conn)
{
	return !conn->inflight_bytes && !conn->lost_pkts && list_empty(&conn->ctrl);
}

/*
 * Runs a second after the last activity: memory goes back. While the peer has streams here
 * the connection stays for ever, also one that they only receive on [M35]; without, it goes later.
 */
static void idle_timer(struct mroce_timer *t, u64 now)
{
	struct mroce_conn *conn = container_of(t, struct mroce_conn, idle_timer);
	u64 last = max(conn->rx_last, conn->tx_last);
	u32 i;

	/* Nobody sends here, nobody answers: what is in flight concerns nobody [M35]. */
	if (!conn->peer->nstreams && conn->state == MROCE_CONN_OPEN &&
	    now - conn->rx_last >= MROCE_IDLE_LIFE) {
		mroce_count(conn->peer, MROCE_CNT_CONN_EXPIRED);
		mroce_conn_destroy(conn);
		return;
	}
	if (!conn_quiet(conn) || now - last < MROCE_TRIM_AFTER) {
		mroce_timer_arm(&conn->peer->timers, t, now + MROCE_TRIM_AFTER);
		return;
	}
	mroce_pool_trim(conn->peer, &conn->segs);
	mroce_pool_trim(conn->peer, &conn->sents);
	mroce_pool_trim(conn->peer, &conn->peer->rmsgs);
	for (i = 0; i < conn->npaths_alloc; i++) {
		mroce_txwin_trim(conn->paths[i]);
		mroce_rxwin_trim(conn->peer, &conn->paths[i]->rx);
	}
	if (conn->peer->nstreams || conn->state != MROCE_CONN_OPEN)
		return;
	mroce_timer_arm(&conn->peer->timers, t, conn->rx_last + MROCE_IDLE_LIFE);
}

/**
 * mroce_conn_idle_watch() - look in a while whether @conn is still used
 * @conn:	connection
 * @now:	current time, ns
 */
void mroce_conn_idle_watch(struct mroce_conn *conn, u64 now)
{
	if (!conn->idle_timer.armed)
		mroce_timer_arm(&conn->peer->timers, &conn->idle_timer, now + MROCE_TRIM_AFTER);
}

/* Seeds: for each attempt anew, and nobody else's to guess [M14, M139]. */
static u64 random64(struct mroce_peer *peer)
{
	return (u64)peer->ops->random32(peer) << 32 | peer->ops->random32(peer);
}

static void conn_init(struct mroce_conn *conn, struct mroce_peer *peer, u8 tclass, bool passive,
		      u64 now)
{
	conn->peer = peer;
	conn->tclass = tclass;
	conn->passive = passive;
	conn->state = passive ? MROCE_CONN_HALF : MROCE_CONN_CONNECTING;
	conn->seed = random64(peer);
	conn->born = now;
	conn->rx_last = now;
	conn->tx_last = now;
	conn->hs_backoff = MROCE_HS_FIRST;
	conn->cc = &mroce_cc_dctcp;
	conn->probe_slack = MROCE_PROBE_SLACK;
	conn->hint = MROCE_HINT_NONE;
	conn->path_limit = MROCE_MAX_PATHS;
	conn->plane_mask = ~0U;
	conn->max_payload = peer->limits.max_payload;
	conn->payload = peer->limits.max_payload;
	conn->psn_window = peer->limits.psn_window;
	conn->msn_window = peer->limits.msn_window;
	INIT_LIST_HEAD(&conn->link);
	INIT_LIST_HEAD(&conn->out_link);
	INIT_LIST_HEAD(&conn->ready);
	INIT_LIST_HEAD(&conn->ctrl);
	INIT_LIST_HEAD(&conn->ack_wait);
	INIT_LIST_HEAD(&conn->ack_due);
	INIT_LIST_HEAD(&conn->credits);
	INIT_LIST_HEAD(&conn->active);
	conn->hs_timer.fn = mroce_hs_timer;
	conn->idle_timer.fn = idle_timer;
	conn->ack_timer.fn = mroce_ack_timer;
	conn->kick_timer.fn = kick_timer;
	conn->home_timer.fn = mroce_home_timer;
	conn->pace.timer.fn = mroce_pace_timer;
	mroce_pool_init(&conn->segs, sizeof(struct mroce_seg));
	mroce_pool_init(&conn->sents, sizeof(struct mroce_sent));
}

static void conn_free_paths(struct mroce_conn *conn)
{
	while (conn->npaths_alloc)
		mroce_path_destroy(conn->paths[--conn->npaths_alloc]);
}

static bool conn_make_paths(struct mroce_conn *conn)
{
	u32 i;

	for (i = 0; i < conn->peer->limits.npaths; i++) {
		conn->paths[i] = mroce_path_create(conn, i);
		if (!conn->paths[i])
			return false;
		conn->npaths_alloc++;
	}
	conn->npaths = conn->npaths_alloc;
	for (i = 0; i < conn->npaths; i++)
		conn->cc->init(conn->paths[i]);
	return true;
}

/**
 * mroce_conn_create() - a connection that starts to connect, or one that answers a CONNECT
 * @peer:	association
 * @tclass:	traffic class
 * @passive:	it answers a CONNECT: half open until that is confirmed
 * @now:	current time, ns
 *
 * Return: the connection, or NULL without memory or ids
 */
struct mroce_conn *mroce_conn_create(struct mroce_peer *peer, u8 tclass, bool passive, u64 now)
{
	struct mroce_conn *conn = peer->ops->alloc(peer, sizeof(*conn));

	if (!conn)
		return NULL;
	conn_init(conn, peer, tclass, passive, now);
	if (!conn_make_paths(conn) || peer->ops->conn_register(conn)) {
		conn_free_paths(conn);
		peer->ops->free(peer, conn, sizeof(*conn));
		return NULL;
	}
	mroce_conn_spread(conn, false);
	mroce_select_start(conn);
	list_add_tail(&conn->link, &peer->conns);
	if (passive) {
		peer->half_open++;
		mroce_timer_arm(&peer->timers, &conn->hs_timer, now + MROCE_HALF_OPEN_LIFE);
	} else {
		conn->send_connect = true;
		mroce_timer_arm(&peer->timers, &conn->hs_timer, now + conn->hs_backoff);
		mroce_conn_out(conn);
	}
	return conn;
}

/**
 * mroce_conn_destroy() - drop @conn silently
 * @conn:	connection
 *
 * No stream may be bound to it any more.
 */
void mroce_conn_destroy(struct mroce_conn *conn)
{
	struct mroce_peer *peer = conn->peer;
	struct mroce_stream *s, *stmp;
	struct mroce_seg *seg, *tmp;

	if (conn->state == MROCE_CONN_HALF)
		peer->half_open--;
	conn->state = MROCE_CONN_DEAD;
	peer->ops->conn_unregister(conn);
	list_del(&conn->link);
	list_del(&conn->out_link);
	mroce_timer_cancel(&peer->timers, &conn->hs_timer);
	mroce_timer_cancel(&peer->timers, &conn->idle_timer);
	mroce_timer_cancel(&peer->timers, &conn->ack_timer);
	mroce_timer_cancel(&peer->timers, &conn->kick_timer);
	mroce_timer_cancel(&peer->timers, &conn->home_timer);
	mroce_timer_cancel(&peer->timers, &conn->pace.timer);
	list_for_each_entry_safe(s, stmp, &conn->credits, credit_link)
		list_del_init(&s->credit_link);
	list_for_each_entry_safe(seg, tmp, &conn->ctrl, link)
		mroce_seg_put(conn, seg);
	conn_free_paths(conn);
	mroce_pool_trim(peer, &conn->segs);
	mroce_pool_trim(peer, &conn->sents);
	peer->ops->conn_free(peer, conn, sizeof(*conn));
}

/**
 * mroce_conn_for_class() - the connection that sends with @tclass [M9], perhaps a new one
 * @peer:	association
 * @tclass:	traffic class
 * @now:	current time, ns
 *
 * Return: the connection, or NULL without memory or ids
 */
struct mroce_conn *mroce_conn_for_class(struct mroce_peer *peer, u8 tclass, u64 now)
{
	struct mroce_conn *conn, *best = NULL;

	list_for_each_entry(conn, &peer->conns, link) {
		if (conn->tclass != tclass || (peer->loopback && conn->passive))
			continue;
		/* Of several half-open ones the newest. */
		if (!best || conn->state == MROCE_CONN_OPEN ||
		    (best->state == MROCE_CONN_HALF && conn->state != MROCE_CONN_DEAD))
			best = conn;
	}
	if (!best)
		return mroce_conn_create(peer, tclass, false, now);
	if (best->state == MROCE_CONN_HALF) {
		/*
		 * It has work now: should the other end's confirmation not come, connect ourselves
		 * [M20].
		 */
		best->state = MROCE_CONN_CONNECTING;
		peer->half_open--;
		mroce_timer_arm(&peer->timers, &best->hs_timer, now + best->hs_backoff);
	}
	return best;
}

/**
 * mroce_conn_lost() - the other end does not know @conn any more [M34]
 * @conn:	connection
 * @now:	current time, ns
 *
 * Opened streams end, others try again on another connection. @conn is gone afterwards.
 *
 * Context: ends streams: ops->send_done(), ops->stream_failed()
 */
void mroce_conn_lost(struct mroce_conn *conn, u64 now)
{
	struct mroce_peer *peer = conn->peer;
	struct mroce_stream *s, *tmp;

	mroce_count(peer, MROCE_CNT_CONN_RESET);
	if (conn->state == MROCE_CONN_HALF)
		peer->half_open--;
	conn->state = MROCE_CONN_DEAD;
	list_del_init(&conn->link);
	list_for_each_entry_safe(s, tmp, &peer->streams, peer_link) {
		struct mroce_conn *fresh;

		if (s->conn != conn)
			continue;
		if (s->opened) {
			mroce_stream_end(s, MROCE_FAIL_PEER_LOST, now);
			continue;
		}
		mroce_timer_cancel(&peer->timers, &s->open_timer);
		mroce_ctrl_orphan(s);
		mroce_stream_unbind(s);
		fresh = mroce_conn_for_class(peer, s->attr.tclass, now);
		if (!fresh) {
			mroce_stream_end(s, MROCE_FAIL_PEER_LOST, now);
			continue;
		}
		mroce_stream_bind(s, fresh);
		if (fresh->state == MROCE_CONN_OPEN)
			mroce_stream_open_start(s, now);
	}
	mroce_conn_destroy(conn);
}

/**
 * mroce_conn_opened() - both ends know each other: streams may open
 * @conn:	connection
 * @now:	current time, ns
 *
 * Earlier connections of this class are history.
 *
 * Context: ends the streams of those
 */
void mroce_conn_opened(struct mroce_conn *conn, u64 now)
{
	struct mroce_peer *peer = conn->peer;
	struct mroce_conn *old, *tmp;
	struct mroce_stream *s, *stmp;

	if (conn->state == MROCE_CONN_HALF)
		peer->half_open--;
	conn->state = MROCE_CONN_OPEN;
	conn->rx_last = now;
	mroce_timer_cancel(&peer->timers, &conn->hs_timer);
	mroce_select_start(conn);
	mroce_timer_arm(&peer->timers, &conn->idle_timer, now + MROCE_TRIM_AFTER);
	mroce_count(peer, MROCE_CNT_CONN_OPEN);

	list_for_each_entry_safe(old, tmp, &peer->conns, link) {
		if (old == conn || old->tclass != conn->tclass || old->state != MROCE_CONN_OPEN)
			continue;
		if (peer->loopback && old->passive != conn->passive)
			continue;
		mroce_conn_lost(old, now);
	}
	list_for_each_entry_safe(s, stmp, &peer->streams, peer_link)
		if (s->conn == conn && !s->opened)
			mroce_stream_open_start(s, now);
	mroce_conn_out(conn);
}

/**
 * mroce_seg_get() - a zeroed segment, in no list
 * @conn:	connection
 *
 * Return: the segment, or NULL without memory
 */
struct mroce_seg *mroce_seg_get(struct mroce_conn *conn)
{
	struct mroce_seg *seg = mroce_pool_get(conn->peer, &conn->segs);

	if (seg)
		INIT_LIST_HEAD(&seg->link);
	return seg;
}

/**
 * mroce_seg_put() - give back the memory of @seg, which nothing refers to
 * @conn:	connection
 * @seg:	segment
 */
void mroce_seg_put(struct mroce_conn *conn, struct mroce_seg *seg)
{
	if (seg->kind == MROCE_SEG_CTRL)
		conn->nctrl--;
	if (seg->slot)
		*seg->slot = NULL;
	mroce_pool_put(&conn->segs, seg);
}

/**
 * mroce_seg_cancel() - @seg's content is void; @seg is gone afterwards
 * @conn:	connection
 * @seg:	in a list of its stream's
 *
 * The PSN that carries it, if any, goes out as EMPTY from now on [M40].
 */
void mroce_seg_cancel(struct mroce_conn *conn, struct mroce_seg *seg)
{
	if (seg->sent)
		seg->sent->seg = NULL;
	list_del(&seg->link);
	mroce_seg_put(conn, seg);
}

/**
 * mroce_seg_accepted() - final good news of @seg, which is gone afterwards
 * @conn:	connection
 * @seg:	off its PSN, in a list of its stream's
 * @now:	current time, ns
 *
 * Context: may complete messages and end the stream
 */
void mroce_seg_accepted(struct mroce_conn *conn, struct mroce_seg *seg, u64 now)
{
	struct mroce_stream *s = seg->stream;
	struct mroce_rmsg *resp;
	struct mroce_msg *msg;
	u8 kind = seg->kind;

	list_del(&seg->link);
	if (kind == MROCE_SEG_CTRL) {
		mroce_seg_put(conn, seg);
		return;
	}
	msg = seg->msg;
	resp = seg->resp;
	mroce_seg_put(conn, seg);
	if (kind == MROCE_SEG_MSG)
		mroce_msg_accepted(s, msg, now);
	else
		mroce_response_accepted(s, resp, now);
}

/**
 * mroce_seg_refused() - @seg was refused and has left its PSN
 * @conn:	connection
 * @seg:	segment
 * @syn:	enum mroce_syndrome
 * @arg:	argument of the syndrome (RNR: timer code)
 * @now:	current time, ns
 *
 * Content of a request is kept for later, or fails its message; other segments are gone afterwards.
 *
 * Context: may end the stream
 */
void mroce_seg_refused(struct mroce_conn *conn, struct mroce_seg *seg, u8 syn, u8 arg, u64 now)
{
	struct mroce_stream *s = seg->stream;
	struct mroce_rmsg *r;

	switch (seg->kind) {
	case MROCE_SEG_CTRL: {
		struct mroce_ctrl c = seg->ctrl;

		list_del(&seg->link);
		mroce_seg_put(conn, seg);
		mroce_ctrl_refused(conn, &c, now);
		break;
	}
	case MROCE_SEG_RESP:
		/* The requester's QP is gone: nobody waits for the answer. */
		r = seg->resp;
		list_del(&seg->link);
		mroce_seg_put(conn, seg);
		r->resp_dead = true;
		r->resp_cut = true;
		mroce_response_accepted(s, r, now);
		break;
	case MROCE_SEG_MSG:
		list_del_init(&seg->link);
		mroce_msg_refused(s, seg, syn, arg, now);
		break;
	}
}

static const enum mroce_counter refuse_counter[MROCE_SYN_MAX] = {
	[MROCE_SYN_RNR]		= MROCE_CNT_REFUSE_RNR,
	[MROCE_SYN_NO_STREAM]	= MROCE_CNT_REFUSE_NO_STREAM,
	[MROCE_SYN_LATER]	= MROCE_CNT_REFUSE_LATER,
	[MROCE_SYN_INVALID]	= MROCE_CNT_REFUSE_INVALID,
	[MROCE_SYN_ACCESS]	= MROCE_CNT_REFUSE_ACCESS,
	[MROCE_SYN_OP]		= MROCE_CNT_REFUSE_OP,
};

/*
 * Its first verdict, at once [M41]: what the content's owner says. EMPTY is always welcome [M44].
 */
static struct mroce_verdict data_verdict(struct mroce_conn *conn, const struct mroce_data *d,
					 struct mroce_rx *rx, u64 now)
{
	if (d->opcode == MROCE_OP_EMPTY)
		return MROCE_ACCEPT;
	if (mroce_opcode_is_ctrl(d->opcode))
		return mroce_ctrl_input(conn, d, rx, now);
	return mroce_stream_input(conn, d, rx, now);
}

/*
 * A packet that was sent again although it had arrived tells the sender that it was late; a copy
 * that the network made, which comes right behind with the same timestamp, tells nothing.
 */
static void data_duplicate(struct mroce_path *p, bool copied)
{
	p->dup_count += !copied;
	mroce_count(p->conn->peer, MROCE_CNT_RX_DUP);
}

static void data_note(struct mroce_path *p, const struct mroce_data *d, const struct mroce_rx *rx,
		      bool known, u64 now)
{
	bool moved = p->from.ifindex != rx->from.ifindex || p->from.sport != rx->from.sport;

	/* Sent again though we had it, or because we did not: perhaps our ACKs are lost [M52]. */
	if (moved)
		p->ack_moves = 0;
	else if (known || d->flags & MROCE_F_RETX)
		p->ack_moves++;
	p->from = rx->from;
	p->rx_psn = d->psn;
	p->rx_tstamp = d->tstamp;
	p->rx_tstamp_at = now;
	p->rx_count++;
	if (rx->ce) {	/* [M122] */
		p->ce_count++;
		mroce_count(p->conn->peer, MROCE_CNT_RX_CE);
	}
}

/*
 * What is to come: the rest of this message, or all that is waiting. Responses are no work of the
 * sender's own and not in its backlog.
 */
static void data_demand(struct mroce_conn *conn, const struct mroce_data *d,
			const struct mroce_rx *rx)
{
	struct mroce_demand *in = &conn->inbound;
	u32 end = d->offset + d->len;

	in->ifindex = rx->from.ifindex;
	in->pkt = rx->len + MROCE_WIRE_EXTRA;
	in->bytes += in->pkt;
	in->left = mroce_backlog_bytes(d->backlog);
	if (d->len && d->msg_len > end)
		in->left = max_t(u64, in->left, d->msg_len - end);
}

static void data_new(struct mroce_conn *conn, struct mroce_path *p, const struct mroce_data *d,
		     struct mroce_rx *rx, bool urgent, u64 now)
{
	bool in_order = d->psn == p->rx.next;
	struct mroce_verdict v = data_verdict(conn, d, rx, now);

	switch (v.what) {
	case MROCE_V_DROP:
		mroce_count(conn->peer, MROCE_CNT_DROP_NOMEM);
		return;
	case MROCE_V_REFUSE:
		if (!mroce_rxwin_refuse(conn->peer, &p->rx, d->psn, v.syn, v.arg)) {
			mroce_count(conn->peer, MROCE_CNT_DROP_NOMEM);
			return;
		}
		mroce_count(conn->peer, refuse_counter[v.syn]);
		mroce_nak_note(conn, d->path, d->psn, v.syn, v.arg);
		urgent = true;
		break;
	case MROCE_V_ACCEPT:
		mroce_rxwin_accept(&p->rx, d->psn);
		conn->peer->stats[MROCE_CNT_RX_BYTES] += d->len;
		break;
	}
	if (!in_order) {
		mroce_count(conn->peer, MROCE_CNT_RX_GAP);
		urgent = true;
	}
	mroce_ack_note(p, urgent, now);
}

static void data_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now)
{
	struct mroce_peer *peer = conn->peer;
	enum mroce_rx_verdict known;
	struct mroce_path *p;
	struct mroce_data d;
	u8 syn = 0, arg = 0;
	bool urgent, copied;

	if (!conn->has_peer) {
		mroce_count(peer, MROCE_CNT_DROP_CONN_STATE);
		return;
	}
	if (!mroce_decode_data(rx, &d)) {
		mroce_count(peer, MROCE_CNT_DROP_MALFORMED);
		return;
	}
	if (d.path >= conn->npaths) {
		mroce_count(peer, MROCE_CNT_DROP_PATH);
		return;
	}
	p = conn->paths[d.path];
	known = mroce_rxwin_check(peer, &p->rx, d.psn, &syn, &arg);
	if (known == MROCE_RX_OUTSIDE || known == MROCE_RX_NOMEM) {
		mroce_count(peer, known == MROCE_RX_OUTSIDE ? MROCE_CNT_DROP_PSN :
							      MROCE_CNT_DROP_NOMEM);
		return;
	}
	if (!mroce_conn_confirm(conn, false, now)) {
		mroce_handshake_answer(conn, rx->from);
		return;
	}
	conn->rx_last = now;
	mroce_conn_idle_watch(conn, now);
	mroce_count(peer, MROCE_CNT_RX_DATA);
	/* [M49]; gaps and refusals are found in data_new() */
	urgent = (d.flags & MROCE_F_ACK_REQ) || rx->ce != p->last_ce || !p->rx_count;
	p->last_ce = rx->ce;
	copied = d.tstamp == p->rx_tstamp;
	data_note(p, &d, rx, known != MROCE_RX_NEW, now);
	data_demand(conn, &d, rx);

	switch (known) {
	case MROCE_RX_ACCEPTED:
		data_duplicate(p, copied);
		mroce_ack_note(p, true, now);
		break;
	case MROCE_RX_REFUSED:
		if (d.opcode == MROCE_OP_EMPTY) {
			mroce_rxwin_accept(&p->rx, d.psn);
		} else {
			data_duplicate(p, copied);
			mroce_nak_note(conn, d.path, d.psn, syn, arg);
		}
		mroce_ack_note(p, true, now);
		break;
	default:
		data_new(conn, p, &d, rx, urgent, now);
	}
}

/* [M63] */
static void probe_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now)
{
	struct mroce_probe pr;

	memcpy(&pr, rx->hdr, sizeof(pr));
	if (!conn->has_peer || pr.path >= conn->npaths) {
		mroce_count(conn->peer, MROCE_CNT_DROP_PATH);
		return;
	}
	conn->rx_last = now;
	if (pr.flags & MROCE_PROBE_F_REPLY) {
		mroce_home_answer(conn, &pr);
		mroce_conn_out(conn);
		return;
	}
	pr.flags |= MROCE_PROBE_F_REPLY;
	pr.conn_id = cpu_to_be32(conn->tx_id);
	if (conn->nreplies == MROCE_PROBE_REPLIES)
		return;
	conn->replies[conn->nreplies] = pr;
	conn->reply_to[conn->nreplies++] = rx->from;
	mroce_conn_out(conn);
}

void mroce_conn_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now)
{
	u8 type = MROCE_TYPE_OF(*(const u8 *)rx->hdr);

	if (conn->state == MROCE_CONN_DEAD) {
		mroce_count(conn->peer, MROCE_CNT_DROP_CONN_STATE);
		return;
	}
	switch (type) {
	case MROCE_PT_ACCEPT:
		mroce_accept_input(conn, rx, now);
		break;
	case MROCE_PT_DATA:
		data_input(conn, rx, now);
		break;
	case MROCE_PT_ACK:
		mroce_ack_input(conn, rx, now);
		break;
	case MROCE_PT_NAK:
		mroce_nak_input(conn, rx, now);
		break;
	case MROCE_PT_PROBE:
		probe_input(conn, rx, now);
		break;
	default:
		mroce_count(conn->peer, MROCE_CNT_DROP_TYPE);
	}
}
