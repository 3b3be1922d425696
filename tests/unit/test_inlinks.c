// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/inlinks.c: what a receiver's links bring together. [M133]
 */
#include "lab.h"

#define SPEED	1250000000ULL
#define PKT	1538
#define OWN	7

static struct mroce_inlinks *inlinks(void)
{
	struct mroce_inlinks *in = os_alloc(sizeof(*in));

	mroce_inlinks_init(in, OWN);
	return in;
}

/* @bytes of a sender with much to send come in over @ifindex. */
static enum mroce_look come(struct mroce_inlinks *in, u32 ifindex, u64 bytes)
{
	struct mroce_demand d = { .ifindex = ifindex, .pkt = PKT, .bytes = bytes, .left = 1 << 20 };
	static struct mroce_share_member nobody;
	enum mroce_look look;

	nobody = (struct mroce_share_member){ 0 };
	mroce_inlinks_note(in, &nobody, &d, 0, &look);
	mroce_share_leave(&in->share, &nobody);
	return look;
}

/* The host has looked: an interface has the speed of its tens, in 10 Gb/s, and is a view of that of its hundreds. */
static bool look(struct mroce_inlinks *in)
{
	struct mroce_link_speed at[MROCE_MAX_INLINKS];
	u32 i, ifindex;

	for (i = 0; i < in->n; i++) {
		ifindex = in->link[i].at.ifindex;
		at[i].ifindex = ifindex;
		at[i].below = ifindex / 100 ?: ifindex;
		at[i].speed = ifindex % 100 / 10 * SPEED;
	}
	return mroce_inlinks_look(in, at, in->n);
}

TEST(inlinks_note__says_when_to_look)
{
	struct mroce_inlinks *in = inlinks();

	CHECK_EQ(come(in, OWN, PKT), MROCE_LOOK_LATER);
	CHECK_EQ(come(in, OWN, PKT), MROCE_LOOK_NOT);
	CHECK_EQ(come(in, 11, PKT), MROCE_LOOK_SOON);
	CHECK_EQ(come(in, 11, PKT), MROCE_LOOK_NOT);
	CHECK(look(in));
	CHECK_EQ(come(in, 11, PKT), MROCE_LOOK_LATER);
	CHECK_EQ(come(in, 11, PKT), MROCE_LOOK_NOT);
	CHECK(look(in));
	CHECK(!look(in));
	os_free(in);
}

TEST(inlinks_note__divides_what_they_bring)
{
	struct mroce_demand d = { .ifindex = 11, .pkt = PKT, .bytes = PKT, .left = 1 << 20 };
	struct mroce_share_member m[2] = { 0 };
	struct mroce_inlinks *in = inlinks();
	enum mroce_look l;

	come(in, 11, PKT);
	look(in);
	CHECK_EQ(mroce_inlinks_note(in, &m[0], &d, SEC, &l), 0);
	CHECK_EQ(mroce_inlinks_note(in, &m[1], &d, SEC, &l), SPEED / 2 - SPEED / 128);
	/* Whichever the link that a packet took: one without a speed has brought one packet. */
	come(in, 11, 100 * PKT);
	d.ifindex = 1;
	CHECK_EQ(mroce_inlinks_note(in, &m[1], &d, SEC, &l), SPEED / 2 - SPEED / 128);
	look(in);
	CHECK_EQ(mroce_inlinks_note(in, &m[1], &d, SEC, &l), SPEED / 2 - SPEED / 128);
	mroce_share_leave(&in->share, &m[0]);
	mroce_share_leave(&in->share, &m[1]);
	os_free(in);
}

TEST(inlinks_look__planes_add_up)
{
	struct mroce_inlinks *in = inlinks();

	come(in, 11, PKT);
	come(in, 12, PKT);
	come(in, 23, PKT);
	look(in);
	CHECK_EQ(in->share.speed, 4 * SPEED);
	/* The device's own interface brought nothing and is none of them. */
	CHECK_EQ(in->n, 3);
	/* Nor is one that has fallen silent, unless all have. */
	come(in, 11, PKT);
	come(in, 23, PKT);
	look(in);
	CHECK_EQ(in->share.speed, 3 * SPEED);
	look(in);
	CHECK_EQ(in->share.speed, 3 * SPEED);
	CHECK_EQ(in->n, 2);
	os_free(in);
}

/* A packet now and then is no link's worth. */
TEST(inlinks_look__a_stray_packet_adds_nothing)
{
	struct mroce_inlinks *in = inlinks();
	u32 i;

	for (i = 0; i < 3; i++) {
		come(in, 11, 15 * PKT);
		come(in, 91, PKT - 1);
		look(in);
		CHECK_EQ(in->share.speed, SPEED);
		CHECK_EQ(in->n, 2);
	}
	come(in, 11, 15 * PKT);
	come(in, 91, PKT);
	look(in);
	CHECK_EQ(in->share.speed, 10 * SPEED);
	os_free(in);
}

TEST(inlinks_look__of_one_unknown_speed_no_sum_is_made)
{
	struct mroce_inlinks *in = inlinks();

	come(in, 11, PKT);
	come(in, 1, PKT);
	look(in);
	CHECK_EQ(in->share.speed, 0);
	come(in, 11, 16 * PKT);
	come(in, 1, PKT);
	look(in);
	CHECK_EQ(in->share.speed, SPEED);
	os_free(in);
}

/* Two VLANs of one link, and the link itself; and a VLAN of another. */
TEST(inlinks_look__views_of_a_link_count_once)
{
	struct mroce_inlinks *in = inlinks();

	come(in, 1110, PKT);
	come(in, 1111, PKT);
	come(in, 11, PKT);
	look(in);
	CHECK_EQ(in->share.speed, SPEED);
	come(in, 1110, PKT);
	come(in, 1111, 100 * PKT);
	come(in, 1220, 100 * PKT);
	look(in);
	CHECK_EQ(in->share.speed, 3 * SPEED);
	os_free(in);
}

TEST(inlinks_look__leaves_alone_what_was_met_meanwhile)
{
	struct mroce_link_speed at = { .ifindex = 11, .below = 11, .speed = SPEED };
	struct mroce_inlinks *in = inlinks();

	come(in, 11, PKT);
	look(in);
	CHECK_EQ(in->n, 1);
	come(in, 11, PKT);
	come(in, 12, PKT);
	CHECK(mroce_inlinks_look(in, &at, 1));
	CHECK_EQ(in->n, 2);
	CHECK_EQ(in->share.speed, SPEED);
	CHECK_EQ(come(in, 12, PKT), MROCE_LOOK_NOT);
	come(in, 11, PKT);
	look(in);
	CHECK_EQ(in->share.speed, 2 * SPEED);
	os_free(in);
}

/* Over more than are kept apart packets come in as over the others, and add nothing. */
TEST(inlinks_note__too_many_interfaces)
{
	struct mroce_inlinks *in = inlinks();
	u32 i;

	for (i = 1; i < MROCE_MAX_INLINKS; i++)
		CHECK_EQ(come(in, 10000 + i * 100 + 10, PKT), MROCE_LOOK_SOON);
	CHECK_EQ(come(in, 19990, PKT), MROCE_LOOK_NOT);
	look(in);
	CHECK_EQ(in->share.speed, (MROCE_MAX_INLINKS - 1) * SPEED);
	CHECK_EQ(come(in, 19990, PKT), MROCE_LOOK_SOON);
	os_free(in);
}

TEST(inlinks_state__wins_until_it_is_taken_back)
{
	struct mroce_inlinks *in = inlinks();

	mroce_inlinks_state(in, 5 * SPEED);
	CHECK_EQ(in->share.speed, 5 * SPEED);
	come(in, 1, PKT);
	come(in, 11, PKT);
	look(in);
	CHECK_EQ(in->share.speed, 5 * SPEED);
	come(in, 11, PKT);
	look(in);
	CHECK_EQ(in->share.speed, 5 * SPEED);
	mroce_inlinks_state(in, 0);
	CHECK_EQ(in->share.speed, SPEED);
	os_free(in);
}
