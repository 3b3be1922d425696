// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responses of READs and atomics, at both ends. They are reliable data of the reverse paths, named
 * by the request's MSN and outside the reverse stream's own order, so the two directions of a QP
 * never wait for each other (rule 6). An atomic runs once because its request's PSN is accepted
 * once; its result is kept until the response is accepted [M105].
 */
#include "internal.h"

static enum mroce_status resp_status(u32 syndrome)
{
	switch (syndrome) {
	case MROCE_SYN_INVALID:
		return MROCE_ST_REM_INVALID;
	case MROCE_SYN_ACCESS:
		return MROCE_ST_REM_ACCESS;
	}
	return MROCE_ST_REM_OP;
}

static struct mroce_msg *request_find(const struct mroce_stream *s, u32 msn)
{
	struct mroce_msg *m;

	list_for_each_entry(m, &s->rd_list, rd_link)
		if (m->msn == msn)
			return m;
	return NULL;
}

/* An answer to another question than ours is an error of ours [M109]. */
static void input_read(struct mroce_stream *s, struct mroce_msg *m, const struct mroce_data *d,
		       struct mroce_rx *rx, u64 now)
{
	if (m->kind != MROCE_MSG_READ || d->msg_len != m->len || d->len > m->len - m->resp_bytes) {
		mroce_stream_error(s, m->msn, MROCE_ST_BAD_RESP, now);
		return;
	}
	if (d->len && s->peer->ops->place_resp(s, m, d->offset, rx->cookie, MROCE_DATA_HDR_LEN,
					       d->len)) {
		mroce_stream_error(s, m->msn, MROCE_ST_LOC_PROT, now);
		return;
	}
	m->resp_bytes += d->len;
	m->resp_at = now;
	if (m->resp_bytes == m->len)
		mroce_msg_answered(s, m, now);
}

static void input_atomic(struct mroce_stream *s, struct mroce_msg *m, struct mroce_rx *rx, u64 now)
{
	__be64 old;

	if (m->kind != MROCE_MSG_CMP_SWAP && m->kind != MROCE_MSG_FETCH_ADD) {
		mroce_stream_error(s, m->msn, MROCE_ST_BAD_RESP, now);
		return;
	}
	s->peer->ops->copy_payload(rx->cookie, MROCE_DATA_HDR_LEN, &old, sizeof(old));
	if (s->peer->ops->place_atomic(s, m, be64_to_cpu(old))) {
		mroce_stream_error(s, m->msn, MROCE_ST_LOC_PROT, now);
		return;
	}
	mroce_msg_answered(s, m, now);
}

/**
 * mroce_response_input() - part of an answer to one of our requests
 * @s:		stream
 * @d:		decoded header
 * @rx:		received packet
 * @now:	current time, ns
 *
 * An answer to a request that has failed meanwhile is of no interest, and a wrong one is our error.
 *
 * Context: may complete messages and end the stream
 * Return: accept, always [M103]
 */
struct mroce_verdict mroce_response_input(struct mroce_stream *s, const struct mroce_data *d,
					  struct mroce_rx *rx, u64 now)
{
	struct mroce_msg *m = request_find(s, d->msn);

	if (!m)
		return MROCE_ACCEPT;
	switch (d->opcode) {
	case MROCE_OP_READ_RESP:
		input_read(s, m, d, rx, now);
		break;
	case MROCE_OP_ATOMIC_RESP:
		input_atomic(s, m, rx, now);
		break;
	case MROCE_OP_RESP_ERROR:
		mroce_stream_error(s, m->msn, resp_status(d->imm), now);
		break;
	}
	return MROCE_ACCEPT;
}

/**
 * mroce_response_start() - a request has its turn: run it and begin to answer
 * @s:		stream
 * @r:		the request, in no list
 * @now:	current time, ns
 */
void mroce_response_start(struct mroce_stream *s, struct mroce_rmsg *r, u64 now)
{
	const struct mroce_host_ops *ops = s->peer->ops;

	list_add_tail(&r->link, &s->resp_list);
	if (r->opcode == MROCE_OP_READ) {
		if (r->len && ops->mr_check(s, r->rkey, r->addr, r->len, MROCE_ACC_READ) < 0)
			r->resp_syn = MROCE_SYN_ACCESS;
	} else if (ops->atomic(s, r->opcode, r->rkey, r->addr, r->compare, r->swap_add, &r->old)) {
		r->resp_syn = MROCE_SYN_ACCESS;
	}
	mroce_stream_kick(s);
}

static struct mroce_rmsg *resp_to_cut(const struct mroce_stream *s)
{
	struct mroce_rmsg *r;

	list_for_each_entry(r, &s->resp_list, link)
		if (!r->resp_cut)
			return r;
	return NULL;
}

/*
 * The requester is done when the last byte arrives, before we know that it did: a response wholly
 * sent once must not count against max_dest_rd_atomic any more [M107].
 */
static void resp_uncount(struct mroce_stream *s, struct mroce_rmsg *r)
{
	if (!r->resp_cut || !r->counted)
		return;
	r->counted = false;
	s->rd_in--;
}

/**
 * mroce_response_pending() - is there an answer not yet cut to its end?
 * @s:	stream
 *
 * Return: true if there is
 */
bool mroce_response_pending(const struct mroce_stream *s)
{
	return resp_to_cut(s);
}

/**
 * mroce_response_next_seg() - the next segment of the oldest answer
 * @s:		stream
 * @now:	current time, ns
 *
 * Return: the segment, in no list, or NULL
 */
struct mroce_seg *mroce_response_next_seg(struct mroce_stream *s, u64 now)
{
	struct mroce_rmsg *r = resp_to_cut(s);
	struct mroce_conn *conn = s->conn;
	struct mroce_seg *seg;

	if (!r)
		return NULL;
	seg = mroce_seg_get(conn);
	if (!seg) {
		mroce_timer_arm(&conn->peer->timers, &conn->kick_timer, now + NSEC_MS);
		return NULL;
	}
	seg->kind = MROCE_SEG_RESP;
	seg->stream = s;
	seg->resp = r;
	seg->offset = r->resp_off;
	r->resp_out++;
	if (r->resp_syn) {
		seg->opcode = MROCE_OP_RESP_ERROR;
		r->resp_cut = true;
	} else if (r->opcode == MROCE_OP_READ) {
		seg->opcode = MROCE_OP_READ_RESP;
		seg->len = min(conn->payload, r->len - r->resp_off);
		r->resp_off += seg->len;
		r->resp_cut = r->resp_off == r->len;
	} else {
		seg->opcode = MROCE_OP_ATOMIC_RESP;
		r->resp_cut = true;
	}
	resp_uncount(s, r);
	return seg;
}

/* The answer is over when all of it was cut and accepted; the request's resources are free then. */
static void resp_check_done(struct mroce_stream *s, struct mroce_rmsg *r, u64 now)
{
	resp_uncount(s, r);
	if (!r->resp_cut || r->resp_out)
		return;
	list_del(&r->link);
	mroce_rmsg_free(s, r);
	mroce_stream_error_turn(s, now);
}

/**
 * mroce_response_accepted() - a segment of the answer was accepted (or the requester is gone)
 * @s:		stream
 * @r:		request being answered
 * @now:	current time, ns
 *
 * Context: may free @r; may end the stream
 */
void mroce_response_accepted(struct mroce_stream *s, struct mroce_rmsg *r, u64 now)
{
	r->resp_out--;
	resp_check_done(s, r, now);
}

/**
 * mroce_response_failed() - the region cannot be read: the answer ends with an error [M108]
 * @s:		stream
 * @r:		request being answered
 * @now:	current time, ns
 *
 * Context: may free @r; may end the stream
 */
void mroce_response_failed(struct mroce_stream *s, struct mroce_rmsg *r, u64 now)
{
	if (r->resp_dead) {
		resp_check_done(s, r, now);
		return;
	}
	r->resp_syn = MROCE_SYN_ACCESS;
	r->resp_dead = true;
	r->resp_cut = false;
	mroce_stream_kick(s);
}

/**
 * mroce_response_drop() - the stream ends: no answer any more
 * @s:	stream
 */
void mroce_response_drop(struct mroce_stream *s)
{
	struct mroce_rmsg *r, *tmp;

	list_for_each_entry_safe(r, tmp, &s->resp_list, link) {
		list_del(&r->link);
		mroce_rmsg_free(s, r);
	}
}
