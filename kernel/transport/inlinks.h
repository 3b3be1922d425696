/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The links that a receiver's packets come in over, and what they bring together: the capacity that
 * share.h divides. Under the host's lock, as that.
 */
#ifndef MROCE_INLINKS_H
#define MROCE_INLINKS_H

#include "share.h"

/* Interfaces that are kept apart; what comes in over more adds no capacity */
#define MROCE_MAX_INLINKS	16

/**
 * struct mroce_link_speed - what the host knows of an interface
 * @ifindex:	its number
 * @below:	of the interface that has the speed, of which several may be views
 * @speed:	bytes per second; 0: unknown
 */
struct mroce_link_speed {
	u32 ifindex;
	u32 below;
	u64 speed;
};

/**
 * struct mroce_inlink - a link that brings packets
 * @at:		what the host knew at the last look
 * @bytes:	brought since then
 */
struct mroce_inlink {
	struct mroce_link_speed at;
	u64 bytes;
};

/**
 * struct mroce_inlinks - the links that bring packets, and how they are divided
 * @share:	the connections that send
 * @link:	interfaces met lately
 * @n:		entries in @link
 * @sum:	what they bring by what the host knows, bytes per second; 0: unknown
 * @stated:	what somebody who knows better says, bytes per second; 0: nobody does
 *
 * Under the host's lock.
 */
struct mroce_inlinks {
	struct mroce_share share;
	struct mroce_inlink link[MROCE_MAX_INLINKS];
	u32 n;
	u64 sum;
	u64 stated;
};

/**
 * enum mroce_look - when the host is to look at the speeds
 * @MROCE_LOOK_NOT:	it will anyway
 * @MROCE_LOOK_LATER:	in a while
 * @MROCE_LOOK_SOON:	an interface has been met
 */
enum mroce_look {
	MROCE_LOOK_NOT,
	MROCE_LOOK_LATER,
	MROCE_LOOK_SOON,
};

void mroce_inlinks_init(struct mroce_inlinks *in, u32 ifindex);
u64 mroce_inlinks_note(struct mroce_inlinks *in, struct mroce_share_member *m,
		       const struct mroce_demand *d, u64 now, enum mroce_look *look);
bool mroce_inlinks_look(struct mroce_inlinks *in, const struct mroce_link_speed *at, u32 n);
void mroce_inlinks_state(struct mroce_inlinks *in, u64 speed);

#endif /* MROCE_INLINKS_H */
