// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verdicts on the wire: when a path is acknowledged and what the ACK says, refusals in NAKs, and
 * what the sender learns from both. Both go on the connection that they are about [M11]. They are
 * not reliable: a lost ACK is healed by the next, a lost NAK by the packet's retransmission, which
 * meets the same refusal.
 */
#include "internal.h"

/**
 * mroce_ack_note() - a packet of @p is to be acknowledged [M50]
 * @p:		path
 * @now_please:	at once, not with the next batch
 * @now:	current time, ns
 */
void mroce_ack_note(struct mroce_path *p, bool now_please, u64 now)
{
	struct mroce_conn *conn = p->conn;

	p->ack_pending++;
	if (now_please || p->ack_pending >= MROCE_ACK_EVERY) {
		list_move_tail(&p->ack_link, &conn->ack_due);
		mroce_conn_out(conn);
		return;
	}
	if (!list_empty(&p->ack_link))
		return;
	list_add_tail(&p->ack_link, &conn->ack_wait);
	if (!conn->ack_timer.armed)
		mroce_timer_arm(&conn->peer->timers, &conn->ack_timer, now + MROCE_ACK_DELAY);
}

/**
 * mroce_ack_timer() - the batch has waited MROCE_ACK_DELAY: acknowledge it now
 * @t:		mroce_conn.ack_timer
 * @now:	current time, ns
 */
void mroce_ack_timer(struct mroce_timer *t, u64 now)
{
	struct mroce_conn *conn = container_of(t, struct mroce_conn, ack_timer);

	list_splice_tail_init(&conn->ack_wait, &conn->ack_due);
	mroce_conn_out(conn);
}

/* The exact state of the path now [M47]. */
static u32 ack_block(const struct mroce_path *p, u32 base, struct mroce_ack_block *b, u64 now)
{
	u64 delay = (now - p->rx_tstamp_at) / MROCE_TICK_NS;
	u64 sack[MROCE_SACK_BITS / 64];
	u32 i;

	memset(b, 0, sizeof(*b));
	b->path = p->index;
	b->cum_psn = cpu_to_be32(p->rx.cum);
	b->base_psn = cpu_to_be32(base);
	b->tstamp_echo = cpu_to_be32(p->rx_tstamp);
	b->tstamp_delay = cpu_to_be32((u32)min_t(u64, delay, ~0U));
	b->ce_count = cpu_to_be32(p->ce_count);
	b->dup_count = cpu_to_be32(p->dup_count);
	b->rx_count = cpu_to_be32(p->rx_count);
	mroce_rxwin_sack(&p->rx, base, sack);
	for (i = 0; i < MROCE_SACK_BITS / 64; i++)
		b->sack[i] = cpu_to_be64(sack[i]);
	return sizeof(*b);
}

/*
 * The vector at the left edge, and for a longer window those that end at the highest PSN; one of
 * them gives way to the newest packet's where they leave it out [M48]: each packet gets its
 * verdict.
 */
static u32 ack_blocks(const struct mroce_path *p, u8 *out, u8 *n, u64 now)
{
	u32 span = p->rx.next - p->rx.cum, max = MROCE_MAX_ACK_BLOCKS;
	u32 base = p->rx.cum;
	u32 len = ack_block(p, base, (void *)out, now);

	*n = 1;
	if (span > max * MROCE_SACK_BITS) {
		base = p->rx.next - max * MROCE_SACK_BITS;
		if (p->rx_psn - p->rx.cum >= MROCE_SACK_BITS &&
		    p->rx_psn - p->rx.cum < span - (max - 1) * MROCE_SACK_BITS) {
			len += ack_block(p, p->rx_psn & ~63U, (void *)(out + len), now);
			++*n;
			base += MROCE_SACK_BITS;
		}
	}
	for (base += MROCE_SACK_BITS; mroce_before(base, p->rx.next); base += MROCE_SACK_BITS) {
		len += ack_block(p, base, (void *)(out + len), now);
		++*n;
	}
	return len;
}

/* [M79] */
static u32 ack_credits(struct mroce_conn *conn, u8 *out, u8 *n)
{
	struct mroce_credit *c = (void *)out;

	*n = 0;
	while (*n < MROCE_MAX_CREDITS && !list_empty(&conn->credits)) {
		struct mroce_stream *s = list_first_entry(&conn->credits, struct mroce_stream,
							  credit_link);
		bool unlimited = false;
		u32 limit = mroce_stream_credit_limit(s, &unlimited);

		list_del_init(&s->credit_link);
		if (unlimited)
			continue;
		c[*n].qpn = cpu_to_be32(s->attr.dst_qpn);
		c[*n].tag = cpu_to_be32(s->rx_tag);
		c[*n].rsn_limit = cpu_to_be32(limit);
		++*n;
	}
	return *n * sizeof(*c);
}

/*
 * The way back: the reverse of the path's newest packet; after each sign that ACKs are lost there,
 * the reverse of another path, or another port where there is none [M52].
 */
static struct mroce_route ack_route(const struct mroce_path *p)
{
	const struct mroce_conn *conn = p->conn;
	const struct mroce_path *o = conn->paths[(p->index + p->ack_moves) % conn->npaths];
	struct mroce_route r = p->from;

	if (!p->ack_moves)
		return r;
	if (o != p && o->rx_count)
		return o->from;
	r.sport = MROCE_SPORT_MIN + (r.sport + p->ack_moves * 4099U) % (65536 - MROCE_SPORT_MIN);
	return r;
}

/* [M133] */
static u16 ack_hint(struct mroce_conn *conn, u64 now)
{
	const struct mroce_host_ops *ops = conn->peer->ops;
	u64 rate = 0;

	conn->inbound.rtt = conn->rtt.srtt;
	if (ops->rx_share)
		rate = ops->rx_share(conn, &conn->inbound, now);
	conn->inbound.bytes = 0;
	return mroce_hint_code(rate);
}

/**
 * mroce_ack_output() - an ACK for the first path that is due
 * @conn:	connection
 * @tx:		packet to fill in
 * @now:	current time, ns
 *
 * It goes by the reverse of that path's newest packet [M51], and takes along the credit of up to
 * MROCE_MAX_CREDITS streams.
 *
 * Return: true with @tx filled in, false when there is nothing to say
 */
bool mroce_ack_output(struct mroce_conn *conn, struct mroce_tx *tx, u64 now)
{
	struct mroce_ack_hdr *h = (void *)tx->hdr;
	struct mroce_path *p;

	if (list_empty(&conn->ack_due) || !conn->has_peer)
		return false;
	p = list_first_entry(&conn->ack_due, struct mroce_path, ack_link);
	list_del_init(&p->ack_link);
	p->ack_pending = 0;

	mroce_tx_init(tx, conn, ack_route(p), conn->tclass);
	memset(h, 0, sizeof(*h));
	h->ver_type = MROCE_VER_TYPE(MROCE_PT_ACK);
	h->conn_id = cpu_to_be32(conn->tx_id);
	h->hint = cpu_to_be16(ack_hint(conn, now));
	tx->hdr_len = sizeof(*h);
	tx->hdr_len += ack_blocks(p, tx->hdr + tx->hdr_len, &h->nblocks, now);
	tx->hdr_len += ack_credits(conn, tx->hdr + tx->hdr_len, &h->ncredits);
	mroce_count(conn->peer, MROCE_CNT_TX_ACK);
	return true;
}

/**
 * mroce_nak_note() - report a refusal
 * @conn:	connection
 * @path:	index of the path
 * @psn:	what was refused
 * @syn:	enum mroce_syndrome
 * @arg:	argument of the syndrome (RNR: timer code)
 *
 * When the list is full the oldest goes; its PSN will be asked again.
 */
void mroce_nak_note(struct mroce_conn *conn, u8 path, u32 psn, u8 syn, u8 arg)
{
	if (conn->nnaks == MROCE_MAX_NAK_RECS) {
		memmove(conn->naks, conn->naks + 1, sizeof(conn->naks) - sizeof(conn->naks[0]));
		conn->nnaks--;
	}
	conn->naks[conn->nnaks++] = (struct mroce_nak_item){
		.path = path, .syndrome = syn, .arg = arg, .psn = psn,
	};
	mroce_conn_out(conn);
}

/**
 * mroce_nak_output() - all refusals noted, in one NAK
 * @conn:	connection
 * @tx:		packet to fill in
 * @now:	current time, ns
 *
 * Return: true with @tx filled in, false when there is nothing to say
 */
bool mroce_nak_output(struct mroce_conn *conn, struct mroce_tx *tx, u64 now)
{
	struct mroce_nak_hdr *h = (void *)tx->hdr;
	struct mroce_nak_rec *r = (void *)(tx->hdr + sizeof(*h));
	u32 i;

	if (!conn->nnaks || !conn->has_peer)
		return false;
	mroce_tx_init(tx, conn, ack_route(conn->paths[conn->naks[0].path]), conn->tclass);
	memset(h, 0, sizeof(*h));
	h->ver_type = MROCE_VER_TYPE(MROCE_PT_NAK);
	h->conn_id = cpu_to_be32(conn->tx_id);
	h->count = conn->nnaks;
	for (i = 0; i < conn->nnaks; i++) {
		r[i].path = conn->naks[i].path;
		r[i].syndrome = conn->naks[i].syndrome;
		r[i].arg = conn->naks[i].arg;
		r[i].rsvd = 0;
		r[i].psn = cpu_to_be32(conn->naks[i].psn);
	}
	tx->hdr_len = sizeof(*h) + conn->nnaks * sizeof(*r);
	conn->nnaks = 0;
	mroce_count(conn->peer, MROCE_CNT_TX_NAK);
	return true;
}

static void ack_rtt(struct mroce_path *p, const struct mroce_ack_block *b, u64 now)
{
	u32 delay = be32_to_cpu(b->tstamp_delay);
	u32 ticks = mroce_tick(now) - be32_to_cpu(b->tstamp_echo) - delay;
	u64 rtt = (u64)ticks * MROCE_TICK_NS;

	if (delay == ~0U || rtt > 30 * NSEC_S)
		return;
	mroce_rtt_sample(&p->rtt, rtt, now);
	mroce_rtt_sample(&p->conn->rtt, rtt, now);
}

static u32 ack_ce(struct mroce_path *p, const struct mroce_ack_block *b)
{
	u32 ce = be32_to_cpu(b->ce_count);
	u32 fresh = ce - p->ce_seen;

	if ((s32)fresh <= 0)
		return 0;
	p->ce_seen = ce;
	return fresh;
}

static void ack_accept(struct mroce_path *p, u32 psn, u32 *bytes, u32 *pkts, u64 now)
{
	u32 n = mroce_txwin_accept(p, psn, now);

	if (!n)
		return;
	*bytes += n;
	++*pkts;
}

/*
 * The newest hint counts [M131]: an ACK that was overtaken tells nothing new, and the packet that
 * it echoes is older.
 */
static bool ack_fresh(struct mroce_path *p, const struct mroce_ack_block *b, bool moved)
{
	u32 echo = be32_to_cpu(b->tstamp_echo);

	if (!moved && (s32)(echo - p->hint_echo) < 0)
		return false;
	p->hint_echo = echo;
	return true;
}

/*
 * One block: false if it speaks of PSNs that were never sent [M53]. Sets @fresh if it is not of an
 * ACK that was overtaken.
 */
static bool ack_one(struct mroce_conn *conn, const struct mroce_ack_block *b, bool *fresh,
		    u64 now)
{
	u32 cum = be32_to_cpu(b->cum_psn), base = be32_to_cpu(b->base_psn);
	u32 bytes = 0, pkts = 0, i, psn, una;
	struct mroce_path *p;

	if (b->path >= conn->npaths)
		return false;
	p = conn->paths[b->path];
	una = p->tx.una;
	/*
	 * Either it moves the left edge within what was sent, or it is an older ACK that was
	 * overtaken.
	 */
	if (cum - una > p->tx.nxt - una && una - cum > conn->psn_window)
		return false;
	if (base - cum > conn->psn_window)
		return false;

	for (psn = una; mroce_before(psn, cum); psn++)
		ack_accept(p, psn, &bytes, &pkts, now);
	for (i = 0; i < MROCE_SACK_BITS; i++) {
		if (!(i % 64) && !b->sack[i / 64]) {
			i += 63;
			continue;
		}
		if (be64_to_cpu(b->sack[i / 64]) >> (i % 64) & 1)
			ack_accept(p, base + i, &bytes, &pkts, now);
	}
	p->last_ack = now;
	*fresh |= ack_fresh(p, b, pkts);
	mroce_loss_duplicates(p, be32_to_cpu(b->dup_count), now);
	if (pkts) {
		ack_rtt(p, b, now);
		mroce_loss_progress(p, be32_to_cpu(b->tstamp_echo), now);
	}
	conn->cc->ack(p, bytes, pkts, ack_ce(p, b), now);
	mroce_loss_detect(p, now);
	mroce_loss_arm(p);
	return true;
}

static void ack_credit_input(struct mroce_conn *conn, const struct mroce_credit *c, u64 now)
{
	struct mroce_peer *peer = conn->peer;
	struct mroce_stream *s = peer->ops->stream_find(peer, be32_to_cpu(c->qpn) & 0xffffff);

	if (s && s->opened && s->tx_tag == be32_to_cpu(c->tag))
		mroce_stream_credit(s, be32_to_cpu(c->rsn_limit), now);
}

/**
 * mroce_ack_input() - what the peer accepted, and its credit
 * @conn:	connection
 * @rx:		received packet
 * @now:	current time, ns
 *
 * Ends at the first block that speaks of PSNs never sent [M53]; those before it hold.
 *
 * Context: may open @conn, complete messages and end streams
 */
void mroce_ack_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now)
{
	const u8 *at = rx->hdr;
	struct mroce_ack_hdr h;
	bool fresh = false;
	u32 i;

	memcpy(&h, at, sizeof(h));
	if (h.nblocks > MROCE_MAX_ACK_BLOCKS || h.ncredits > MROCE_MAX_CREDITS ||
	    rx->len < sizeof(h) + h.nblocks * sizeof(struct mroce_ack_block) +
		      h.ncredits * sizeof(struct mroce_credit)) {
		mroce_count(conn->peer, MROCE_CNT_DROP_MALFORMED);
		return;
	}
	mroce_count(conn->peer, MROCE_CNT_RX_ACK);
	if (be32_to_cpu(h.proof) == mroce_proof(conn->seed))
		mroce_conn_confirm(conn, true, now);
	at += sizeof(h);
	for (i = 0; i < h.nblocks; i++, at += sizeof(struct mroce_ack_block)) {
		struct mroce_ack_block b;

		memcpy(&b, at, sizeof(b));
		if (!ack_one(conn, &b, &fresh, now)) {
			mroce_count(conn->peer, MROCE_CNT_DROP_ACK);
			return;
		}
	}
	if (fresh)
		mroce_pace_hint(conn, be16_to_cpu(h.hint), now);
	for (i = 0; i < h.ncredits; i++, at += sizeof(struct mroce_credit)) {
		struct mroce_credit c;

		memcpy(&c, at, sizeof(c));
		ack_credit_input(conn, &c, now);
	}
	conn->rx_last = now;
	mroce_conn_out(conn);
}

static const enum mroce_counter met_counter[MROCE_SYN_MAX] = {
	[MROCE_SYN_RNR]		= MROCE_CNT_MET_RNR,
	[MROCE_SYN_NO_STREAM]	= MROCE_CNT_MET_NO_STREAM,
	[MROCE_SYN_LATER]	= MROCE_CNT_MET_LATER,
	[MROCE_SYN_INVALID]	= MROCE_CNT_MET_ERROR,
	[MROCE_SYN_ACCESS]	= MROCE_CNT_MET_ERROR,
	[MROCE_SYN_OP]		= MROCE_CNT_MET_ERROR,
};

/*
 * The content leaves its PSN, which goes out again as EMPTY; the content's owner decides what
 * becomes of it. False if the record names no PSN that waits for a verdict [M54].
 */
static bool nak_one(struct mroce_conn *conn, const struct mroce_nak_rec *r, u64 now)
{
	struct mroce_sent *sent;
	struct mroce_path *p;
	struct mroce_seg *seg;

	if (r->path >= conn->npaths || !r->syndrome || r->syndrome >= MROCE_SYN_MAX)
		return false;
	p = conn->paths[r->path];
	sent = mroce_txwin_find(&p->tx, be32_to_cpu(r->psn));
	if (!sent)
		return false;
	seg = sent->seg;
	if (!seg)
		return true;
	sent->seg = NULL;
	seg->sent = NULL;
	mroce_txwin_lose(p, sent);
	mroce_count(conn->peer, met_counter[r->syndrome]);
	mroce_seg_refused(conn, seg, r->syndrome, r->arg, now);
	return true;
}

/**
 * mroce_nak_input() - what the peer refused
 * @conn:	connection
 * @rx:		received packet
 * @now:	current time, ns
 *
 * Context: may end streams
 */
void mroce_nak_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now)
{
	const u8 *at = rx->hdr;
	struct mroce_nak_hdr h;
	u32 i;

	memcpy(&h, at, sizeof(h));
	if (!h.count || h.count > MROCE_MAX_NAK_RECS ||
	    rx->len < sizeof(h) + h.count * sizeof(struct mroce_nak_rec)) {
		mroce_count(conn->peer, MROCE_CNT_DROP_MALFORMED);
		return;
	}
	if (conn->state != MROCE_CONN_OPEN) {
		mroce_count(conn->peer, MROCE_CNT_DROP_CONN_STATE);
		return;
	}
	mroce_count(conn->peer, MROCE_CNT_RX_NAK);
	at += sizeof(h);
	for (i = 0; i < h.count; i++, at += sizeof(struct mroce_nak_rec)) {
		struct mroce_nak_rec r;

		memcpy(&r, at, sizeof(r));
		if (!nak_one(conn, &r, now))
			mroce_count(conn->peer, MROCE_CNT_DROP_NAK);
	}
	conn->rx_last = now;
	mroce_conn_out(conn);
}
