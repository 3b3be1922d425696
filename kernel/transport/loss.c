// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How loss is found. A path is FIFO, so a packet that was sent later and accepted earlier proves
 * that this one is gone [M56]; "later" is by order of transmission, so lost retransmissions are
 * found the same way. A path that turns out to reorder gets a tolerance in time, as in RFC 8985.
 * Only what nothing follows needs a clock: a tail probe, then an RTO [M58]; and one that proves
 * needless is undone, as in RFC 3522.
 */
#include "internal.h"

#define RTO_SLACK	(500 * NSEC_US)
#define LOSSY		8		/* of the last 64 packets */
#define REORDER_SLOT	(10 * NSEC_MS)	/* and 64 round trips: how long a tolerance lasts unused */

/**
 * mroce_path_pto() - how long a path may stay silent before its tail is probed [M58]
 * @p:	path
 *
 * By the slower of path and connection: a path that is used seldom has an old estimate. The
 * receiver may take its time unless it was asked for an ACK at once.
 *
 * Return: ns
 */
u64 mroce_path_pto(const struct mroce_path *p)
{
	const struct mroce_rtt *c = &p->conn->rtt;
	u64 srtt = max(p->rtt.srtt, c->srtt);

	if (!srtt)
		return 2 * MROCE_RTT_INIT;
	return 2 * srtt + 2 * max(p->rtt.var, c->var) + p->conn->probe_slack +
	       (p->loss.unasked ? MROCE_ACK_DELAY : 0);
}

static u64 rtt_rto(const struct mroce_rtt *r)
{
	return r->srtt ? max(r->srtt + 4 * r->var, 3 * r->srtt) + RTO_SLACK : 2 * MROCE_RTT_INIT;
}

/**
 * mroce_path_rto() - retransmission timeout, doubled for each RTO in a row
 * @p:	path
 *
 * Return: ns, at most MROCE_RTO_MAX
 */
u64 mroce_path_rto(const struct mroce_path *p)
{
	const struct mroce_rtt *r = p->rtt.srtt ? &p->rtt : &p->conn->rtt;

	return min(rtt_rto(r) << min_t(u32, p->loss.rtos, 16), MROCE_RTO_MAX);
}

/**
 * mroce_conn_rto() - retransmission timeout by all paths' samples
 * @conn:	connection
 *
 * Return: ns, at most MROCE_RTO_MAX
 */
u64 mroce_conn_rto(const struct mroce_conn *conn)
{
	return min(rtt_rto(&conn->rtt), MROCE_RTO_MAX);
}

/* Overtaken: something that was sent later over the same route has been accepted. */
static bool overtaken(const struct mroce_path *p, const struct mroce_sent *sent)
{
	const struct mroce_loss *l = &p->loss;

	return l->any_acked && l->epoch_acked == p->epoch && sent->epoch == p->epoch &&
	       (s32)(l->order_acked - sent->order) > 0;
}

/* When it counts as lost: as long after its transmission as the one that overtook it took. */
static u64 overdue_at(const struct mroce_path *p, const struct mroce_sent *sent)
{
	return sent->sent_at + p->loss.rtt_acked + p->loss.reorder;
}

/*
 * The route fails, not the peer, this host or a queue that overflows: other paths have heard from
 * the peer since, and this one lost little until now.
 */
static bool route_failed(const struct mroce_path *p, u64 now)
{
	const struct mroce_path *living;

	if (hweight64(p->cc.loss_map) > LOSSY)
		return false;
	living = mroce_path_living(p, now);
	return living && living->last_ack >= p->loss.progress_at;
}

/*
 * How long an unanswered probe is waited for: a second one tells as much as an RTO if others
 * live.
 */
static u64 probe_wait(const struct mroce_path *p)
{
	if (!p->loss.rtos && route_failed(p, p->loss.probed_at))
		return mroce_path_pto(p);
	return mroce_path_rto(p);
}

/*
 * When the path's timer has something to do. The clock of silence runs from the oldest transmission
 * in flight or the last progress, whichever is later, and from the probe once that is out.
 */
static u64 deadline(const struct mroce_path *p)
{
	const struct mroce_sent *head = list_first_entry(&p->inflight, struct mroce_sent, tx_link);
	const struct mroce_loss *l = &p->loss;
	u64 at = max(head->sent_at, l->progress_at);

	if (l->probes)
		at = max(at, l->probed_at) + probe_wait(p);
	else
		at += mroce_path_pto(p);
	if (head->epoch != p->epoch)
		at = min(at, head->sent_at + mroce_path_rto(p));
	else if (overtaken(p, head))
		at = min(at, overdue_at(p, head));
	return at;
}

/**
 * mroce_loss_arm() - set the path's timer by what is in flight
 * @p:	path
 *
 * A timer that would have to run later is left alone: it finds out when it runs.
 */
void mroce_loss_arm(struct mroce_path *p)
{
	struct mroce_timerq *q = &p->conn->peer->timers;
	u64 at;

	if (list_empty(&p->inflight)) {
		mroce_timer_cancel(q, &p->timer);
		return;
	}
	at = deadline(p);
	if (!p->timer.armed || at < p->timer.expires)
		mroce_timer_arm(q, &p->timer, at);
}

static u64 reorder_slot(const struct mroce_path *p)
{
	return REORDER_SLOT + 64 * mroce_path_srtt(p);
}

/* A path reorders no further than a round trip: beyond that the probe decides. */
static void reorder_raise(struct mroce_path *p, u64 to, u64 now)
{
	struct mroce_loss *l = &p->loss;

	to = min(to, mroce_path_srtt(p));
	l->reorder_seen = max(l->reorder_seen, to);
	if (to <= l->reorder)
		return;
	l->reorder = to;
	if (!l->reorder_end)
		l->reorder_end = now + reorder_slot(p);
	mroce_count(p->conn->peer, MROCE_CNT_PATH_REORDER);
}

/* What was seen in this slot and the one before is tolerated, no more. */
static void reorder_decay(struct mroce_path *p, u64 now)
{
	struct mroce_loss *l = &p->loss;

	if (!l->reorder_end || now < l->reorder_end)
		return;
	l->reorder = max(l->reorder_seen, l->reorder_prev);
	l->reorder_prev = l->reorder_seen;
	l->reorder_seen = 0;
	l->reorder_end = l->reorder ? now + reorder_slot(p) : 0;
}

/**
 * mroce_loss_accepted() - what the acceptance of @sent says about others and about the path
 * @p:		path
 * @sent:	in flight or in the lost list until now
 * @now:	current time, ns
 *
 * Everything sent before it on this epoch has arrived or is lost. Which transmission of a packet
 * sent twice arrived is not known: the last one counts only if its acceptance could not have come
 * sooner.
 */
void mroce_loss_accepted(struct mroce_path *p, const struct mroce_sent *sent, u64 now)
{
	struct mroce_loss *l = &p->loss;
	u64 took = now - sent->sent_at;

	if (sent->epoch != p->epoch || (sent->ntx > 1 && took < p->rtt.min * 3 / 4))
		return;
	if (overtaken(p, sent)) {
		if (sent->ntx == 1 && took > l->rtt_acked)
			reorder_raise(p, (took - l->rtt_acked) * 5 / 4, now);
		return;
	}
	l->order_acked = sent->order;
	l->epoch_acked = sent->epoch;
	l->rtt_acked = took;
	l->any_acked = true;
}

/**
 * mroce_loss_duplicates() - the receiver's count of packets that it had already [M57]
 * @p:		path
 * @count:	as it stands in an ACK
 * @now:	current time, ns
 *
 * Those that our probes did not cause were late, not lost: wait longer on this path.
 */
void mroce_loss_duplicates(struct mroce_path *p, u32 count, u64 now)
{
	struct mroce_loss *l = &p->loss;
	u32 fresh = count - l->dup_seen;

	if ((s32)fresh <= 0)
		return;
	l->dup_seen = count;
	if (now - l->probed_at > 2 * mroce_path_rto(p))
		l->dup_allowed = 0;
	if (fresh <= l->dup_allowed) {
		l->dup_allowed -= fresh;
		return;
	}
	fresh -= l->dup_allowed;
	l->dup_allowed = 0;
	p->spurious += fresh;
	p->conn->peer->stats[MROCE_CNT_SPURIOUS] += fresh;
	reorder_raise(p, max(2 * l->reorder, mroce_path_srtt(p) / 8), now);
}

/**
 * mroce_loss_detect() - move what the latest acceptances prove lost to the lost list
 * @p:		path
 * @now:	current time, ns
 *
 * Return: number of packets found lost
 */
u32 mroce_loss_detect(struct mroce_path *p, u64 now)
{
	struct mroce_sent *sent, *tmp;
	u32 n = 0;

	reorder_decay(p, now);
	list_for_each_entry_safe(sent, tmp, &p->inflight, tx_link) {
		/* What went over another route is given up by time alone. */
		if (sent->epoch != p->epoch ? now < sent->sent_at + mroce_path_rto(p) :
					      !overtaken(p, sent) || now < overdue_at(p, sent))
			break;
		mroce_txwin_lose(p, sent);
		n++;
	}
	if (n) {
		p->conn->peer->stats[MROCE_CNT_LOSS_GAP] += n;
		p->conn->cc->loss(p, n, now);
		mroce_path_note(p, MROCE_PATH_EV_LOSS, n);
	}
	return n;
}

/*
 * Was the tail probe needed? If this ACK echoes what was sent before the probe, it was under way
 * already: the other end is slower than the network, so probe later. If it echoes the probe, the
 * tail or its ACK was lost.
 */
static void judge_probe(struct mroce_path *p, u32 echo)
{
	u64 *slack = &p->conn->probe_slack;

	if (!p->loss.probe_tick)	/* it has not left yet */
		return;
	if ((s32)(echo - p->loss.probe_tick) < 0)
		*slack = min(*slack * 2, MROCE_PROBE_SLACK_MAX);
	else
		*slack = max(*slack / 2, MROCE_PROBE_SLACK);
}

/*
 * The ACK answers what was sent before the RTO: nothing was lost but time. What has not been sent
 * again yet stays in flight, and the window is what it was.
 */
static void judge_rto(struct mroce_path *p, u32 echo, u64 now)
{
	if ((s32)(echo - p->loss.rto_tick) >= 0)
		return;
	mroce_txwin_unlose(p);
	p->conn->cc->undo(p, now);
	mroce_count(p->conn->peer, MROCE_CNT_RTO_UNDONE);
	mroce_path_note(p, MROCE_PATH_EV_UNDONE, 0);
}

/**
 * mroce_loss_progress() - an ACK brought something new
 * @p:		path
 * @echo:	timestamp that it echoes
 * @now:	current time, ns
 */
void mroce_loss_progress(struct mroce_path *p, u32 echo, u64 now)
{
	struct mroce_loss *l = &p->loss;

	if (l->rtos)
		judge_rto(p, echo, now);
	else if (l->probes)
		judge_probe(p, echo);
	l->probes = 0;
	l->rtos = 0;
	l->progress_at = now;
}

/**
 * mroce_loss_all() - everything in flight goes out again [M58]
 * @p:	path
 *
 * The lost list keeps the order in which packets were last sent.
 *
 * Return: number of packets
 */
u32 mroce_loss_all(struct mroce_path *p)
{
	struct mroce_sent *sent, *tmp;
	u32 n = 0;

	list_for_each_entry_safe(sent, tmp, &p->inflight, tx_link) {
		mroce_txwin_lose(p, sent);
		sent->timed_out = true;
		p->loss.dup_allowed++;
		n++;
	}
	return n;
}

static void probe_tail(struct mroce_path *p, u64 now)
{
	struct mroce_sent *tail = list_last_entry(&p->inflight, struct mroce_sent, tx_link);

	p->loss.probes++;
	p->loss.probe_tick = 0;
	p->loss.probed_at = now;
	tail->probe = true;
	p->loss.dup_allowed++;
	mroce_txwin_lose(p, tail);
	mroce_count(p->conn->peer, MROCE_CNT_LOSS_TAIL_PROBE);
	mroce_path_note(p, MROCE_PATH_EV_PROBE, 1);
}

/* Its acceptance moves the left edge, behind which an ACK tells everything. */
static void oldest_first(struct mroce_path *p)
{
	struct mroce_sent *oldest = mroce_txwin_find(&p->tx, p->tx.una);

	if (oldest && oldest->lost)
		list_move(&oldest->tx_link, &p->lost);
}

static void rto(struct mroce_path *p, u64 now)
{
	struct mroce_loss *l = &p->loss;
	u32 n;

	if (!l->rtos)
		l->rto_tick = mroce_tick(now);
	n = mroce_loss_all(p);
	oldest_first(p);
	l->probed_at = now;
	if (l->rtos < 255)
		l->rtos++;
	/* The window pays once, however long the silence. */
	if (l->rtos == 1)
		p->conn->cc->rto(p, now);
	mroce_count(p->conn->peer, MROCE_CNT_LOSS_RTO);
	mroce_path_note(p, MROCE_PATH_EV_RTO, n);
	if (l->rtos >= MROCE_REROUTE_RTOS || route_failed(p, now))
		mroce_path_reroute(p, now);
}

/**
 * mroce_loss_timer() - a packet is overdue, or the path has been silent for too long
 * @t:		mroce_path.timer
 * @now:	current time, ns
 */
void mroce_loss_timer(struct mroce_timer *t, u64 now)
{
	struct mroce_path *p = container_of(t, struct mroce_path, timer);

	if (list_empty(&p->inflight))
		return;
	if (now >= deadline(p) && !mroce_loss_detect(p, now)) {
		if (!p->loss.probes)
			probe_tail(p, now);
		else
			rto(p, now);
	}
	mroce_loss_arm(p);
	mroce_conn_out(p->conn);
}
