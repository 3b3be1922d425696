/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How a receiver divides what its links bring among those who send to it. The members are
 * connections of different peers, whose locks say nothing about each other: all of it is under one
 * lock of the host's, inside the peers' locks.
 */
#ifndef MROCE_SHARE_H
#define MROCE_SHARE_H

#include <linux/types.h>
#include <linux/list.h>

/*
 * What a packet takes on an Ethernet beside its UDP payload: UDP, IPv4 and Ethernet headers, frame
 * check, preamble and gap; IPv6 has 20 more [M130]. Rates of hints are of this kind, so that a
 * share fits the link.
 */
#define MROCE_WIRE_EXTRA	66

/**
 * struct mroce_demand - what the packets of a connection tell about their sender
 * @ifindex:	where the newest came in
 * @pkt:	bytes on the wire of the newest
 * @bytes:	bytes on the wire of all since the last report
 * @left:	what the sender has still to send, bytes
 * @rtt:	round-trip time as far as this end knows it, ns; 0: unknown
 */
struct mroce_demand {
	u32 ifindex;
	u32 pkt;
	u64 bytes;
	u64 left;
	u64 rtt;
};

/**
 * struct mroce_share_member - a connection as the allocator sees it; all zero: not active
 * @link:	in mroce_share.members; valid with @active
 * @active:	counted
 * @greedy:	wants more than its share
 * @measured:	@rate is known
 * @wants:	bytes per second, counted in mroce_share.wanted unless @greedy
 * @rate:	bytes per second that it took lately, while it was active
 * @bytes:	taken since that was measured
 * @time:	active since then, ns
 * @heard_at:	when it was last heard from, ns
 * @life:	how long it may be silent, ns; 0: never heard from
 *
 * Written by share.c. Under the host's lock.
 */
struct mroce_share_member {
	struct list_head link;
	bool active;
	bool greedy;
	bool measured;
	u64 wants;
	u64 rate;
	u64 bytes;
	u64 time;
	u64 heard_at;
	u64 life;
};

/**
 * struct mroce_share - capacity, and the connections that are active now
 * @members:	mroce_share_member.link; who is looked at next first
 * @n:		their number
 * @greedy:	how many of them want more than their share
 * @wanted:	what the others want, bytes per second
 * @now:	of the newest report, ns
 * @speed:	of the links, bytes per second; 0: unknown
 * @bytes:	arrived since @since, of all
 * @since:	ns
 * @peak:	highest rate measured since @peak_at, and in the second before
 * @peak_at:	when this second began, ns
 *
 * Written by share.c. Under the host's lock.
 */
struct mroce_share {
	struct list_head members;
	u32 n;
	u32 greedy;
	u64 wanted;
	u64 now;
	u64 speed;
	u64 bytes;
	u64 since;
	u64 peak[2];
	u64 peak_at;
};

void mroce_share_init(struct mroce_share *s);
void mroce_share_speed(struct mroce_share *s, u64 speed);
u64 mroce_share_note(struct mroce_share *s, struct mroce_share_member *m,
		     const struct mroce_demand *d, u64 now);
void mroce_share_leave(struct mroce_share *s, struct mroce_share_member *m);

#endif /* MROCE_SHARE_H */
