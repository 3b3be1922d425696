// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder's half of a stream: packets are checked and accepted in whatever order they come,
 * data is placed as it lands (or, for strict regions, at its turn), and messages take effect in MSN
 * order. Every packet gets its verdict at once, so no stream waits for another [M46].
 *
 * Progress: the packet that is next in its stream is never refused LATER [M120], so no bound on
 * held memory can stop a stream for ever.
 */
#include "internal.h"

#define RMSG_FIRST	8	/* slots of the ring at first use */
#define RMSG_KEEP	64	/* a larger ring is given back when it is empty */

static bool op_is_write(u8 op)
{
	return op == MROCE_OP_WRITE || op == MROCE_OP_WRITE_IMM;
}

static bool op_is_rd(u8 op)
{
	return op == MROCE_OP_READ || op == MROCE_OP_CMP_SWAP || op == MROCE_OP_FETCH_ADD;
}

/*
 * Grow a ring of pointers indexed by serial number until it holds @span of them; [from, to) are in
 * use.
 */
static bool ring_grow(struct mroce_peer *peer, void ***ring, u32 *mask, u32 first, u32 from, u32 to,
		      u32 span)
{
	u32 old = *ring ? *mask + 1 : 0, size = old ?: first;
	void **fresh;
	u32 i;

	while (size < span)
		size *= 2;
	if (size == old)
		return true;
	fresh = peer->ops->alloc(peer, size * sizeof(*fresh));
	if (!fresh)
		return false;
	for (i = from; old && i != to; i++)
		fresh[i & (size - 1)] = (*ring)[i & (old - 1)];
	if (old)
		peer->ops->free(peer, *ring, old * sizeof(*fresh));
	*ring = fresh;
	*mask = size - 1;
	return true;
}

static void rmsgs_free_ring(struct mroce_stream *s)
{
	if (s->rmsgs)
		s->peer->ops->free(s->peer, s->rmsgs, (s->rmsg_mask + 1) * sizeof(*s->rmsgs));
	s->rmsgs = NULL;
	s->rmsg_mask = 0;
}

static struct mroce_rmsg *rmsg_find(const struct mroce_stream *s, u32 msn)
{
	if (!s->rmsgs || msn - s->exp_msn > s->rmsg_mask)
		return NULL;
	return s->rmsgs[msn & s->rmsg_mask];
}

static struct mroce_rmsg *rmsg_new(struct mroce_stream *s, const struct mroce_data *d)
{
	struct mroce_peer *peer = s->peer;
	struct mroce_rmsg *r;

	if (!ring_grow(peer, (void ***)&s->rmsgs, &s->rmsg_mask, RMSG_FIRST, s->exp_msn,
		       s->exp_msn + (s->rmsgs ? s->rmsg_mask + 1 : 0), d->msn - s->exp_msn + 1))
		return NULL;
	r = mroce_pool_get(peer, &peer->rmsgs);
	if (!r)
		return NULL;
	INIT_LIST_HEAD(&r->link);
	INIT_LIST_HEAD(&r->held);
	r->msn = d->msn;
	r->opcode = d->opcode;
	r->len = d->msg_len;
	r->rsn = d->rsn;
	r->imm = d->imm;
	r->addr = d->addr;
	r->rkey = d->rkey;
	r->solicited = d->flags & MROCE_F_SOLICITED;
	s->rmsgs[d->msn & s->rmsg_mask] = r;
	s->rmsg_count++;
	return r;
}

static void rmsg_unlink(struct mroce_stream *s, struct mroce_rmsg *r)
{
	s->rmsgs[r->msn & s->rmsg_mask] = NULL;
	s->rmsg_count--;
	if (!s->rmsg_count && s->rmsg_mask >= RMSG_KEEP)
		rmsgs_free_ring(s);
}

static void release_held(struct mroce_stream *s, struct mroce_rmsg *r)
{
	struct mroce_peer *peer = s->peer;
	struct mroce_held *h, *tmp;

	list_for_each_entry_safe(h, tmp, &r->held, link) {
		list_del(&h->link);
		peer->held_bytes -= h->cost;
		peer->ops->release(peer, h);
	}
}

/**
 * mroce_rmsg_free() - free the receive state of a message, with what is held
 * @s:	stream
 * @r:	in no list and no ring
 */
void mroce_rmsg_free(struct mroce_stream *s, struct mroce_rmsg *r)
{
	release_held(s, r);
	mroce_pool_put(&s->peer->rmsgs, r);
}

/**
 * mroce_stream_credit_limit() - first RSN without a posted receive
 * @s:		stream
 * @unlimited:	set for an SRQ, else left
 *
 * Entries that are bound but not finished count as posted.
 *
 * Return: the RSN
 */
u32 mroce_stream_credit_limit(struct mroce_stream *s, bool *unlimited)
{
	return s->peer->ops->recv_limit(s, unlimited);
}

/*
 * Bind receive entries up to @rsn, in RSN order, so that the oldest message gets the oldest entry
 * whatever arrives first [M87]; the oldest unfinished one may be 64 behind [M88]. All or none is
 * not needed: entries bound for older RSNs are theirs anyway.
 */
static struct mroce_verdict bind_recv(struct mroce_stream *s, u32 rsn, struct mroce_recv **recv)
{
	const struct mroce_host_ops *ops = s->peer->ops;
	struct mroce_verdict rnr = MROCE_REFUSE(MROCE_SYN_RNR);	/* [M82] */
	bool unlimited = false;

	if (mroce_before(rsn, s->exp_rsn))
		return MROCE_REFUSE(MROCE_SYN_INVALID);
	ops->recv_limit(s, &unlimited);
	if (unlimited && rsn - s->exp_rsn >= MROCE_RSN_WINDOW)
		return MROCE_REFUSE(MROCE_SYN_LATER);
	if (rsn - s->exp_rsn >= MROCE_MAX_MSN_WINDOW)
		return MROCE_REFUSE(MROCE_SYN_INVALID);
	if (!ring_grow(s->peer, (void ***)&s->bound, &s->bound_mask, RMSG_FIRST, s->exp_rsn,
		       s->bound_rsn, rsn - s->exp_rsn + 1))
		return MROCE_DROP;
	while (!mroce_before(rsn, s->bound_rsn)) {
		struct mroce_recv *r = ops->recv_bind(s, s->bound_rsn);

		if (!r) {
			rnr.arg = ops->rnr_timer(s);
			return rnr;
		}
		s->bound[s->bound_rsn & s->bound_mask] = r;
		s->bound_rsn++;
	}
	*recv = s->bound[rsn & s->bound_mask];
	return MROCE_ACCEPT;
}

/* Remember the lowest error; it takes effect at its turn [M97]. */
static struct mroce_verdict rx_error(struct mroce_stream *s, u32 msn, u8 syn, u8 recv_status)
{
	if (!s->rx_has_err || mroce_before(msn, s->rx_err_msn)) {
		s->rx_has_err = true;
		s->rx_err_msn = msn;
		s->rx_err_syn = syn;
		s->rx_err_recv = recv_status;
	}
	return MROCE_REFUSE(syn);
}

static struct mroce_verdict check_send(struct mroce_stream *s, struct mroce_rmsg *r)
{
	struct mroce_verdict v = bind_recv(s, r->rsn, &r->recv);

	if (v.what != MROCE_V_ACCEPT)
		return v.syn == MROCE_SYN_INVALID ? rx_error(s, r->msn, v.syn, MROCE_ST_OK) : v;
	if (r->recv->bad)
		return rx_error(s, r->msn, MROCE_SYN_OP, r->recv->bad);
	if (!op_is_write(r->opcode) && r->len > r->recv->len)
		return rx_error(s, r->msn, MROCE_SYN_INVALID, MROCE_ST_LOC_LEN);
	return v;
}

static struct mroce_verdict check_access(struct mroce_stream *s, struct mroce_rmsg *r,
					 unsigned int acc)
{
	int ret;

	if (!(s->attr.access & acc))
		return rx_error(s, r->msn, MROCE_SYN_INVALID, MROCE_ST_OK);
	if (!r->len)	/* [M96] */
		return MROCE_ACCEPT;
	ret = s->peer->ops->mr_check(s, r->rkey, r->addr, r->len, acc);
	if (ret < 0)
		return rx_error(s, r->msn, MROCE_SYN_ACCESS, MROCE_ST_OK);
	r->relaxed = ret == MROCE_MR_RELAXED;
	return MROCE_ACCEPT;
}

/*
 * All that can be said of a message from any one of its packets [M94], and with which syndrome
 * [M95].
 */
static struct mroce_verdict check_first(struct mroce_stream *s, struct mroce_rmsg *r)
{
	struct mroce_verdict v = MROCE_ACCEPT;

	if (op_is_rd(r->opcode)) {
		if (s->rd_in >= s->attr.max_dest_rd_atomic)
			return rx_error(s, r->msn, MROCE_SYN_INVALID, MROCE_ST_OK);
		if (r->opcode == MROCE_OP_READ)
			return check_access(s, r, MROCE_ACC_READ);
		if (r->addr % 8)
			return rx_error(s, r->msn, MROCE_SYN_INVALID, MROCE_ST_OK);
		return check_access(s, r, MROCE_ACC_ATOMIC);
	}
	if (op_is_write(r->opcode))
		v = check_access(s, r, MROCE_ACC_WRITE);
	if (v.what == MROCE_V_ACCEPT && mroce_opcode_takes_recv(r->opcode))
		v = check_send(s, r);
	return v;
}

/* [M77] */
static bool same_message(const struct mroce_rmsg *r, const struct mroce_data *d)
{
	return r->opcode == d->opcode && r->len == d->msg_len &&
	       r->addr == d->addr && r->rkey == d->rkey &&
	       (!mroce_opcode_takes_recv(d->opcode) || r->rsn == d->rsn);
}

/* What is held is counted as it costs [M119]. */
static struct mroce_verdict hold(struct mroce_stream *s, struct mroce_rmsg *r,
				 const struct mroce_data *d, struct mroce_rx *rx)
{
	struct mroce_peer *peer = s->peer;
	struct mroce_held *h, *at;

	if (peer->held_bytes >= peer->limits.held_cap)
		return MROCE_REFUSE(MROCE_SYN_LATER);
	h = peer->ops->hold(peer, rx);
	if (!h)
		return MROCE_REFUSE(MROCE_SYN_LATER);
	h->offset = d->offset;
	h->len = d->len;
	peer->held_bytes += h->cost;
	mroce_count(peer, MROCE_CNT_RX_HELD);
	list_for_each_entry_reverse(at, &r->held, link)
		if (at->offset < d->offset)
			break;
	list_add(&h->link, &at->link);
	return MROCE_ACCEPT;
}

/*
 * The region was there when the message was accepted and is gone now: the stream ends at this
 * message [M100].
 */
static void revoked(struct mroce_stream *s, struct mroce_rmsg *r)
{
	mroce_count(s->peer, MROCE_CNT_ACCESS_LATE);
	rx_error(s, r->msn, MROCE_SYN_ACCESS, MROCE_ST_OK);
}

/* Place what is held and has its turn now; false if the region is gone. */
static bool drain_held(struct mroce_stream *s, struct mroce_rmsg *r)
{
	struct mroce_peer *peer = s->peer;
	struct mroce_held *h, *tmp;
	int ret;

	list_for_each_entry_safe(h, tmp, &r->held, link) {
		if (h->offset != r->placed)
			break;
		ret = peer->ops->place(s, r->rkey, r->addr + h->offset, peer->ops->held_cookie(h),
				       MROCE_DATA_HDR_LEN, h->len, false);
		if (ret) {
			revoked(s, r);
			return false;
		}
		r->placed += h->len;
		list_del(&h->link);
		peer->held_bytes -= h->cost;
		peer->ops->release(peer, h);
	}
	return true;
}

/* Relaxed: as it lands [M116]. Strict: in the order of posting, ascending [M117]. */
static struct mroce_verdict accept_write(struct mroce_stream *s, struct mroce_rmsg *r,
					 const struct mroce_data *d, struct mroce_rx *rx)
{
	bool turn = d->msn == s->exp_msn && d->offset == r->placed;

	if (!d->len)
		return MROCE_ACCEPT;
	if (!r->relaxed && !turn)
		return hold(s, r, d, rx);
	if (s->peer->ops->place(s, r->rkey, r->addr + d->offset, rx->cookie, MROCE_DATA_HDR_LEN,
				d->len, r->relaxed))
		return rx_error(s, d->msn, MROCE_SYN_ACCESS, MROCE_ST_OK);
	if (!r->relaxed)
		r->placed += d->len;
	return MROCE_ACCEPT;
}

/* [M115] */
static struct mroce_verdict accept_send(struct mroce_stream *s, struct mroce_rmsg *r,
					const struct mroce_data *d, struct mroce_rx *rx)
{
	if (!d->len)
		return MROCE_ACCEPT;
	if (s->peer->ops->place_recv(s, r->recv, d->offset, rx->cookie, MROCE_DATA_HDR_LEN, d->len))
		return rx_error(s, d->msn, MROCE_SYN_OP, MROCE_ST_LOC_PROT);
	r->recv->placed = true;
	return MROCE_ACCEPT;
}

static struct mroce_verdict accept_rd(struct mroce_stream *s, struct mroce_rmsg *r,
				      struct mroce_rx *rx)
{
	struct mroce_atomic_operands ops;

	if (r->opcode != MROCE_OP_READ) {
		s->peer->ops->copy_payload(rx->cookie, MROCE_DATA_HDR_LEN, &ops, sizeof(ops));
		r->swap_add = be64_to_cpu(ops.swap_add);
		r->compare = be64_to_cpu(ops.compare);
	}
	s->rd_in++;
	r->counted = true;
	return MROCE_ACCEPT;
}

static struct mroce_verdict accept_content(struct mroce_stream *s, struct mroce_rmsg *r,
					   const struct mroce_data *d, struct mroce_rx *rx)
{
	struct mroce_verdict v;

	if (op_is_rd(r->opcode))
		v = accept_rd(s, r, rx);
	else if (op_is_write(r->opcode))
		v = accept_write(s, r, d, rx);
	else
		v = accept_send(s, r, d, rx);
	if (v.what != MROCE_V_ACCEPT)
		return v;
	r->got += d->len;
	r->full = op_is_rd(r->opcode) || r->got == r->len;
	return v;
}

/* Where @msn stands to the stream's window [M76] and errors [M98]. */
static struct mroce_verdict check_msn(struct mroce_stream *s, const struct mroce_conn *conn,
				      u32 msn)
{
	if (msn - s->exp_msn >= conn->msn_window)
		return MROCE_REFUSE(MROCE_SYN_INVALID);
	if (s->rx_has_err && msn == s->rx_err_msn)
		return MROCE_REFUSE(s->rx_err_syn);
	if (s->rx_has_err && !mroce_before(msn, s->rx_err_msn))
		return MROCE_REFUSE(MROCE_SYN_LATER);
	return MROCE_ACCEPT;
}

static struct mroce_verdict request_input(struct mroce_stream *s, struct mroce_conn *conn,
					  const struct mroce_data *d, struct mroce_rx *rx)
{
	struct mroce_verdict v = check_msn(s, conn, d->msn);
	struct mroce_rmsg *r;

	if (v.what != MROCE_V_ACCEPT)
		return v;
	r = rmsg_find(s, d->msn);
	if (!r) {
		r = rmsg_new(s, d);
		if (!r)
			return MROCE_DROP;
		v = check_first(s, r);
		if (v.what != MROCE_V_ACCEPT) {
			rmsg_unlink(s, r);
			mroce_rmsg_free(s, r);
			return v;
		}
	} else if (r->full || !same_message(r, d) || d->len > r->len - r->got) {
		return rx_error(s, d->msn, MROCE_SYN_INVALID, MROCE_ST_OK);
	}
	return accept_content(s, r, d, rx);
}

static void note_credit(struct mroce_stream *s, struct mroce_conn *conn, const struct mroce_data *d)
{
	if (mroce_opcode_takes_recv(d->opcode) && list_empty(&s->credit_link))
		list_add_tail(&s->credit_link, &conn->credits);
}

/**
 * mroce_stream_input() - a request or response of some stream
 * @conn:	connection
 * @d:		decoded header
 * @rx:		received packet
 * @now:	current time, ns
 *
 * The stream is found by tag [M68], on any connection of the peer [M10].
 *
 * Context: may finish receives and messages, and end the stream
 * Return: the verdict on its content
 */
struct mroce_verdict mroce_stream_input(struct mroce_conn *conn, const struct mroce_data *d,
					struct mroce_rx *rx, u64 now)
{
	struct mroce_peer *peer = conn->peer;
	struct mroce_stream *s = peer->ops->stream_find(peer, d->qpn);
	struct mroce_verdict v;

	if (!s || s->state < MROCE_STREAM_RTR || s->state > MROCE_STREAM_SQD || s->rx_tag != d->tag)
		return MROCE_REFUSE(MROCE_SYN_NO_STREAM);
	mroce_stream_peer_here(s, now);
	if (mroce_opcode_is_response(d->opcode))
		return mroce_response_input(s, d, rx, now);
	v = request_input(s, conn, d, rx);
	if (v.what == MROCE_V_DROP)
		return v;
	note_credit(s, conn, d);
	mroce_stream_advance(s, now);
	return v;
}

static void finish_recv(struct mroce_stream *s, struct mroce_recv *recv,
			const struct mroce_recv_info *info)
{
	s->exp_rsn++;
	s->peer->ops->recv_done(s, recv, info);
}

static bool turn_recv(struct mroce_stream *s, struct mroce_rmsg *r)
{
	struct mroce_recv_info info = {
		.opcode		= r->opcode,
		.status		= MROCE_ST_OK,
		.solicited	= r->solicited,
		.byte_len	= r->len,
		.imm		= r->imm,
	};

	if (r->rsn != s->exp_rsn) {
		rx_error(s, r->msn, MROCE_SYN_INVALID, MROCE_ST_OK);
		return false;
	}
	if (r->opcode == MROCE_OP_SEND_INV && s->peer->ops->invalidate(s, r->imm)) {
		revoked(s, r);
		return false;
	}
	finish_recv(s, r->recv, &info);
	return true;
}

/*
 * The message takes effect, all before it being placed [M90, M91]. False if that ends the stream.
 */
static bool take_turn(struct mroce_stream *s, struct mroce_rmsg *r, u64 now)
{
	if (mroce_opcode_takes_recv(r->opcode) && !turn_recv(s, r))
		return false;
	rmsg_unlink(s, r);
	s->exp_msn++;
	if (op_is_rd(r->opcode))
		mroce_response_start(s, r, now);
	else
		mroce_rmsg_free(s, r);
	return true;
}

/**
 * mroce_stream_error_turn() - end @s if the message in error has its turn
 * @s:		stream
 * @now:	current time, ns
 *
 * Not before all before it is answered.
 *
 * Context: may end the stream
 */
void mroce_stream_error_turn(struct mroce_stream *s, u64 now)
{
	enum mroce_fail why = s->rx_err_syn == MROCE_SYN_ACCESS ? MROCE_FAIL_ACCESS :
								  MROCE_FAIL_REQUEST;
	struct mroce_recv_info info = { .opcode = MROCE_OP_SEND, .status = s->rx_err_recv };

	if (!s->rx_has_err || s->exp_msn != s->rx_err_msn || !list_empty(&s->resp_list))
		return;
	if (s->rx_err_recv != MROCE_ST_OK && mroce_before(s->exp_rsn, s->bound_rsn)) {
		finish_recv(s, s->bound[s->exp_rsn & s->bound_mask], &info);
		why = MROCE_FAIL_RECV;
	}
	mroce_stream_end(s, why, now);
}

/**
 * mroce_stream_advance() - let messages take effect as far as they are complete
 * @s:		stream
 * @now:	current time, ns
 *
 * Context: may finish receives and end the stream
 */
void mroce_stream_advance(struct mroce_stream *s, u64 now)
{
	struct mroce_rmsg *r;

	for (;;) {
		if (s->rx_has_err && s->exp_msn == s->rx_err_msn)
			break;
		r = rmsg_find(s, s->exp_msn);
		if (!r)
			break;
		if (!list_empty(&r->held) && !drain_held(s, r))
			break;
		if (!r->full || !take_turn(s, r, now))
			break;
	}
	mroce_stream_error_turn(s, now);
}

/**
 * mroce_stream_drop_receives() - the stream ends: its receive half goes back [M89]
 * @s:	stream
 *
 * Receive state, held packets and bound entries.
 */
void mroce_stream_drop_receives(struct mroce_stream *s)
{
	struct mroce_peer *peer = s->peer;
	u32 i;

	mroce_response_drop(s);
	for (i = 0; s->rmsgs && i <= s->rmsg_mask; i++)
		if (s->rmsgs[i])
			mroce_rmsg_free(s, s->rmsgs[i]);
	s->rmsg_count = 0;
	rmsgs_free_ring(s);
	for (; mroce_before(s->exp_rsn, s->bound_rsn); s->exp_rsn++)
		peer->ops->recv_unbind(s, s->bound[s->exp_rsn & s->bound_mask]);
	if (s->bound)
		peer->ops->free(peer, s->bound, (s->bound_mask + 1) * sizeof(*s->bound));
	s->bound = NULL;
	s->bound_mask = 0;
	s->rd_in = 0;
}
