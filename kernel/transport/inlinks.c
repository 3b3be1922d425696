// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a receiver's links bring together. Each brings packets of connections that are spread over
 * several, so there is one capacity, the sum; and none as long as a link of unknown speed brings a
 * relevant part. The host asks for the speeds, at times that it is told here.
 */
#include "internal.h"

#define RELEVANT	16	/* a link that brings less than 1/16 does not count */

/**
 * mroce_inlinks_init() - nothing has come in yet
 * @in:		zeroed
 * @ifindex:	over which most will come
 */
void mroce_inlinks_init(struct mroce_inlinks *in, u32 ifindex)
{
	mroce_share_init(&in->share);
	in->link[0].at.ifindex = ifindex;
	in->n = 1;
}

static struct mroce_inlink *link_of(struct mroce_inlinks *in, u32 ifindex)
{
	struct mroce_inlink *l;

	for (l = in->link; l < in->link + in->n; l++)
		if (l->at.ifindex == ifindex)
			return l;
	return NULL;
}

static enum mroce_look count(struct mroce_inlinks *in, const struct mroce_demand *d)
{
	struct mroce_inlink *l = link_of(in, d->ifindex);
	enum mroce_look look = MROCE_LOOK_NOT;

	if (!l) {
		if (in->n == MROCE_MAX_INLINKS)
			return MROCE_LOOK_NOT;
		l = &in->link[in->n++];
		*l = (struct mroce_inlink){ .at.ifindex = d->ifindex };
		look = MROCE_LOOK_SOON;
	} else if (!l->bytes) {
		look = MROCE_LOOK_LATER;
	}
	l->bytes += d->bytes;
	return look;
}

/**
 * mroce_inlinks_note() - a connection's packets have arrived
 * @in:		links
 * @m:		its member
 * @d:		what they tell
 * @now:	time of their arrival, ns
 * @look:	set: is the host to look?
 *
 * Return: bytes per second that it may send; 0: no limit
 */
u64 mroce_inlinks_note(struct mroce_inlinks *in, struct mroce_share_member *m,
		       const struct mroce_demand *d, u64 now, enum mroce_look *look)
{
	*look = count(in, d);
	return mroce_share_note(&in->share, m, d, now);
}

/* Several views of one link, VLANs, are one. */
static bool counted_before(const struct mroce_inlinks *in, const struct mroce_inlink *l, u64 least)
{
	const struct mroce_inlink *o;

	for (o = in->link; o < l; o++)
		if (o->bytes >= least && o->at.below == l->at.below)
			return true;
	return false;
}

static u64 sum_of(const struct mroce_inlinks *in, u32 n, u64 all)
{
	u64 sum = 0, least = DIV64_U64_ROUND_UP(all, RELEVANT);
	const struct mroce_inlink *l;

	for (l = in->link; l < in->link + n; l++) {
		if (l->bytes < least)
			continue;
		if (!l->at.speed)
			return 0;
		if (!counted_before(in, l, least))
			sum += l->at.speed;
	}
	return sum;
}

static void set_speed(struct mroce_inlinks *in)
{
	mroce_share_speed(&in->share, in->stated ?: in->sum);
}

/**
 * mroce_inlinks_look() - the host has looked at the speeds
 * @in:		links
 * @at:		of the first @n in in->link, in order; more may have been met meanwhile
 * @n:		their number
 *
 * Interfaces that bring nothing while others do are forgotten.
 *
 * Return: true if there were packets, so that another look in a while is worth it
 */
bool mroce_inlinks_look(struct mroce_inlinks *in, const struct mroce_link_speed *at, u32 n)
{
	u64 all = 0;
	u32 i, k = 0;

	for (i = 0; i < n; i++) {
		in->link[i].at = at[i];
		all += in->link[i].bytes;
	}
	in->sum = sum_of(in, n, all);
	set_speed(in);
	for (i = 0; i < in->n; i++) {
		if (all && !in->link[i].bytes)
			continue;
		in->link[k] = in->link[i];
		if (i < n)
			in->link[k].bytes = 0;
		k++;
	}
	in->n = k;
	return all;
}

/**
 * mroce_inlinks_state() - somebody knows what the links bring together
 * @in:		links
 * @speed:	bytes per second; 0: ask them again
 */
void mroce_inlinks_state(struct mroce_inlinks *in, u64 speed)
{
	in->stated = speed;
	set_speed(in);
}
