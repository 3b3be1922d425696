// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Max-min by demand [M133]. Whoever wants less than a share has what it wants, the others share the
 * rest. Nobody is looked for: each report classes its own sender by the sums over all others, and
 * checks whether some others have fallen silent. What a report costs is bounded however many there
 * are, and the shares are right once each has reported.
 */
#include "internal.h"

#define WINDOW		(NSEC_MS / 2)	/* active so long, a sender's rate is measured */
#define FORGET		NSEC_S		/* and holds until it has been silent for so long */
#define LIFE_DONE	(NSEC_MS / 10)	/* nothing was left to send: two ACKs that waited */
#define LIFE_MORE	NSEC_MS		/* more was to come: a queue may be in the way */
#define LIFE_PKTS	4		/* of its share */
#define LIFE_RTTS	2
#define LIFE_RTT_MAX	(100 * NSEC_MS)	/* as far as its word on the round trip goes */
#define LIVING_CHECKS	2		/* per report */
#define SILENT_MAX	64
#define METER_WINDOW	(10 * NSEC_MS)	/* a stalled CPU squeezes less than that into a burst */
#define METER_MARGIN	16		/* the links' speed is wrong if it is exceeded by 1/16 */
#define HEADROOM	64		/* 1/64 stays free, so that queues drain */
#define SEARCH		8		/* a measured capacity is exceeded by 1/8 */

/**
 * mroce_share_init() - nobody sends, the links are unknown
 * @s:	zeroed
 */
void mroce_share_init(struct mroce_share *s)
{
	INIT_LIST_HEAD(&s->members);
}

/**
 * mroce_share_speed() - the links are as fast as this from now on
 * @s:		allocator
 * @speed:	bytes per second; 0: unknown
 *
 * What they brought before counts unless they have become slower.
 */
void mroce_share_speed(struct mroce_share *s, u64 speed)
{
	if (speed == s->speed)
		return;
	if (speed < s->speed) {
		s->peak[0] = 0;
		s->peak[1] = 0;
	}
	s->speed = speed;
}

static u64 per_second(u64 bytes, u64 ns)
{
	return div64_u64(bytes * NSEC_S, ns);
}

/* Links may be faster than they say: believe what arrived. If they say nothing it is no bound. */
static u64 capacity(const struct mroce_share *s)
{
	u64 peak = max(s->peak[0], s->peak[1]);

	return s->speed && peak > s->speed + s->speed / METER_MARGIN ? peak : s->speed;
}

static void meter(struct mroce_share *s, u64 bytes, u64 now)
{
	s->bytes += bytes;
	if (now - s->since < METER_WINDOW)
		return;
	if (now - s->peak_at >= NSEC_S) {
		s->peak[1] = now - s->peak_at < 2 * NSEC_S ? s->peak[0] : 0;
		s->peak[0] = 0;
		s->peak_at = now;
	}
	s->peak[0] = max(s->peak[0], per_second(s->bytes, now - s->since));
	s->bytes = 0;
	s->since = now;
}

static void discount(struct mroce_share *s, const struct mroce_share_member *m)
{
	if (m->greedy)
		s->greedy--;
	else
		s->wanted -= m->wants;
}

/**
 * mroce_share_leave() - a connection does not send any more
 * @s:	allocator
 * @m:	its member, active or not
 */
void mroce_share_leave(struct mroce_share *s, struct mroce_share_member *m)
{
	if (!m->active)
		return;
	discount(s, m);
	s->n--;
	list_del(&m->link);
	m->active = false;
}

static void join(struct mroce_share *s, struct mroce_share_member *m)
{
	m->active = true;
	list_add_tail(&m->link, &s->members);
	s->n++;
}

/* When many fall silent together, those who remain find them within a few reports. */
static void drop_silent(struct mroce_share *s, u64 now)
{
	u32 living = 0, silent = 0;

	while (s->n && living < LIVING_CHECKS && silent < SILENT_MAX) {
		struct mroce_share_member *m = list_first_entry(&s->members,
								struct mroce_share_member, link);

		if (now - m->heard_at > m->life) {
			mroce_share_leave(s, m);
			silent++;
		} else {
			list_move_tail(&m->link, &s->members);
			living++;
		}
	}
}

/*
 * How much a sender could use. One that takes far less than it is granted though it has more to
 * send meets its limit elsewhere; what it leaves is for others.
 */
static u64 wants(const struct mroce_share_member *m, const struct mroce_demand *d)
{
	u64 more = per_second(min(d->left, NSEC_S), WINDOW);

	return m->measured ? min(m->rate + more, m->rate / 2 * 3) : more;
}

/*
 * The rate is that of the time in which it is counted: who comes back when it has just been
 * forgotten is not unknown, and is counted for what it brings on the average.
 */
static void measure(struct mroce_share_member *m, u64 bytes, u64 now)
{
	u64 silent = now - m->heard_at;

	if (!m->active && (!m->life || silent > FORGET)) {
		m->measured = false;
		m->bytes = 0;
		m->time = 0;
		return;
	}
	m->bytes += bytes;
	m->time += m->active ? silent : min(silent, m->life);
	if (m->time < WINDOW)
		return;
	m->rate = per_second(m->bytes, m->time);
	m->measured = true;
	m->bytes = 0;
	m->time = 0;
}

/* What one gets who takes all it can: what the others leave, and never less than an equal part. */
static u64 level(const struct mroce_share *s)
{
	u64 cap = capacity(s);

	return max(div_u64(cap - min(cap, s->wanted), s->greedy + 1), div_u64(cap, s->n));
}

/*
 * Of links whose speed is known a little stays free. What was measured is what came in, not what
 * could: if all kept to it, or to less, the next measurement would show less each time.
 */
static u64 granted(const struct mroce_share *s, u64 rate)
{
	return capacity(s) > s->speed ? rate + rate / SEARCH : rate - rate / HEADROOM;
}

/**
 * mroce_share_note() - a connection's packets have arrived
 * @s:		allocator
 * @m:		its member
 * @d:		what they tell
 * @now:	time of their arrival, ns; one that is older than another report's counts as that
 *
 * Return: bytes per second that it may send; 0: no limit
 */
u64 mroce_share_note(struct mroce_share *s, struct mroce_share_member *m,
		     const struct mroce_demand *d, u64 now)
{
	u64 rate;

	/* Two CPUs may have read the clock in the one order and come here in the other. */
	now = max(now, s->now);
	s->now = now;
	meter(s, d->bytes, now);
	drop_silent(s, now);
	measure(m, d->bytes, now);
	if (m->active)
		discount(s, m);
	else
		join(s, m);
	m->heard_at = now;
	rate = level(s);
	m->wants = wants(m, d);
	m->greedy = m->wants >= rate;
	if (m->greedy)
		s->greedy++;
	else
		s->wanted += m->wants;
	m->life = max(d->left ? LIFE_MORE : LIFE_DONE, LIFE_RTTS * min(d->rtt, LIFE_RTT_MAX));
	if (!rate || s->n < 2)
		return 0;
	m->life = max(m->life, div64_u64(LIFE_PKTS * d->pkt * NSEC_S, rate));
	return granted(s, rate);
}
