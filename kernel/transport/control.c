// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control messages about streams: OPEN and OPENED give a stream its identity, CLOSED and QUERY tell
 * a requester that an answer will not come. Each is the content of one PSN, so none is lost [M114];
 * each is complete in itself, so it outlives the stream that sent it.
 */
#include "internal.h"

/*
 * Control segments that may wait or be in flight: a peer that asks and never acknowledges gets
 * no more.
 */
#define CTRL_MIN		16
#define CTRL_PER_STREAM		4

static struct mroce_seg *ctrl_seg(struct mroce_stream *s, u8 opcode)
{
	struct mroce_conn *conn = s->conn;
	struct mroce_seg *seg;

	if (!conn || conn->state == MROCE_CONN_DEAD ||
	    conn->nctrl >= CTRL_MIN + CTRL_PER_STREAM * conn->peer->nstreams)
		return NULL;
	seg = mroce_seg_get(conn);
	if (!seg)
		return NULL;
	seg->kind = MROCE_SEG_CTRL;
	conn->nctrl++;
	seg->opcode = opcode;
	seg->ctrl.opcode = opcode;
	seg->ctrl.qpn = s->attr.dst_qpn;
	seg->ctrl.src_qpn = s->attr.qpn;
	return seg;
}

static void ctrl_queue(struct mroce_stream *s, struct mroce_seg *seg)
{
	if (seg->slot)
		*seg->slot = seg;
	list_add_tail(&seg->link, &s->conn->ctrl);
	mroce_conn_out(s->conn);
}

/**
 * mroce_ctrl_open() - ask the peer for the tag of its stream, under @s->nonce
 * @s:	stream
 *
 * Return: false without memory or connection
 */
bool mroce_ctrl_open(struct mroce_stream *s)
{
	struct mroce_seg *seg = ctrl_seg(s, MROCE_OP_OPEN);

	if (!seg)
		return false;
	seg->ctrl.nonce = s->nonce;
	seg->slot = &s->open_seg;
	ctrl_queue(s, seg);
	return true;
}

/**
 * mroce_ctrl_orphan() - @s ends, what it has asked may still be under way
 * @s:	stream
 */
void mroce_ctrl_orphan(struct mroce_stream *s)
{
	if (s->open_seg)
		s->open_seg->slot = NULL;
	if (s->query_seg)
		s->query_seg->slot = NULL;
	s->open_seg = NULL;
	s->query_seg = NULL;
}

/* The answer to OPEN: our tag and the first credit. */
static bool ctrl_opened(struct mroce_stream *s, u32 nonce)
{
	struct mroce_seg *seg = ctrl_seg(s, MROCE_OP_OPENED);
	bool unlimited = false;

	if (!seg)
		return false;
	seg->ctrl.tag = s->rx_tag;
	seg->ctrl.nonce = nonce;
	seg->ctrl.rsn_limit = mroce_stream_credit_limit(s, &unlimited);
	if (unlimited)
		seg->ctrl.flags = MROCE_F_UNLIMITED;
	ctrl_queue(s, seg);
	return true;
}

/**
 * mroce_ctrl_closed() - accepted requests will not be answered [M110]
 * @s:		stream
 * @syndrome:	why, enum mroce_syndrome
 *
 * Without memory the peer's QUERY finds out.
 */
void mroce_ctrl_closed(struct mroce_stream *s, u8 syndrome)
{
	struct mroce_seg *seg;

	if (!s->opened)
		return;
	seg = ctrl_seg(s, MROCE_OP_CLOSED);
	if (!seg)
		return;
	seg->ctrl.tag = s->tx_tag;
	seg->ctrl.msn = s->exp_msn;
	seg->ctrl.syndrome = syndrome;
	ctrl_queue(s, seg);
}

/**
 * mroce_ctrl_query() - is the stream that owes us an answer still there?
 * @s:		stream
 * @msn:	oldest unanswered request
 *
 * The verdict on the packet tells.
 */
void mroce_ctrl_query(struct mroce_stream *s, u32 msn)
{
	struct mroce_seg *seg;

	if (s->query_seg)	/* the last one has no verdict yet */
		return;
	seg = ctrl_seg(s, MROCE_OP_QUERY);
	if (!seg)
		return;
	seg->slot = &s->query_seg;
	seg->ctrl.tag = s->tx_tag;
	seg->ctrl.msn = msn;
	ctrl_queue(s, seg);
	mroce_count(s->peer, MROCE_CNT_STREAM_QUERY);
}

static bool stream_receives(const struct mroce_stream *s)
{
	return s->state >= MROCE_STREAM_RTR && s->state <= MROCE_STREAM_SQD;
}

/* [M70] */
static struct mroce_verdict open_input(struct mroce_stream *s, u32 src_qpn, u32 nonce, u64 now)
{
	if (!s || !stream_receives(s) || s->attr.dst_qpn != src_qpn)
		return MROCE_REFUSE(MROCE_SYN_NO_STREAM);
	if (!ctrl_opened(s, nonce))
		return MROCE_DROP;
	mroce_stream_peer_here(s, now);
	return MROCE_ACCEPT;
}

static enum mroce_status closed_status(u32 syndrome)
{
	switch (syndrome) {
	case MROCE_SYN_INVALID:
		return MROCE_ST_REM_INVALID;
	case MROCE_SYN_ACCESS:
		return MROCE_ST_REM_ACCESS;
	case MROCE_SYN_OP:
		return MROCE_ST_REM_OP;
	}
	return MROCE_ST_RETRY_EXC;
}

/* The oldest request that waits for an answer will not get it [M111]. */
static void answer_lost(struct mroce_stream *s, u8 status, u64 now)
{
	struct mroce_msg *m;

	if (list_empty(&s->rd_list))
		return;
	m = list_first_entry(&s->rd_list, struct mroce_msg, rd_link);
	mroce_stream_error(s, m->msn, status, now);
}

/**
 * mroce_ctrl_input() - OPEN, OPENED, CLOSED or QUERY arrived
 * @conn:	connection
 * @d:		decoded header
 * @rx:		the packet, for the fields that @d lacks
 * @now:	current time, ns
 *
 * Context: may end the stream that it names
 * Return: the verdict on its content
 */
struct mroce_verdict mroce_ctrl_input(struct mroce_conn *conn, const struct mroce_data *d,
				      const struct mroce_rx *rx, u64 now)
{
	struct mroce_peer *peer = conn->peer;
	struct mroce_stream *s = peer->ops->stream_find(peer, d->qpn);
	struct mroce_ctrl_hdr h;
	u32 src_qpn, tag;

	memcpy(&h, rx->hdr, sizeof(h));
	src_qpn = be32_to_cpu(h.src_qpn) & 0xffffff;
	tag = be32_to_cpu(h.tag);

	switch (d->opcode) {
	case MROCE_OP_OPEN:
		return open_input(s, src_qpn, be32_to_cpu(h.nonce), now);
	case MROCE_OP_OPENED:	/* [M72] */
		if (s && !s->opened && stream_receives(s) && s->attr.dst_qpn == src_qpn &&
		    s->nonce == be32_to_cpu(h.nonce))
			mroce_stream_opened(s, tag, be32_to_cpu(h.rsn_limit),
					    h.flags & MROCE_F_UNLIMITED, now);
		return MROCE_ACCEPT;
	case MROCE_OP_CLOSED:
		if (s && stream_receives(s) && s->attr.dst_qpn == src_qpn && s->rx_tag == tag)
			answer_lost(s, closed_status(be32_to_cpu(h.syndrome)), now);
		return MROCE_ACCEPT;
	default: /* QUERY [M113] */
		if (s && stream_receives(s) && s->attr.dst_qpn == src_qpn && s->rx_tag == tag)
			return MROCE_ACCEPT;
		return MROCE_REFUSE(MROCE_SYN_NO_STREAM);
	}
}

/**
 * mroce_ctrl_refused() - a control message of ours was refused
 * @conn:	connection
 * @c:		its content
 * @now:	current time, ns
 *
 * OPEN: not there yet. QUERY: the stream that owed an answer is gone.
 *
 * Context: may end the stream
 */
void mroce_ctrl_refused(struct mroce_conn *conn, const struct mroce_ctrl *c, u64 now)
{
	struct mroce_stream *s = conn->peer->ops->stream_find(conn->peer, c->src_qpn);

	if (!s || !stream_receives(s) || s->attr.dst_qpn != c->qpn)
		return;
	if (c->opcode == MROCE_OP_OPEN && !s->opened && s->nonce == c->nonce)
		mroce_stream_open_refused(s, now);
	else if (c->opcode == MROCE_OP_QUERY && s->opened && s->tx_tag == c->tag)
		answer_lost(s, MROCE_ST_RETRY_EXC, now);
}
