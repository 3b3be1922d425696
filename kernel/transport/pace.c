// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pacing of a connection: by the rate that the receiver grants [M131], and by a window of less than
 * a packet [M128]. A granted rate also bounds what is in flight, and closely as long as there is a
 * queue, since at a rate that only equals the share a queue would stay. Each packet moves the time
 * of the next one; a timer that is late loses nothing within CREDIT.
 */
#include "internal.h"

#define CREDIT		(50 * NSEC_US)	/* time that may be made up for */
#define QUANTUM		(10 * NSEC_US)	/* a timer waits for as much as this brings */
#define GAP_MAX		(10 * NSEC_MS)	/* one packet may go, whatever the hint */
#define RATE_MAX	10000000000000ULL	/* faster than anybody; no product overflows */
#define HINT_RTTS	8		/* life of a hint, and twice the time between two packets */
#define WINDOW_PKTS	2		/* in flight beyond the rate */
#define SLACK_PKTS	6		/* more of them without a queue: an ACK may be lost */
#define LATE_PART	8		/* late: after the window's time and 1/8 of it */
#define LATE_RTTS	16		/* late for so long, that is no queue of ours */
#define EXCESS_FADES	16		/* by this part per ACK, where it is more than there is */

static u64 wire_bytes(u32 bytes)
{
	return bytes + MROCE_WIRE_EXTRA;
}

static u64 time_of(u64 bytes, u64 rate)
{
	return DIV64_U64_ROUND_UP(bytes * NSEC_S, rate);
}

static u64 full_gap(const struct mroce_conn *conn, u64 rate)
{
	return time_of(wire_bytes(mroce_conn_mss(conn)), rate);
}

/*
 * The round trip without a queue. A path that is young may have met a queue each time; but planes
 * differ in length, and then the longest must do, since the rate is of all together.
 */
static u64 base_rtt(const struct mroce_conn *conn)
{
	const struct mroce_path *p;
	u64 rtt = 0;

	if (conn->nplanes < 2)
		return conn->rtt.min;
	list_for_each_entry(p, &conn->active, active_link)
		rtt = max(rtt, p->rtt.min);
	return rtt ?: conn->rtt.min;
}

/*
 * Where all keep to their windows a queue is gone after a round trip or two. Delay that stays is
 * none: the way has become longer, or ACKs come late, or others queue there who take no notice.
 * @rtt is what a window allows for; what stays beyond it is added. Paths that took it for a queue
 * learn anew, as their windows may be too small for the way.
 */
static void learn_excess(struct mroce_conn *conn, u64 rtt, u64 rate, u64 now)
{
	struct mroce_pace *pace = &conn->pace;
	u64 full = rtt + pace->excess + WINDOW_PKTS * full_gap(conn, rate);
	u64 srtt = conn->rtt.srtt, beyond = srtt - min(srtt, rtt);
	struct mroce_path *p;

	pace->excess -= (pace->excess - min(pace->excess, beyond)) / EXCESS_FADES;
	if (srtt <= full + full / LATE_PART) {
		pace->late_rtt = 0;
		return;
	}
	if (!pace->late_rtt)
		pace->late_since = now;
	pace->late_rtt = max(pace->late_rtt, srtt);
	if (now - pace->late_since > LATE_RTTS * pace->late_rtt) {
		pace->late_rtt = 0;
		pace->excess = beyond;
		list_for_each_entry(p, &conn->active, active_link)
			mroce_rtt_forget_min(&p->rtt);
	}
}

/* A quarter of the round trip is no queue yet [M127], nor is a packet of each who shares. */
static void set_window(struct mroce_conn *conn, u64 rate, u64 now)
{
	struct mroce_pace *pace = &conn->pace;
	u32 mss = mroce_conn_mss(conn);
	u64 rtt = base_rtt(conn) / 4 * 5;

	learn_excess(conn, rtt, rate, now);
	rtt += pace->excess;
	pace->window = div_u64(div_u64(rate, 1000) * div_u64(rtt, 1000), 1000) + WINDOW_PKTS * mss;
	pace->slack = conn->rtt.srtt > rtt + full_gap(conn, rate) ? 0 : SLACK_PKTS * mss;
}

/**
 * mroce_pace_hint() - the receiver has told what it grants
 * @conn:	connection
 * @hint:	as on the wire
 * @now:	current time, ns
 *
 * Nobody is stopped by a hint that is too low: that would be for ever.
 */
void mroce_pace_hint(struct mroce_conn *conn, u16 hint, u64 now)
{
	struct mroce_pace *pace = &conn->pace;
	u64 rate = mroce_hint_rate(hint);

	conn->hint = hint;
	pace->heard_at = now;
	if (rate) {
		rate = max(rate, div_u64(wire_bytes(mroce_conn_mss(conn)) * NSEC_S, GAP_MAX));
		rate = min(rate, RATE_MAX);
		pace->next_at = min(pace->next_at, now + full_gap(conn, rate));
		set_window(conn, rate, now);
	}
	pace->rate = rate;
}

/* A receiver that has not been heard for long may have changed its mind. */
static bool granted(struct mroce_conn *conn, u64 now)
{
	struct mroce_pace *pace = &conn->pace;

	if (!pace->rate)
		return false;
	if (now - pace->heard_at <= HINT_RTTS * conn->rtt.srtt + 2 * full_gap(conn, pace->rate))
		return true;
	conn->hint = MROCE_HINT_NONE;
	pace->rate = 0;
	return false;
}

/* The path whose window is a fraction of a packet; only the last one in use has such a window. */
static const struct mroce_path *fraction(const struct mroce_conn *conn)
{
	const struct mroce_path *p;

	if (conn->nactive != 1)
		return NULL;
	p = list_first_entry(&conn->active, struct mroce_path, active_link);
	return p->cc.cwnd < mroce_conn_mss(conn) ? p : NULL;
}

/**
 * mroce_pace_full() - is so much in flight that the next packet depends on an ACK, or soon does?
 * @conn:	connection
 *
 * Return: true if so
 */
bool mroce_pace_full(const struct mroce_conn *conn)
{
	return conn->pace.rate && conn->inflight_bytes &&
	       conn->inflight_bytes + mroce_conn_mss(conn) > conn->pace.window;
}

/**
 * mroce_pace_room() - may a packet leave now?
 * @conn:	connection
 * @now:	current time, ns
 *
 * Return: false if not; then a timer or an ACK brings @conn back
 */
bool mroce_pace_room(struct mroce_conn *conn, u64 now)
{
	struct mroce_pace *pace = &conn->pace;

	if (!granted(conn, now) && !fraction(conn))
		return true;
	if (mroce_pace_full(conn) &&
	    conn->inflight_bytes + mroce_conn_mss(conn) > pace->window + pace->slack)
		return false;
	if (now >= pace->next_at)
		return true;
	if (!pace->timer.armed)
		mroce_count(conn->peer, MROCE_CNT_TX_PACED);
	mroce_timer_arm(&conn->peer->timers, &pace->timer, max(pace->next_at, now + QUANTUM));
	return false;
}

/**
 * mroce_pace_sent() - a packet leaves: when may the next one?
 * @conn:	connection
 * @bytes:	its UDP payload
 * @now:	current time, ns
 */
void mroce_pace_sent(struct mroce_conn *conn, u32 bytes, u64 now)
{
	const struct mroce_path *p = fraction(conn);
	struct mroce_pace *pace = &conn->pace;
	u64 gap = 0;

	if (pace->rate)
		gap = time_of(wire_bytes(bytes), pace->rate);
	if (p)
		gap = max(gap, div_u64(p->rtt.srtt * bytes, p->cc.cwnd));
	if (gap)
		pace->next_at = max(pace->next_at, now - CREDIT) + gap;
}

/**
 * mroce_pace_timer() - the time of the next packet has come
 * @t:		mroce_pace.timer
 * @now:	current time, ns
 */
void mroce_pace_timer(struct mroce_timer *t, u64 now)
{
	mroce_conn_out(container_of(t, struct mroce_conn, pace.timer));
}
