// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester's half of a stream: work requests are cut into segments in order, refused segments
 * wait and go out again under new PSNs, and completions are given in posted order.
 */
#include "internal.h"

/**
 * mroce_msg_uses_rsn() - does it consume a receive at the peer?
 * @m:	message
 *
 * Return: true for SEND and WRITE with immediate
 */
bool mroce_msg_uses_rsn(const struct mroce_msg *m)
{
	return m->kind == MROCE_MSG_SEND ||
	       (m->kind == MROCE_MSG_WRITE && m->flags & MROCE_MSG_F_IMM);
}

static bool msg_is_rd(const struct mroce_msg *m)
{
	return m->kind == MROCE_MSG_READ || m->kind == MROCE_MSG_CMP_SWAP ||
	       m->kind == MROCE_MSG_FETCH_ADD;
}

static bool msg_has_payload(const struct mroce_msg *m)
{
	return m->kind == MROCE_MSG_SEND || m->kind == MROCE_MSG_WRITE;
}

/* In order of posting, from 0 [M74]; only what will really be sent has a number. */
static bool msg_numbered(const struct mroce_msg *m)
{
	return m->kind != MROCE_MSG_LOCAL && m->status == MROCE_ST_OK;
}

static bool msg_fully_accepted(const struct mroce_msg *m)
{
	return m->cut_done && !m->segs_out;
}

static bool msg_done(const struct mroce_msg *m)
{
	return m->kind == MROCE_MSG_LOCAL || msg_is_rd(m) ? m->resp_done : msg_fully_accepted(m);
}

static u64 msg_backlog(const struct mroce_msg *m)
{
	return msg_has_payload(m) ? m->len - m->sent_off : 0;
}

/**
 * mroce_stream_backlog() - payload bytes posted and not yet cut
 * @s:	stream
 *
 * Return: bytes
 */
u64 mroce_stream_backlog(const struct mroce_stream *s)
{
	const struct mroce_msg *m = s->tx_next;
	u64 sum = 0;

	if (!m)
		return 0;
	list_for_each_entry_from(m, &s->sq, link)
		sum += msg_backlog(m);
	return sum;
}

static u8 msg_opcode(const struct mroce_msg *m)
{
	switch (m->kind) {
	case MROCE_MSG_SEND:
		return m->flags & MROCE_MSG_F_IMM ? MROCE_OP_SEND_IMM :
		       m->flags & MROCE_MSG_F_INV ? MROCE_OP_SEND_INV : MROCE_OP_SEND;
	case MROCE_MSG_WRITE:
		return m->flags & MROCE_MSG_F_IMM ? MROCE_OP_WRITE_IMM : MROCE_OP_WRITE;
	case MROCE_MSG_READ:
		return MROCE_OP_READ;
	case MROCE_MSG_CMP_SWAP:
		return MROCE_OP_CMP_SWAP;
	}
	return MROCE_OP_FETCH_ADD;
}

void mroce_stream_post(struct mroce_stream *s, struct mroce_msg *msg, u64 now)
{
	if (s->state == MROCE_STREAM_ERR) {
		s->peer->ops->send_done(s, msg, MROCE_ST_FLUSH);
		return;
	}
	INIT_LIST_HEAD(&msg->rd_link);
	msg->posted_at = now;
	msg->sent_off = 0;
	msg->segs_out = 0;
	msg->acked = 0;
	msg->resp_bytes = 0;
	msg->cut_done = false;
	msg->resp_done = false;
	if (msg_is_rd(msg) && !s->attr.max_rd_atomic && msg->status == MROCE_ST_OK)
		msg->status = MROCE_ST_LOC_OP;
	msg->msn = s->next_msn;
	msg->rsn = s->next_rsn;
	if (msg_numbered(msg)) {
		s->next_msn++;
		if (mroce_msg_uses_rsn(msg))	/* [M75] */
			s->next_rsn++;
	}
	if (list_empty(&s->sq))
		s->work_since = now;
	list_add_tail(&msg->link, &s->sq);
	if (!s->tx_next)
		s->tx_next = msg;
	if (s->conn)
		s->conn->backlog += msg_backlog(msg);
	if (!s->retry_timer.armed)
		mroce_stream_clock(s, now);
	if (msg->status != MROCE_ST_OK)
		mroce_stream_complete(s, now);
	mroce_stream_kick(s);
}

static struct mroce_msg *next_msg(const struct mroce_stream *s, struct mroce_msg *m)
{
	return list_is_last(&m->link, &s->sq) ? NULL : list_next_entry(m, link);
}

/* Without credit exactly one packet of the oldest message may ask for it [M81]. */
static bool credit_allows(const struct mroce_stream *s, const struct mroce_msg *m)
{
	if (!mroce_msg_uses_rsn(m) || s->rsn_unlimited || mroce_before(m->rsn, s->rsn_limit))
		return true;
	return m->msn == s->una_msn && !m->sent_off && !m->segs_out;
}

/* May the next segment of @m, the first message not cut to its end, be cut now? */
static bool msg_may_send(const struct mroce_stream *s, const struct mroce_msg *m)
{
	bool started = m->sent_off || m->segs_out;

	if (m->status != MROCE_ST_OK)
		return false;
	if (!started && s->state == MROCE_STREAM_SQD)
		return false;
	if (m->flags & MROCE_MSG_F_FENCE && !started && !list_empty(&s->rd_list))
		return false;
	/*
	 * Fenced, it takes effect after everything before it: what may be sent again needs its
	 * region.
	 */
	if (m->kind == MROCE_MSG_LOCAL)
		return !(m->flags & MROCE_MSG_F_FENCE) || list_is_first(&m->link, &s->sq);
	if (s->has_err && !mroce_before(m->msn, s->err_msn))
		return false;
	if (m->msn - s->una_msn >= s->conn->msn_window)	/* [M76] */
		return false;
	if (msg_is_rd(m) && s->rd_out >= s->attr.max_rd_atomic)
		return false;
	return credit_allows(s, m);
}

static bool requeue_may_send(const struct mroce_stream *s)
{
	const struct mroce_seg *seg;

	if (list_empty(&s->requeue) || s->wait >= MROCE_WAIT_NO_STREAM)
		return false;
	seg = list_first_entry(&s->requeue, struct mroce_seg, link);
	return s->wait == MROCE_WAIT_NONE || seg->msg->msn == s->una_msn;
}

/**
 * mroce_stream_backlogged() - could @s give another segment right now?
 * @s:	stream
 *
 * Return: true if so
 */
bool mroce_stream_backlogged(const struct mroce_stream *s)
{
	if (!s->opened || s->state == MROCE_STREAM_ERR)
		return false;
	if (mroce_response_pending(s))
		return true;
	if (s->state < MROCE_STREAM_RTS)
		return false;
	if (!list_empty(&s->requeue) || s->wait)
		return requeue_may_send(s);
	return s->tx_next && msg_may_send(s, s->tx_next);
}

static void msg_start_rd(struct mroce_stream *s, struct mroce_msg *m, u64 now)
{
	m->resp_at = now;
	s->rd_out++;
	list_add_tail(&m->rd_link, &s->rd_list);
}

/* Segments follow each other without overlap, and say the same of the message [M77, M78]. */
static struct mroce_seg *cut(struct mroce_stream *s, struct mroce_msg *m, u64 now)
{
	struct mroce_conn *conn = s->conn;
	struct mroce_seg *seg = mroce_seg_get(conn);

	if (!seg) {
		mroce_timer_arm(&conn->peer->timers, &conn->kick_timer, now + NSEC_MS);
		return NULL;
	}
	seg->kind = MROCE_SEG_MSG;
	seg->stream = s;
	seg->msg = m;
	seg->opcode = msg_opcode(m);
	seg->offset = m->sent_off;
	if (msg_has_payload(m)) {
		seg->len = min(conn->payload, m->len - m->sent_off);
		m->sent_off += seg->len;
		conn->backlog -= seg->len;
	}
	m->segs_out++;
	if (msg_is_rd(m))
		msg_start_rd(s, m, now);
	if (!msg_has_payload(m) || m->sent_off == m->len) {
		m->cut_done = true;
		s->tx_next = next_msg(s, m);
	}
	return seg;
}

/* Local operations take effect in order with what is sent around them. */
static void run_local(struct mroce_stream *s, struct mroce_msg *m, u64 now)
{
	m->status = s->peer->ops->local_op(s, m);
	m->cut_done = true;
	m->resp_done = true;
	if (m->status == MROCE_ST_OK)
		s->tx_next = next_msg(s, m);
	mroce_stream_complete(s, now);
}

/**
 * mroce_stream_next_seg() - the next segment of @s
 * @s:		stream
 * @now:	current time, ns
 *
 * Responses go before requests: a responder must never wait for its own requests [M104].
 *
 * Context: runs local operations at their turn; may end the stream
 * Return: the segment, in no list, or NULL
 */
struct mroce_seg *mroce_stream_next_seg(struct mroce_stream *s, u64 now)
{
	struct mroce_seg *seg;

	if (!s->opened || s->state == MROCE_STREAM_ERR)	/* [M73] */
		return NULL;
	seg = mroce_response_next_seg(s, now);
	if (seg || s->state < MROCE_STREAM_RTS)
		return seg;
	if (!list_empty(&s->requeue) || s->wait) {
		if (!requeue_may_send(s))
			return NULL;
		seg = list_first_entry(&s->requeue, struct mroce_seg, link);
		list_del_init(&seg->link);
		return seg;
	}
	while (s->tx_next && msg_may_send(s, s->tx_next)) {
		if (s->tx_next->kind != MROCE_MSG_LOCAL)
			return cut(s, s->tx_next, now);
		run_local(s, s->tx_next, now);
		if (s->state == MROCE_STREAM_ERR)
			return NULL;
	}
	return NULL;
}

static void sqd_check(struct mroce_stream *s)
{
	const struct mroce_msg *m;

	if (s->state != MROCE_STREAM_SQD || !s->sqd_pending)
		return;
	m = list_empty(&s->sq) ? NULL : list_first_entry(&s->sq, struct mroce_msg, link);
	if (m && (m != s->tx_next || m->sent_off || m->segs_out))
		return;
	s->sqd_pending = false;
	if (s->peer->ops->sq_drained)
		s->peer->ops->sq_drained(s);
}

/**
 * mroce_stream_complete() - finish messages from the head of the queue as far as done [M92]
 * @s:		stream
 * @now:	current time, ns
 *
 * Context: may end the stream
 */
void mroce_stream_complete(struct mroce_stream *s, u64 now)
{
	struct mroce_msg *m;

	while (!list_empty(&s->sq)) {
		m = list_first_entry(&s->sq, struct mroce_msg, link);
		if (m->status != MROCE_ST_OK) {
			mroce_stream_fail_head(s, m->status, now);
			return;
		}
		if (s->has_err && m->kind != MROCE_MSG_LOCAL && !mroce_before(m->msn, s->err_msn)) {
			mroce_stream_fail_head(s, s->err_status, now);
			return;
		}
		if (!msg_done(m))
			break;
		list_del_init(&m->link);
		s->peer->ops->send_done(s, m, MROCE_ST_OK);
	}
	if (list_empty(&s->sq))
		mroce_timer_cancel(&s->peer->timers, &s->retry_timer);
	sqd_check(s);
}

/**
 * mroce_stream_fail_head() - the oldest message fails with @status, all others flush
 * @s:		stream
 * @status:	enum mroce_status
 * @now:	current time, ns
 *
 * Context: ends the stream
 */
void mroce_stream_fail_head(struct mroce_stream *s, u8 status, u64 now)
{
	if (s->state == MROCE_STREAM_ERR)
		return;
	s->state = MROCE_STREAM_ERR;
	mroce_stream_release(s);
	mroce_stream_flush_sends(s, status);
	s->peer->ops->stream_failed(s, MROCE_FAIL_SEND);
}

/**
 * mroce_stream_flush_sends() - complete all that is in the send queue
 * @s:		stream
 * @first:	status of the oldest; the rest get FLUSH
 */
void mroce_stream_flush_sends(struct mroce_stream *s, u8 first)
{
	struct mroce_msg *m;

	while (!list_empty(&s->sq)) {
		m = list_first_entry(&s->sq, struct mroce_msg, link);
		list_del_init(&m->link);
		s->peer->ops->send_done(s, m, first);
		first = MROCE_ST_FLUSH;
	}
}

/**
 * mroce_stream_drop_sends() - no segment of @s is in flight or waits any more
 * @s:	stream
 *
 * Nothing of it succeeds now [M93].
 */
void mroce_stream_drop_sends(struct mroce_stream *s)
{
	struct mroce_seg *seg, *tmp;

	list_for_each_entry_safe(seg, tmp, &s->segs, link)
		mroce_seg_cancel(s->conn, seg);
	list_for_each_entry_safe(seg, tmp, &s->requeue, link)
		mroce_seg_cancel(s->conn, seg);
	INIT_LIST_HEAD(&s->rd_list);
	s->rd_out = 0;
}

static void drop_segs_from(struct mroce_stream *s, struct list_head *list, u32 msn)
{
	struct mroce_seg *seg, *tmp;

	list_for_each_entry_safe(seg, tmp, list, link)
		if (seg->kind == MROCE_SEG_MSG && !mroce_before(seg->msg->msn, msn))
			mroce_seg_cancel(s->conn, seg);
}

/**
 * mroce_stream_error() - message @msn failed
 * @s:		stream
 * @msn:	number of the message
 * @status:	enum mroce_status
 * @now:	current time, ns
 *
 * Messages below it go on; it completes with @status at its turn [M99]. The lowest error counts.
 *
 * Context: may end the stream
 */
void mroce_stream_error(struct mroce_stream *s, u32 msn, u8 status, u64 now)
{
	struct mroce_msg *m, *tmp;

	if (s->state == MROCE_STREAM_ERR || (s->has_err && !mroce_before(msn, s->err_msn)))
		return;
	s->has_err = true;
	s->err_msn = msn;
	s->err_status = status;
	drop_segs_from(s, &s->segs, msn);
	drop_segs_from(s, &s->requeue, msn);
	list_for_each_entry_safe(m, tmp, &s->rd_list, rd_link) {
		if (mroce_before(m->msn, msn))
			continue;
		list_del_init(&m->rd_link);
		s->rd_out--;
	}
	mroce_stream_complete(s, now);
	if (s->state != MROCE_STREAM_ERR)
		mroce_stream_kick(s);
}

static void wait_start(struct mroce_stream *s, u8 wait, u64 until)
{
	if (wait < s->wait)
		return;
	if (wait > s->wait || !s->wait_timer.armed)
		mroce_timer_arm(&s->peer->timers, &s->wait_timer, until);
	s->wait = wait;
}

static void wait_end(struct mroce_stream *s)
{
	mroce_timer_cancel(&s->peer->timers, &s->wait_timer);
	s->wait = MROCE_WAIT_NONE;
	s->round_counted = false;
	mroce_stream_kick(s);
}

/**
 * mroce_stream_wait_timer() - what was refused may go out again
 * @t:		mroce_stream.wait_timer
 * @now:	current time, ns
 */
void mroce_stream_wait_timer(struct mroce_timer *t, u64 now)
{
	struct mroce_stream *s = container_of(t, struct mroce_stream, wait_timer);

	s->work_since = now;	/* the clock begins anew: nothing was in flight */
	wait_end(s);
}

/* The window's base moves over everything accepted from @m on. */
static void advance_una(struct mroce_stream *s, struct mroce_msg *m)
{
	if (m->msn != s->una_msn)
		return;
	list_for_each_entry_from(m, &s->sq, link) {
		if (m->kind == MROCE_MSG_LOCAL && m->status == MROCE_ST_OK)
			continue;
		if (!msg_numbered(m) || !msg_fully_accepted(m))
			break;
		s->una_msn = m->msn + 1;
	}
	s->rnr_left = s->attr.rnr_retry;
	if (s->wait == MROCE_WAIT_LATER)
		wait_end(s);
}

/**
 * mroce_msg_accepted() - a segment of @msg was accepted
 * @s:		stream
 * @msg:	message
 * @now:	current time, ns
 *
 * Context: may complete messages and end the stream
 */
void mroce_msg_accepted(struct mroce_stream *s, struct mroce_msg *msg, u64 now)
{
	msg->segs_out--;
	s->nostream_rounds = 0;
	if (mroce_msg_uses_rsn(msg) && !mroce_before(msg->rsn, s->rsn_limit))
		s->rsn_limit = msg->rsn + 1;
	if (s->wait == MROCE_WAIT_LATER && msg->msn == s->una_msn)
		wait_end(s);	/* the stream advances, if only by a packet */
	if (msg_fully_accepted(msg)) {
		advance_una(s, msg);
		mroce_stream_complete(s, now);
	}
	if (s->state != MROCE_STREAM_ERR)
		mroce_stream_kick(s);
}

/**
 * mroce_msg_answered() - the response of a READ or atomic is complete
 * @s:		stream
 * @m:		message
 * @now:	current time, ns
 *
 * That proves that the request was accepted, too.
 *
 * Context: may complete messages and end the stream
 */
void mroce_msg_answered(struct mroce_stream *s, struct mroce_msg *m, u64 now)
{
	struct mroce_seg *seg, *tmp;

	m->resp_done = true;
	list_del_init(&m->rd_link);
	s->rd_out--;
	if (m->segs_out) {
		list_for_each_entry_safe(seg, tmp, &s->segs, link)
			if (seg->kind == MROCE_SEG_MSG && seg->msg == m)
				mroce_seg_cancel(s->conn, seg);
		list_for_each_entry_safe(seg, tmp, &s->requeue, link)
			if (seg->msg == m)
				mroce_seg_cancel(s->conn, seg);
		m->segs_out = 0;
		advance_una(s, m);
	}
	mroce_stream_complete(s, now);
	if (s->state != MROCE_STREAM_ERR)
		mroce_stream_kick(s);
}

/* Refused content waits in the order in which it was posted, and takes new PSNs [M45]. */
static void requeue(struct mroce_stream *s, struct mroce_seg *seg)
{
	struct mroce_seg *at;

	list_for_each_entry_reverse(at, &s->requeue, link)
		if (mroce_before(at->msg->msn, seg->msg->msn) ||
		    (at->msg == seg->msg && at->offset < seg->offset))
			break;
	list_add(&seg->link, &at->link);
}

/**
 * mroce_rnr_delay() - IBTA's RNR timer codes
 * @code:	0..31
 *
 * Return: ns
 */
u64 mroce_rnr_delay(u8 code)
{
	static const u32 us[32] = {
		655360, 10, 20, 30, 40, 60, 80, 120,
		160, 240, 320, 480, 640, 960, 1280, 1920,
		2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720,
		40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520,
	};

	return us[code & 31] * NSEC_US;
}

/*
 * Nothing of the stream goes out before the timer [M83]; one round counts once, and only for the
 * oldest [M84].
 */
static void refused_rnr(struct mroce_stream *s, u32 msn, u8 arg, u64 now)
{
	wait_start(s, MROCE_WAIT_RNR, now + mroce_rnr_delay(arg));
	if (s->round_counted || msn != s->una_msn || s->attr.rnr_retry == 7)
		return;
	s->round_counted = true;
	if (s->rnr_left--)
		return;
	mroce_count(s->peer, MROCE_CNT_STREAM_RNR_EXC);
	mroce_stream_error(s, msn, MROCE_ST_RNR_EXC, now);
}

/* [M85] */
static void refused_no_stream(struct mroce_stream *s, u64 now)
{
	bool fresh = s->wait < MROCE_WAIT_NO_STREAM;

	wait_start(s, MROCE_WAIT_NO_STREAM, now + mroce_stream_timeout(s));
	if (!fresh || !s->attr.timeout || s->nostream_rounds++ < s->attr.retry_cnt)
		return;
	mroce_count(s->peer, MROCE_CNT_STREAM_RETRY_EXC);
	mroce_stream_fail_head(s, MROCE_ST_RETRY_EXC, now);
}

/**
 * mroce_msg_refused() - keep the content of @seg for later, or fail its message
 * @s:		stream
 * @seg:	refused, in no list
 * @syn:	enum mroce_syndrome
 * @arg:	argument of the syndrome (RNR: timer code)
 * @now:	current time, ns
 *
 * Context: may end the stream
 */
void mroce_msg_refused(struct mroce_stream *s, struct mroce_seg *seg, u8 syn, u8 arg, u64 now)
{
	static const u8 status[MROCE_SYN_MAX] = {
		[MROCE_SYN_INVALID]	= MROCE_ST_REM_INVALID,
		[MROCE_SYN_ACCESS]	= MROCE_ST_REM_ACCESS,
		[MROCE_SYN_OP]		= MROCE_ST_REM_OP,
	};
	u32 msn = seg->msg->msn;

	if (status[syn]) {
		mroce_seg_put(s->conn, seg);
		mroce_stream_error(s, msn, status[syn], now);
		return;
	}
	requeue(s, seg);
	switch (syn) {
	case MROCE_SYN_RNR:
		refused_rnr(s, msn, arg, now);
		break;
	case MROCE_SYN_NO_STREAM:
		refused_no_stream(s, now);
		break;
	case MROCE_SYN_LATER:	/* [M86] */
		wait_start(s, MROCE_WAIT_LATER, now + max(mroce_conn_rto(s->conn), 50 * NSEC_US));
		break;
	}
	if (s->state != MROCE_STREAM_ERR)
		mroce_stream_kick(s);
}

/**
 * mroce_stream_credit() - the peer has posted receives [M80]
 * @s:		stream
 * @rsn_limit:	first RSN without a posted receive
 * @now:	current time, ns
 */
void mroce_stream_credit(struct mroce_stream *s, u32 rsn_limit, u64 now)
{
	if (!mroce_before(s->rsn_limit, rsn_limit))
		return;
	s->rsn_limit = rsn_limit;
	mroce_stream_kick(s);
}
