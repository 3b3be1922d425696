// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The life of a stream: attach at RTR, OPEN towards the peer, RTS, the clocks that end it when
 * nobody answers, flush and detach. Its two directions are in stream_tx.c and stream_rx.c.
 *
 * A stream's send direction is bound to one connection (of its own traffic class) from attach to
 * its end; its receive direction takes packets of any connection of the peer that carry its tag.
 */
#include "internal.h"

#define OPEN_BACKOFF_FIRST	NSEC_MS
#define OPEN_BACKOFF_MAX	(200 * NSEC_MS)
#define OPEN_ANSWER		(10 * NSEC_MS)	/* at least, for OPENED to come */
#define QUERY_DEFAULT		NSEC_S		/* period with timeout 0 */

/**
 * mroce_stream_kick() - @s may have something to send
 * @s:	stream
 */
void mroce_stream_kick(struct mroce_stream *s)
{
	if (!s->conn)
		return;
	if (s->opened && list_empty(&s->ready_link))
		list_add_tail(&s->ready_link, &s->conn->ready);
	mroce_conn_out(s->conn);
}

/**
 * mroce_stream_bind() - @s sends on @conn from now on
 * @s:		stream
 * @conn:	connection
 */
void mroce_stream_bind(struct mroce_stream *s, struct mroce_conn *conn)
{
	s->conn = conn;
	conn->nstreams++;
	conn->backlog += mroce_stream_backlog(s);
}

/**
 * mroce_stream_unbind() - @s sends on no connection; its segments have been cancelled
 * @s:	stream
 */
void mroce_stream_unbind(struct mroce_stream *s)
{
	struct mroce_conn *conn = s->conn;

	if (!conn)
		return;
	list_del_init(&s->ready_link);
	conn->backlog -= mroce_stream_backlog(s);
	conn->nstreams--;
	s->conn = NULL;
}

/**
 * mroce_stream_timeout() - one round of the QP's timeout (rule 37)
 * @s:	stream
 *
 * Never shorter than the route allows [M101]; with timeout 0, the period in which to ask.
 *
 * Return: ns
 */
u64 mroce_stream_timeout(const struct mroce_stream *s)
{
	u64 t = s->attr.timeout ? 4096ULL << (s->attr.timeout & 31) : QUERY_DEFAULT;

	return s->conn ? max(t, 3 * mroce_conn_rto(s->conn)) : t;
}

static u32 random_tag(struct mroce_peer *peer)
{
	return peer->ops->random32(peer) ?: 1;
}

int mroce_stream_attach(struct mroce_stream *s, struct mroce_peer *peer,
			const struct mroce_stream_attr *attr, u64 now)
{
	struct mroce_conn *conn = mroce_conn_for_class(peer, attr->tclass, now);

	if (!conn)
		return -ENOMEM;
	s->peer = peer;
	s->attr = *attr;
	s->state = MROCE_STREAM_RTR;
	s->rx_tag = random_tag(peer);	/* [M67] */
	s->open_timer.fn = mroce_stream_open_timer;
	s->retry_timer.fn = mroce_stream_retry_timer;
	s->wait_timer.fn = mroce_stream_wait_timer;
	INIT_LIST_HEAD(&s->sq);
	INIT_LIST_HEAD(&s->rd_list);
	INIT_LIST_HEAD(&s->segs);
	INIT_LIST_HEAD(&s->requeue);
	INIT_LIST_HEAD(&s->resp_list);
	INIT_LIST_HEAD(&s->ready_link);
	INIT_LIST_HEAD(&s->credit_link);
	list_add_tail(&s->peer_link, &peer->streams);
	peer->nstreams++;
	mroce_stream_bind(s, conn);
	if (conn->state == MROCE_CONN_OPEN)
		mroce_stream_open_start(s, now);
	return 0;
}

static void open_wait(struct mroce_stream *s, u64 until)
{
	mroce_timer_arm(&s->peer->timers, &s->open_timer, until);
}

static void open_back_off(struct mroce_stream *s)
{
	s->open_backoff = s->open_backoff ? min(s->open_backoff * 2, OPEN_BACKOFF_MAX) :
					    OPEN_BACKOFF_FIRST;
}

/**
 * mroce_stream_open_start() - send OPEN under a fresh nonce [M69]
 * @s:		stream
 * @now:	current time, ns
 */
void mroce_stream_open_start(struct mroce_stream *s, u64 now)
{
	if (s->opened || s->state == MROCE_STREAM_ERR || s->conn->state != MROCE_CONN_OPEN)
		return;
	mroce_timer_cancel(&s->peer->timers, &s->open_timer);
	if (s->open_seg) {	/* the last one has no verdict yet */
		open_wait(s, now + max(s->open_backoff, OPEN_ANSWER));
		return;
	}
	s->open_refused = false;
	s->nonce = random_tag(s->peer);
	if (mroce_ctrl_open(s))
		open_wait(s, now + max(max(4 * mroce_conn_rto(s->conn), s->open_backoff),
				       OPEN_ANSWER));
	else
		open_wait(s, now + OPEN_BACKOFF_FIRST);
}

/**
 * mroce_stream_open_timer() - ask under a new nonce
 * @t:		mroce_stream.open_timer
 * @now:	current time, ns
 *
 * OPEN was refused, or accepted and then the answer went down with its connection.
 */
void mroce_stream_open_timer(struct mroce_timer *t, u64 now)
{
	struct mroce_stream *s = container_of(t, struct mroce_stream, open_timer);

	if (!s->open_refused)
		open_back_off(s);
	mroce_stream_open_start(s, now);
}

/**
 * mroce_stream_open_refused() - the peer's QP is not there yet: ask again later [M71]
 * @s:		stream
 * @now:	current time, ns
 */
void mroce_stream_open_refused(struct mroce_stream *s, u64 now)
{
	open_back_off(s);
	s->open_refused = true;
	open_wait(s, now + s->open_backoff);
}

/**
 * mroce_stream_peer_here() - the peer's OPEN arrived, so ours would be answered now
 * @s:		stream
 * @now:	current time, ns
 */
void mroce_stream_peer_here(struct mroce_stream *s, u64 now)
{
	if (!s->peer_seen) {
		s->peer_seen = true;
		if (s->peer->ops->established)
			s->peer->ops->established(s);
	}
	if (!s->opened && s->open_refused)
		mroce_stream_open_start(s, now);
}

/**
 * mroce_stream_opened() - the peer's tag is known: sending may begin
 * @s:		stream
 * @tag:	the peer's
 * @rsn_limit:	first credit: first RSN without a posted receive
 * @unlimited:	receives come from a shared queue, there is no credit
 * @now:	current time, ns
 */
void mroce_stream_opened(struct mroce_stream *s, u32 tag, u32 rsn_limit, bool unlimited, u64 now)
{
	s->tx_tag = tag;
	s->opened = true;
	s->open_backoff = 0;
	s->rsn_limit = rsn_limit;
	s->rsn_unlimited = unlimited;
	mroce_timer_cancel(&s->peer->timers, &s->open_timer);
	mroce_count(s->peer, MROCE_CNT_STREAM_OPEN);
	mroce_stream_kick(s);
}

void mroce_stream_rts(struct mroce_stream *s, const struct mroce_stream_attr *attr, u64 now)
{
	mroce_stream_update(s, attr);
	if (s->state == MROCE_STREAM_ERR)
		return;
	s->state = MROCE_STREAM_RTS;
	s->rnr_left = attr->rnr_retry;
	s->sqd_pending = false;
	s->work_since = now;
	mroce_stream_clock(s, now);
	mroce_stream_kick(s);
}

void mroce_stream_update(struct mroce_stream *s, const struct mroce_stream_attr *attr)
{
	u8 tclass = s->attr.tclass;

	s->attr = *attr;
	s->attr.tclass = tclass;	/* fixed at attach: the connection is of that class */
}

void mroce_stream_sqd(struct mroce_stream *s, u64 now)
{
	if (s->state == MROCE_STREAM_ERR)
		return;
	s->state = MROCE_STREAM_SQD;
	s->sqd_pending = true;
	mroce_stream_complete(s, now);
}

/* Is there anything that the peer could answer? In SQD what has not begun waits for us. */
static bool work_outstanding(const struct mroce_stream *s)
{
	const struct mroce_msg *m;

	if (list_empty(&s->sq) || s->state == MROCE_STREAM_ERR)
		return false;
	m = list_first_entry(&s->sq, struct mroce_msg, link);
	return s->state != MROCE_STREAM_SQD || m != s->tx_next || m->sent_off || m->segs_out;
}

/**
 * mroce_stream_clock() - arm the clock while work is outstanding
 * @s:		stream
 * @now:	current time, ns
 *
 * What the paths repair does not concern it [M59]. It ticks once a timeout, so a deadline that
 * packets keep moving costs nothing per packet.
 */
void mroce_stream_clock(struct mroce_stream *s, u64 now)
{
	u64 round = mroce_stream_timeout(s);

	if (!work_outstanding(s)) {
		mroce_timer_cancel(&s->peer->timers, &s->retry_timer);
		return;
	}
	if (!s->retry_timer.armed)
		mroce_timer_arm(&s->peer->timers, &s->retry_timer, now + round);
}

/*
 * A READ or atomic whose request was accepted and whose answer does not move: ask whether it still
 * will come [M112].
 */
static void stream_query(struct mroce_stream *s, u64 round, u64 now)
{
	struct mroce_msg *m;

	if (list_empty(&s->rd_list))
		return;
	m = list_first_entry(&s->rd_list, struct mroce_msg, rd_link);
	if (m->segs_out || now - m->resp_at < round)
		return;
	mroce_ctrl_query(s, m->msn);
}

/**
 * mroce_stream_retry_timer() - the clock ticks: give up, or ask what became of an answer
 * @t:		mroce_stream.retry_timer
 * @now:	current time, ns
 *
 * Context: may end the stream
 */
void mroce_stream_retry_timer(struct mroce_timer *t, u64 now)
{
	struct mroce_stream *s = container_of(t, struct mroce_stream, retry_timer);
	u64 round = mroce_stream_timeout(s);
	const struct mroce_msg *m;
	u64 since, deadline;

	if (!work_outstanding(s) || !s->conn)
		return;
	since = s->opened ? max(s->work_since, s->conn->rx_last) : s->work_since;
	/* Answers may come on a connection of the peer's class. */
	if (!list_empty(&s->rd_list)) {
		m = list_first_entry(&s->rd_list, struct mroce_msg, rd_link);
		since = max(since, m->resp_at);
	}
	/* A wait that the peer asked for is no silence of it. */
	if (s->wait >= MROCE_WAIT_NO_STREAM && s->wait_timer.armed)
		since = max(since, s->wait_timer.expires);
	/* Nor is one for the time that it grants. */
	if (s->conn->pace.rate)
		since = max(since, s->conn->pace.next_at);
	deadline = since + (s->attr.retry_cnt + 1) * round;
	if (s->attr.timeout && now >= deadline) {
		mroce_count(s->peer, MROCE_CNT_STREAM_RETRY_EXC);
		mroce_stream_fail_head(s, MROCE_ST_RETRY_EXC, now);
		return;
	}
	stream_query(s, round, now);
	mroce_timer_arm(&s->peer->timers, t,
			s->attr.timeout ? min(now + round, deadline) : now + round);
}

/**
 * mroce_stream_release() - give back everything but the send queue, which its caller completes
 * @s:	stream
 */
void mroce_stream_release(struct mroce_stream *s)
{
	struct mroce_timerq *q = &s->peer->timers;

	if (s->conn && (s->rd_in || !list_empty(&s->resp_list)))
		mroce_ctrl_closed(s, s->rx_has_err ? s->rx_err_syn : MROCE_SYN_NONE);
	mroce_timer_cancel(q, &s->open_timer);
	mroce_timer_cancel(q, &s->retry_timer);
	mroce_timer_cancel(q, &s->wait_timer);
	mroce_ctrl_orphan(s);
	mroce_stream_drop_sends(s);
	mroce_stream_drop_receives(s);
	mroce_stream_unbind(s);
	list_del_init(&s->credit_link);
	s->opened = false;
	s->wait = MROCE_WAIT_NONE;
	s->tx_next = NULL;
}

/**
 * mroce_stream_end() - the core ends @s: sends flush in order, the host is told
 * @s:		stream
 * @why:	what the host is told
 * @now:	current time, ns
 *
 * Context: ops->send_done(), ops->stream_failed()
 */
void mroce_stream_end(struct mroce_stream *s, enum mroce_fail why, u64 now)
{
	u8 first = why == MROCE_FAIL_PEER_LOST ? MROCE_ST_RETRY_EXC : MROCE_ST_FLUSH;

	if (s->state == MROCE_STREAM_ERR)
		return;
	s->state = MROCE_STREAM_ERR;
	mroce_stream_release(s);
	mroce_stream_flush_sends(s, first);
	s->peer->ops->stream_failed(s, why);
}

void mroce_stream_flush(struct mroce_stream *s, u64 now)
{
	if (s->state == MROCE_STREAM_ERR)
		return;
	s->state = MROCE_STREAM_ERR;
	mroce_stream_release(s);
	mroce_stream_flush_sends(s, MROCE_ST_FLUSH);
}

/* The last stream is gone: connections without use may expire from now on. */
static void peer_may_expire(struct mroce_peer *peer, u64 now)
{
	struct mroce_conn *conn;

	list_for_each_entry(conn, &peer->conns, link)
		if (conn->state == MROCE_CONN_OPEN)
			mroce_conn_idle_watch(conn, now);
}

void mroce_stream_detach(struct mroce_stream *s, u64 now)
{
	if (!s->peer)
		return;
	s->state = MROCE_STREAM_CLOSED;
	mroce_stream_release(s);
	list_del_init(&s->peer_link);
	if (!--s->peer->nstreams)
		peer_may_expire(s->peer, now);
	s->peer = NULL;
}
