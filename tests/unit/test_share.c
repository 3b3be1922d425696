// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/share.c: who gets how much. [M133]
 */
#include "lab.h"

#define SPEED	1250000000ULL	/* 10 Gb/s */
#define PKT	1538
#define BACKLOG	(1 << 20)

/* What is granted of a share: 1/64 stays free. */
static u64 of(u64 share)
{
	return share - share / 64;
}

/* Of a share of what was only measured: 1/8 more. */
static u64 more(u64 share)
{
	return share + share / 8;
}

static struct mroce_share share_of(u64 speed)
{
	struct mroce_share s = { .n = 0 };

	mroce_share_init(&s);
	mroce_share_speed(&s, speed);
	return s;
}

/* The list's head has moved with the copy. */
#define SHARE(name, speed)					\
	struct mroce_share name = share_of(speed);		\
								\
	INIT_LIST_HEAD(&name.members)

static u64 note(struct mroce_share *s, struct mroce_share_member *m, u64 bytes, u64 left, u64 now)
{
	struct mroce_demand d = { .ifindex = 1, .pkt = PKT, .bytes = bytes, .left = left };

	return mroce_share_note(s, m, &d, now);
}

/* All of @m report twice, so that each knows of all. */
static void all(struct mroce_share *s, struct mroce_share_member *m, u32 n, u64 left, u64 now)
{
	u32 i;

	for (i = 0; i < 2 * n; i++)
		note(s, &m[i % n], PKT, left, now);
}

static void sums_hold(const struct mroce_share *s)
{
	const struct mroce_share_member *m;
	u32 n = 0, greedy = 0;
	u64 wanted = 0;

	list_for_each_entry(m, &s->members, link) {
		CHECK(m->active);
		n++;
		greedy += m->greedy;
		wanted += m->greedy ? 0 : m->wants;
	}
	CHECK_EQ(n, s->n);
	CHECK_EQ(greedy, s->greedy);
	CHECK_EQ(wanted, s->wanted);
}

TEST(share_note__alone_there_is_no_limit)
{
	struct mroce_share_member m = { 0 };
	u32 i;
	SHARE(s, SPEED);

	for (i = 0; i < 100; i++)
		CHECK_EQ(note(&s, &m, 16 * PKT, BACKLOG, i * 20 * US), 0);
	sums_hold(&s);
}

TEST(share_note__of_unknown_links_nothing_is_granted)
{
	struct mroce_share_member m[3] = { 0 };
	SHARE(s, 0);

	all(&s, m, 3, BACKLOG, 0);
	CHECK_EQ(note(&s, &m[0], PKT, BACKLOG, 1), 0);
	/* What has arrived is no bound then. */
	all(&s, m, 3, BACKLOG, 20 * MS);
	CHECK_GE(s.peak[0], 1);
	CHECK_EQ(note(&s, &m[0], PKT, BACKLOG, 20 * MS), 0);
	sums_hold(&s);
}

TEST(share_note__equal_parts_for_all_who_want_them)
{
	struct mroce_share_member m[64] = { 0 };
	u32 n, i;

	for (n = 2; n <= 64; n++) {
		SHARE(s, SPEED);

		memset(m, 0, sizeof(m));
		all(&s, m, n, BACKLOG, n * MS);
		for (i = 0; i < n; i++)
			CHECK_EQ(note(&s, &m[i], PKT, BACKLOG, n * MS), of(SPEED / n));
		sums_hold(&s);
	}
}

/* The very first report of a newcomer is answered with its share. */
TEST(share_note__a_newcomer_has_its_share_at_once)
{
	struct mroce_share_member m[4] = { 0 };
	SHARE(s, SPEED);

	all(&s, m, 3, BACKLOG, 0);
	CHECK_EQ(note(&s, &m[3], PKT, BACKLOG, US), of(SPEED / 4));
	CHECK_EQ(note(&s, &m[0], PKT, BACKLOG, US), of(SPEED / 4));
}

/* Reports for 2 ms of senders that take @rate (bytes per ms), a sixteenth of a ms apart. */
static void take(struct mroce_share *s, struct mroce_share_member *m, const u64 *rate, const u64 *left, u32 n, u64 *now)
{
	u32 i, k;

	for (k = 0; k < 32; k++) {
		*now += MS / 16;
		for (i = 0; i < n; i++)
			note(s, &m[i], rate[i] / 16, left[i], *now);
	}
}

TEST(share_note__who_wants_little_leaves_the_rest)
{
	struct mroce_share_member m[3] = { 0 };
	u64 rate[3] = { 10000, 600000, 600000 }, left[3] = { 0, BACKLOG, BACKLOG }, now = 0;
	SHARE(s, SPEED);

	take(&s, m, rate, left, 3, &now);
	CHECK_EQ(s.greedy, 2);
	/* 10 MB/s are wanted; the other two divide what is left. */
	CHECK_EQ(note(&s, &m[1], PKT, BACKLOG, now), of((SPEED - 10000000) / 2));
	/* And should it want more, it may have an equal part. */
	CHECK_EQ(note(&s, &m[0], 0, 0, now), of(SPEED / 3));
	CHECK_EQ(note(&s, &m[0], PKT, BACKLOG, now), of(SPEED / 3));
	sums_hold(&s);
}

/* Plenty to send, but some other place is too narrow for it. */
TEST(share_note__who_is_held_up_elsewhere_leaves_the_rest)
{
	struct mroce_share_member m[2] = { 0 };
	u64 rate[2] = { 100000, 1000000 }, left[2] = { BACKLOG, BACKLOG }, now = 0;
	SHARE(s, SPEED);

	take(&s, m, rate, left, 2, &now);
	CHECK_EQ(note(&s, &m[1], 0, BACKLOG, now), of(SPEED - 150000000));
	CHECK_EQ(note(&s, &m[0], 0, BACKLOG, now), of(SPEED / 2));
	/* Free again, it grows by half in each measurement until it has its part. */
	rate[0] = 600000;
	take(&s, m, rate, left, 2, &now);
	CHECK_EQ(note(&s, &m[1], 0, BACKLOG, now), of(SPEED / 2));
	sums_hold(&s);
}

TEST(share_note__the_silent_are_forgotten)
{
	struct mroce_share_member m[3] = { 0 };
	SHARE(s, SPEED);

	all(&s, m, 3, BACKLOG, 0);
	note(&s, &m[2], PKT, 0, 0);
	/* It had said that nothing follows. */
	note(&s, &m[0], PKT, BACKLOG, 90 * US);
	note(&s, &m[1], PKT, BACKLOG, 90 * US);
	CHECK_EQ(s.n, 3);
	note(&s, &m[0], PKT, BACKLOG, 110 * US);
	CHECK_EQ(note(&s, &m[1], PKT, BACKLOG, 110 * US), of(SPEED / 2));
	CHECK_EQ(s.n, 2);
	/* This one had more to send: its packets may stand in a queue. */
	note(&s, &m[0], PKT, BACKLOG, 1100 * US);
	CHECK_EQ(s.n, 2);
	note(&s, &m[0], PKT, BACKLOG, 1120 * US);
	CHECK_EQ(note(&s, &m[0], PKT, BACKLOG, 1120 * US), 0);
	CHECK_EQ(s.n, 1);
	sums_hold(&s);
}

/* Of very many who stop together one is left: it has the link to itself after a few packets. */
TEST(share_note__many_fall_silent_together)
{
	struct mroce_share_member *m = os_alloc(10000 * sizeof(*m));
	u64 now = SEC, rate = SPEED / 10000;
	u32 n;
	SHARE(s, SPEED);

	all(&s, m, 10000, BACKLOG, now);
	now += 200 * MS;
	for (n = 0; rate; n++)
		rate = note(&s, &m[0], PKT, BACKLOG, now += 10 * US);
	CHECK_EQ(s.n, 1);
	CHECK_LE(n, 10000 / 64 + 3);
	sums_hold(&s);
	os_free(m);
}

TEST(share_note__silence_is_measured_in_round_trips_and_packets)
{
	struct mroce_demand far = { .pkt = PKT, .bytes = PKT, .left = 0, .rtt = 30 * MS };
	struct mroce_share_member m[2] = { 0 };
	SHARE(s, SPEED);
	SHARE(slow, 2 * PKT * 100);	/* each may send a packet in 10 ms */

	mroce_share_note(&s, &m[0], &far, 0);
	note(&s, &m[1], PKT, BACKLOG, 59 * MS);
	note(&s, &m[1], PKT, BACKLOG, 60 * MS);
	CHECK_EQ(s.n, 2);
	note(&s, &m[1], PKT, BACKLOG, 61 * MS);
	CHECK_EQ(s.n, 1);

	memset(m, 0, sizeof(m));
	all(&slow, m, 2, BACKLOG, 0);
	note(&slow, &m[0], PKT, BACKLOG, 39 * MS);
	note(&slow, &m[0], PKT, BACKLOG, 40 * MS);
	CHECK_EQ(slow.n, 2);
	note(&slow, &m[0], PKT, BACKLOG, 42 * MS);
	CHECK_EQ(slow.n, 1);
}

/* Everybody wants a little, together more than there is: an equal part is nobody's to take. */
/*
 * @n others report a packet each, with @left to come, whenever their time has just run out, if not each @period.
 * What then remains for one that takes all it is granted, in thousandths of the link, after a while.
 */
static u64 besides(u32 n, u64 left, u64 rtt, u64 period)
{
	struct mroce_share_member *m = os_alloc((n + 1) * sizeof(*m));
	u64 *next = os_alloc(n * sizeof(*next)), now = SEC, rate = 0, sum = 0, t;
	u64 room = SPEED - (period ? PKT * SEC / period * n : 0);
	u32 i;
	SHARE(s, SPEED);

	for (i = 0; i < n; i++)
		next[i] = now + i * (period ?: MS) / n;
	for (t = 0; t < 200 * MS; t += 10 * US, now += 10 * US) {
		struct mroce_demand d = { .pkt = PKT, .bytes = PKT, .left = left, .rtt = rtt };

		for (i = 0; i < n; i++)
			while (now >= next[i]) {
				mroce_share_note(&s, &m[i], &d, next[i]);
				next[i] += period ?: m[i].life + 1;
			}
		rate = note(&s, &m[n], min(rate, room) / 100000, 16 * BACKLOG, now) ?: SPEED;
		sum += t < 100 * MS ? 0 : rate;
	}
	sums_hold(&s);
	os_free(m);
	os_free(next);
	return sum / 10000 * 1000 / SPEED;
}

/* Who says that much is to come, and then it does not, has no seat for that. */
TEST(share_note__no_part_for_mere_words)
{
	test_note("one or 15 who lie: %llu and %llu/1000 remain", besides(1, 1 << 30, 0, 0), besides(15, 1 << 30, 0, 0));
	CHECK_GE(besides(1, 1 << 30, 0, 0), 960);
	CHECK_GE(besides(15, 1 << 30, 0, 0), 940);
	/* Not with a life of many round trips either, and not when the lies are rarer than a life. */
	CHECK_GE(besides(1, 1 << 30, 10 * MS, 0), 940);
	CHECK_GE(besides(1, 1 << 30, 0, 5 * MS), 960);
}

/* A round trip is what the other end makes of it: no seat for a minute. */
TEST(share_note__no_long_life_for_a_round_trip_of_a_minute)
{
	struct mroce_demand d = { .pkt = PKT, .bytes = PKT, .left = BACKLOG, .rtt = 60 * SEC };
	struct mroce_share_member m[2] = { 0 };
	SHARE(s, SPEED);

	mroce_share_note(&s, &m[0], &d, 0);
	note(&s, &m[1], PKT, BACKLOG, 190 * MS);
	note(&s, &m[1], PKT, BACKLOG, 200 * MS);
	CHECK_EQ(s.n, 2);
	CHECK_EQ(note(&s, &m[1], PKT, BACKLOG, 201 * MS), 0);
	CHECK_EQ(s.n, 1);
}

/* Packets so rare that each finds its sender forgotten: together they may be half the link. */
TEST(share_note__many_who_want_little_are_deducted)
{
	static const struct {
		u32 n;
		u64 period;
	} tiny[] = { { 100, 200 * US }, { 80, 120 * US }, { 50, 90 * US }, { 400, MS } };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tiny); i++) {
		u64 theirs = PKT * SEC / tiny[i].period * tiny[i].n * 1000 / SPEED;
		u64 rest = besides(tiny[i].n, 0, 10 * US, tiny[i].period);

		test_note("%u who bring %llu/1000: %llu remain", tiny[i].n, theirs, rest);
		CHECK_GE(theirs + rest, 900);
		CHECK_LE(theirs + rest, 1050);
	}
}

TEST(share_note__never_less_than_an_equal_part)
{
	struct mroce_share_member m[8] = { 0 };
	u64 rate[8], left[8] = { 0 }, now = 0;
	u32 i;
	SHARE(s, SPEED);

	for (i = 0; i < 8; i++)
		rate[i] = 150000 + i * 10000;
	take(&s, m, rate, left, 8, &now);
	for (i = 0; i < 8; i++)
		CHECK_GE(note(&s, &m[i], 0, BACKLOG, now), of(SPEED / 8));
	sums_hold(&s);
}

/* Two that are satisfied with all there is leave nothing; a third has an equal part all the same. */
TEST(share_note__an_equal_part_also_where_nothing_is_left)
{
	struct mroce_share_member m[3] = { 0 };
	u64 rate[2] = { 600000, 600000 }, left[2] = { 0 }, now = 0;
	SHARE(s, SPEED);

	take(&s, m, rate, left, 2, &now);
	CHECK_EQ(s.greedy, 0);
	CHECK_EQ(note(&s, &m[2], PKT, BACKLOG, now), of(SPEED / 3));
	/* Nor when they want more than there is. */
	mroce_share_speed(&s, SPEED / 2);
	CHECK_EQ(note(&s, &m[2], PKT, BACKLOG, now), of(SPEED / 6));
}

TEST(share_note__a_sender_is_believed_until_it_is_measured)
{
	struct mroce_share_member m[2] = { 0 };
	u64 now = SEC, end = now + 500 * US;
	SHARE(s, SPEED);

	all(&s, m, 2, BACKLOG, now);
	for (; now < end; now += 100 * US) {
		note(&s, &m[1], 1000, BACKLOG, now);
		CHECK_EQ(note(&s, &m[0], 100 * 1000, BACKLOG, now), of(SPEED / 2));
	}
	note(&s, &m[1], 1000, BACKLOG, now);
	CHECK_GE(note(&s, &m[0], 100 * 1000, BACKLOG, now), of(SPEED * 9 / 10));
}

/* A second later it is a newcomer. */
TEST(share_note__a_sender_is_believed_again_after_a_second)
{
	struct mroce_share_member m[2] = { 0 };
	u64 rate[2] = { 10000, 600000 }, left[2] = { 0, BACKLOG }, now = SEC;
	SHARE(s, SPEED);

	take(&s, m, rate, left, 2, &now);
	now += SEC;
	note(&s, &m[0], PKT, BACKLOG, now);
	note(&s, &m[1], PKT, BACKLOG, now);
	CHECK_GE(note(&s, &m[1], PKT, BACKLOG, now), of(SPEED * 9 / 10));
	now += SEC + MS;
	note(&s, &m[0], PKT, BACKLOG, now);
	CHECK_EQ(note(&s, &m[1], PKT, BACKLOG, now), of(SPEED / 2));
	sums_hold(&s);
}

/* And what it had begun to take then is not part of what it takes now. */
TEST(share_note__a_measurement_does_not_span_a_second)
{
	struct mroce_share_member m[2] = { 0 };
	u64 now = SEC, end;
	SHARE(s, SPEED);

	all(&s, m, 2, BACKLOG, now);
	note(&s, &m[0], 10 * BACKLOG, BACKLOG, now += 100 * US);
	now += SEC + MS;
	for (end = now + 600 * US; now < end; now += 100 * US) {
		note(&s, &m[0], 1000, BACKLOG, now);
		note(&s, &m[1], 100 * 1000, BACKLOG, now);
	}
	CHECK_GE(note(&s, &m[1], PKT, BACKLOG, now), of(SPEED * 9 / 10));
}

/* More than can be counted is much. */
TEST(share_note__no_backlog_is_too_large)
{
	struct mroce_share_member m[2] = { 0 };
	SHARE(s, SPEED);

	all(&s, m, 2, 1ULL << 55, SEC);
	CHECK_EQ(note(&s, &m[1], PKT, BACKLOG, SEC), of(SPEED / 2));
}

TEST(share_speed__counts_from_the_next_report)
{
	struct mroce_share_member m[2] = { 0 };
	SHARE(s, SPEED);

	all(&s, m, 2, BACKLOG, 0);
	mroce_share_speed(&s, SPEED / 4);
	CHECK_EQ(note(&s, &m[0], PKT, BACKLOG, US), of(SPEED / 8));
	mroce_share_speed(&s, 0);
	CHECK_EQ(note(&s, &m[0], PKT, BACKLOG, US), 0);
	mroce_share_speed(&s, SPEED * 10);
	CHECK_EQ(note(&s, &m[0], PKT, BACKLOG, US), of(SPEED * 5));
}

/* A report each ms: what the links bring @times as much of as they say, in eighths. */
static void bring(struct mroce_share *s, struct mroce_share_member *m, u32 times, u32 n, u64 *now)
{
	while (n--)
		note(s, m, SPEED / 8000 * times, BACKLOG, *now += MS);
}

TEST(share_speed__what_was_measured_holds_unless_the_links_are_slower)
{
	struct mroce_share_member m[2] = { 0 };
	u64 now = SEC;
	SHARE(s, SPEED);

	bring(&s, &m[0], 32, 30, &now);
	mroce_share_speed(&s, SPEED * 2);
	CHECK_GE(note(&s, &m[1], PKT, BACKLOG, now), more(SPEED * 39 / 20));
	mroce_share_speed(&s, SPEED);
	CHECK_EQ(note(&s, &m[1], PKT, BACKLOG, now), of(SPEED / 2));
}

/* An eighth more than they say is clearly more. It is for a second or two, also if nothing comes in meanwhile. */
TEST(share_note__what_arrived_counts_for_a_while)
{
	struct mroce_share_member m[2] = { 0 };
	u64 now = SEC;
	SHARE(s, SPEED);

	bring(&s, &m[0], 9, 30, &now);
	CHECK_GE(note(&s, &m[1], PKT, BACKLOG, now), more(SPEED * 9 / 16 * 99 / 100));
	now += 3 * SEC;
	note(&s, &m[0], PKT, BACKLOG, now);
	CHECK_EQ(note(&s, &m[1], PKT, BACKLOG, now), of(SPEED / 2));
}

/* A virtual link that says 10 Gb/s and brings 40. */
TEST(share_note__what_arrived_counts_if_it_is_clearly_more)
{
	struct mroce_share_member m[2] = { 0 };
	u64 now = SEC;
	u32 i;
	SHARE(s, SPEED);

	for (i = 0; i < 30; i++)
		note(&s, &m[0], SPEED / 1000 * 17 / 16, BACKLOG, now += MS);
	CHECK_EQ(note(&s, &m[1], PKT, BACKLOG, now), of(SPEED / 2));
	for (i = 0; i < 30; i++)
		note(&s, &m[0], 4 * SPEED / 1000, BACKLOG, now += MS);
	CHECK_GE(note(&s, &m[1], PKT, BACKLOG, now), more(SPEED * 39 / 20));
	CHECK_LE(note(&s, &m[1], PKT, BACKLOG, now), more(SPEED * 41 / 20));
	/* For one to two seconds. */
	for (i = 0; i < 950; i++)
		note(&s, &m[0], 1000, BACKLOG, now += MS);
	CHECK_GE(note(&s, &m[1], PKT, BACKLOG, now), more(SPEED * 3 / 2));
	for (i = 0; i < 1200; i++)
		note(&s, &m[0], 1000, BACKLOG, now += MS);
	CHECK_LE(note(&s, &m[1], PKT, BACKLOG, now), of(SPEED));
}

/* Who read the clock first may report last: nobody has been silent for that, and nothing is measured anew. */
TEST(share_note__time_does_not_go_back)
{
	struct mroce_share_member m[2] = { 0 };
	u64 now = SEC;
	u32 i;
	SHARE(s, SPEED);

	for (i = 0; i < 30; i++)
		note(&s, &m[0], 4 * SPEED / 1000, BACKLOG, now += MS);
	note(&s, &m[1], PKT, BACKLOG, now + 5);
	CHECK_GE(note(&s, &m[0], PKT, BACKLOG, now + 4), SPEED * 15 / 8);
	CHECK_EQ(s.n, 2);
	CHECK_GE(note(&s, &m[1], PKT, BACKLOG, now - MS), SPEED * 15 / 8);
	CHECK_EQ(s.n, 2);
	sums_hold(&s);
}

/* Two who keep to what they are granted, for a minute: the links go on bringing what they can. */
TEST(share_note__what_was_measured_does_not_wear_off)
{
	struct mroce_share_member m[2] = { 0 };
	u64 rate[2] = { 2 * SPEED, 2 * SPEED }, sum = 0, now = SEC;
	u32 i, k;
	SHARE(s, SPEED);

	for (i = 0; i < 60000; i++) {
		now += MS;
		for (k = 0; k < 2; k++) {
			rate[k] = note(&s, &m[k], rate[k] / 1000, 16 * BACKLOG, now) ?: 4 * SPEED;
			rate[k] = min(rate[k], 2 * SPEED);
			sum += rate[k];
		}
	}
	CHECK_GE(sum / 60000, 4 * SPEED * 95 / 100);
	CHECK_GE(rate[0] + rate[1], 4 * SPEED * 95 / 100);
}

TEST(share_leave__once_or_never)
{
	struct mroce_share_member m[2] = { 0 };
	SHARE(s, SPEED);

	mroce_share_leave(&s, &m[0]);
	all(&s, m, 2, BACKLOG, 0);
	mroce_share_leave(&s, &m[0]);
	mroce_share_leave(&s, &m[0]);
	CHECK_EQ(note(&s, &m[1], PKT, BACKLOG, 1), 0);
	sums_hold(&s);
	mroce_share_leave(&s, &m[1]);
	CHECK_EQ(s.n + s.greedy + s.wanted, 0);
}
