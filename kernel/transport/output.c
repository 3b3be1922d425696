// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What leaves next: handshake, refusals and acknowledgements, what was lost, control messages, then
 * the streams in turn, byte-fair (deficit round robin) [M129], each packet on the path that is
 * expected to deliver first.
 */
#include "internal.h"

#define DRR_QUANTUM(conn)	((s32)(2 * mroce_conn_mss(conn)))

static u32 sent_bytes(const struct mroce_seg *seg)
{
	return MROCE_DATA_HDR_LEN + (seg ? seg->len : 0);
}

/*
 * The next packet depends on an ACK: ask for one. Not if one was asked for within half a window: it
 * is under way, and frees enough to ask again. It may be lost where packets are: there each asks.
 */
static bool needs_ack(const struct mroce_conn *conn, const struct mroce_path *p)
{
	if (mroce_pace_full(conn))
		return true;
	if (mroce_path_room(p, mroce_conn_mss(conn)))
		return false;
	return p->cc.loss_map || p->loss.unasked >= p->cc.cwnd / 2;
}

static void transmit(struct mroce_conn *conn, struct mroce_path *p, struct mroce_sent *sent,
		     u8 flags, struct mroce_tx *tx, u64 now)
{
	struct mroce_peer *peer = conn->peer;

	sent->bytes = sent_bytes(sent->seg);
	mroce_txwin_sent(p, sent, now);
	mroce_pace_sent(conn, sent->bytes, now);
	p->loss.unasked += sent->bytes;
	if (needs_ack(conn, p))
		flags |= MROCE_F_ACK_REQ;
	if (sent->ntx > 1) {
		flags |= MROCE_F_RETX | MROCE_F_ACK_REQ;
		mroce_count(peer, MROCE_CNT_TX_RETX);
	}
	if (flags & MROCE_F_ACK_REQ)
		p->loss.unasked = 0;
	if (sent->probe)
		p->loss.probe_tick = mroce_tick(now);
	sent->probe = false;
	if (!sent->seg)
		mroce_count(peer, MROCE_CNT_TX_EMPTY);
	mroce_build_data(conn, p, sent, flags, tx, now);
	mroce_count(peer, MROCE_CNT_TX_DATA);
	peer->stats[MROCE_CNT_TX_BYTES] += tx->len;
	if (!p->timer.armed)
		mroce_loss_arm(p);
	mroce_conn_idle_watch(conn, now);
}

/*
 * A lost packet goes out again on its own path, under its own PSN, before anything new of that
 * path.
 */
static bool output_lost(struct mroce_conn *conn, struct mroce_tx *tx, u64 now)
{
	bool may;
	u32 i;

	if (!conn->lost_pkts)
		return false;
	may = mroce_pace_room(conn, now);
	for (i = 0; i < conn->npaths; i++) {
		struct mroce_path *p = conn->paths[(conn->next_lost + i) % conn->npaths];
		struct mroce_sent *sent;

		if (list_empty(&p->lost))
			continue;
		sent = list_first_entry(&p->lost, struct mroce_sent, tx_link);
		if (!sent->probe && !(mroce_path_room(p, sent_bytes(sent->seg)) && may))
			continue;
		conn->next_lost = p->index + 1;
		transmit(conn, p, sent, 0, tx, now);
		return true;
	}
	return false;
}

/* The next content: a control message, or a segment of the stream whose turn it is. */
static struct mroce_seg *next_seg(struct mroce_conn *conn, u64 now)
{
	struct mroce_stream *s;
	struct mroce_seg *seg;

	if (!list_empty(&conn->ctrl)) {
		seg = list_first_entry(&conn->ctrl, struct mroce_seg, link);
		list_del_init(&seg->link);
		return seg;
	}
	while (!list_empty(&conn->ready)) {
		s = list_first_entry(&conn->ready, struct mroce_stream, ready_link);
		if (s->deficit <= 0) {
			s->deficit += DRR_QUANTUM(conn);
			list_move_tail(&s->ready_link, &conn->ready);
			continue;
		}
		seg = mroce_stream_next_seg(s, now);
		if (!seg) {
			/* There was no memory for it: kick_timer tries again [M121]. */
			if (mroce_stream_backlogged(s))
				return NULL;
			list_del_init(&s->ready_link);
			s->deficit = 0;
			continue;
		}
		s->deficit -= sent_bytes(seg);
		list_add_tail(&seg->link, &s->segs);
		if (!mroce_stream_backlogged(s)) {
			list_del_init(&s->ready_link);
			s->deficit = 0;
		}
		return seg;
	}
	return NULL;
}

static void no_memory(struct mroce_conn *conn, u64 now)
{
	if (!conn->kick_timer.armed)
		mroce_timer_arm(&conn->peer->timers, &conn->kick_timer, now + NSEC_MS);
}

/*
 * Nothing follows on this path that would bring the verdict along: each path has its last
 * packet.
 */
static bool last_of_paths(const struct mroce_conn *conn)
{
	return (list_empty(&conn->ctrl) && list_empty(&conn->ready)) ||
	       conn->backlog < (u64)conn->nactive * conn->payload;
}

static bool output_new(struct mroce_conn *conn, struct mroce_tx *tx, u64 now)
{
	struct mroce_sent *sent;
	struct mroce_path *p;
	struct mroce_seg *seg;
	u8 flags = 0;

	if (list_empty(&conn->ctrl) && list_empty(&conn->ready))
		return false;
	if (!mroce_pace_room(conn, now))
		return false;
	p = mroce_path_select(conn, mroce_conn_mss(conn), now);
	if (!p)
		return false;
	sent = mroce_txwin_add(conn, p);
	if (!sent) {
		no_memory(conn, now);
		return false;
	}
	seg = next_seg(conn, now);
	if (!seg) {
		mroce_txwin_undo(conn, p, sent);
		return false;
	}
	sent->seg = seg;
	seg->sent = sent;
	if (last_of_paths(conn))
		flags |= MROCE_F_ACK_REQ;
	transmit(conn, p, sent, flags, tx, now);
	return true;
}

static bool output_probe_reply(struct mroce_conn *conn, struct mroce_tx *tx)
{
	u32 n;

	if (!conn->nreplies)
		return false;
	n = --conn->nreplies;
	mroce_tx_init(tx, conn, conn->reply_to[n], conn->tclass);
	memcpy(tx->hdr, &conn->replies[n], sizeof(conn->replies[n]));
	tx->hdr_len = sizeof(conn->replies[n]);
	mroce_count(conn->peer, MROCE_CNT_TX_PROBE);
	return true;
}

static bool conn_output(struct mroce_conn *conn, struct mroce_tx *tx, u64 now)
{
	if (mroce_handshake_output(conn, tx, now))
		return true;
	if (conn->state != MROCE_CONN_OPEN)
		return false;
	return mroce_nak_output(conn, tx, now) || mroce_ack_output(conn, tx, now) ||
	       output_probe_reply(conn, tx) || mroce_home_output(conn, tx, now) ||
	       output_lost(conn, tx, now) || output_new(conn, tx, now);
}

int mroce_peer_output(struct mroce_peer *peer, struct mroce_tx *tx, u64 now)
{
	struct mroce_conn *conn;

	while (!list_empty(&peer->out)) {
		conn = list_first_entry(&peer->out, struct mroce_conn, out_link);
		/* Off the list first: what conn_output() finds out may put it back. */
		list_del_init(&conn->out_link);
		if (!conn_output(conn, tx, now))
			continue;
		conn->tx_last = now;
		mroce_conn_out(conn);
		return 1;
	}
	return 0;
}

void mroce_tx_failed(struct mroce_peer *peer, struct mroce_tx *tx, u64 now)
{
	struct mroce_seg *seg = tx->seg;
	struct mroce_stream *s = tx->stream;
	struct mroce_conn *conn = tx->conn;

	if (!seg || !s)
		return;
	mroce_txwin_lose(conn->paths[tx->path], seg->sent);
	if (seg->kind == MROCE_SEG_MSG) {
		mroce_stream_error(s, seg->msg->msn, MROCE_ST_LOC_PROT, now);
	} else {
		struct mroce_rmsg *r = seg->resp;

		mroce_seg_cancel(conn, seg);
		r->resp_out--;
		mroce_response_failed(s, r, now);
	}
	mroce_conn_out(conn);
}
