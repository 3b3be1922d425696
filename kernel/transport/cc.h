/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How fast a sender may be: congestion control of paths, with the round-trip times that it goes by,
 * and pacing of connections. Part of internal.h, which includes it.
 */
#ifndef MROCE_CC_H
#define MROCE_CC_H

#include <linux/types.h>
#include "timerq.h"

struct mroce_conn;
struct mroce_path;

/**
 * struct mroce_cc_ops - a congestion control algorithm; state is in mroce_path.cc
 *
 * All are called under the peer's lock; they write that state and count, nothing else.
 */
struct mroce_cc_ops {
	/** @name: for people */
	const char *name;
	/** @init: the path is new */
	void (*init)(struct mroce_path *p);
	/** @ack: @bytes newly accepted in @pkts packets, @ce of them marked */
	void (*ack)(struct mroce_path *p, u32 bytes, u32 pkts, u32 ce, u64 now);
	/** @loss: a gap showed @pkts lost */
	void (*loss)(struct mroce_path *p, u32 pkts, u64 now);
	/** @rto: nothing came back for an RTO; the first of a series only */
	void (*rto)(struct mroce_path *p, u64 now);
	/** @rerouted: a failed route was left for one that lives */
	void (*rerouted)(struct mroce_path *p, u64 now);
	/** @undo: the RTOs since the last progress were needless */
	void (*undo)(struct mroce_path *p, u64 now);
};

#define MROCE_CC_ALL	1024U	/* unit of mroce_cc.alpha */

/**
 * struct mroce_cc - congestion state of a path
 * @cwnd:	bytes in flight allowed
 * @ssthresh:	bytes; slow start below it
 * @alpha:	smoothed fraction of marked packets, MROCE_CC_ALL = all
 * @round_end:	PSN that ends the current round trip
 * @round_pkts:	packets accepted in this round
 * @round_ce:	packets marked in this round
 * @reduced:	already reduced in this round
 * @acc:	bytes accepted towards the next increase
 * @loss_map:	the last 64 verdicts, 1 = lost
 * @undo_cwnd:	@cwnd before the RTO
 * @undo_ssthresh: @ssthresh before it
 * @congested:	rounds in a row with marks or delay
 * @clean:	rounds in a row without, window full
 * @late:	samples in a row that were delayed
 * @given:	window before it was given back to a queue, bytes, since then; 0: it was not
 *
 * Written by the algorithm only. Under the peer's lock.
 */
struct mroce_cc {
	u32 cwnd;
	u32 ssthresh;
	u32 alpha;
	u32 round_end;
	u32 round_pkts;
	u32 round_ce;
	bool reduced;
	u32 acc;
	u64 loss_map;
	u32 undo_cwnd;
	u32 undo_ssthresh;
	u8 congested;
	u8 clean;
	u8 late;
	u32 given;
};

/**
 * struct mroce_rtt - round-trip estimate, ns
 * @srtt:	smoothed; 0: no sample
 * @var:	smoothed deviation
 * @latest:	newest sample
 * @min:	smallest of the last 10 s: of this and the previous 5 s slot
 * @slot_min:	smallest in this slot
 * @slot_end:	when this slot ends
 * @floor:	what the route takes at least (mroce_rtt_set_floor()), for this slot; 0: @min
 * @under:	samples in a row that were well below @floor
 * @stuck:	rounds that were delayed though little was in flight, since the last without
 *		delay: so little is @min to be trusted
 *
 * Written by mroce_rtt_*() only, @stuck by congestion control. Under the peer's lock.
 */
struct mroce_rtt {
	u64 srtt;
	u64 var;
	u64 latest;
	u64 min;
	u64 slot_min;
	u64 slot_end;
	u64 floor;
	u8 under;
	u8 stuck;
};

/**
 * struct mroce_pace - when a connection may send
 * @rate:	granted by the receiver, bytes per second on the wire; 0: no limit
 * @heard_at:	when that was, ns
 * @window:	bytes in flight that it allows while there is a queue; valid with @rate
 * @slack:	bytes more while there is none
 * @excess:	what of the round trip is neither way nor queue, ns
 * @late_rtt:	largest round trip since @late_since, ns; 0: they are as the window has it
 * @late_since:	round trips are longer than @window accounts for, ns
 * @next_at:	when the next packet may leave, ns; also while nothing limits
 * @timer:	@next_at, if a packet waits for it
 *
 * Written by pace.c. Under the peer's lock.
 */
struct mroce_pace {
	u64 rate;
	u64 heard_at;
	u64 window;
	u32 slack;
	u64 excess;
	u64 late_rtt;
	u64 late_since;
	u64 next_at;
	struct mroce_timer timer;
};

/* --- path.c --- */
void mroce_rtt_sample(struct mroce_rtt *r, u64 rtt, u64 now);
void mroce_rtt_forget_min(struct mroce_rtt *r);
void mroce_rtt_set_floor(struct mroce_rtt *r);
u64 mroce_rtt_base(const struct mroce_rtt *r);

/* --- cc.c --- */
extern const struct mroce_cc_ops mroce_cc_dctcp;
u64 mroce_delay_target(const struct mroce_path *p);

/* --- pace.c --- */
void mroce_pace_hint(struct mroce_conn *conn, u16 hint, u64 now);
bool mroce_pace_full(const struct mroce_conn *conn);
bool mroce_pace_room(struct mroce_conn *conn, u64 now);
void mroce_pace_sent(struct mroce_conn *conn, u32 bytes, u64 now);
void mroce_pace_timer(struct mroce_timer *t, u64 now);

#endif /* MROCE_CC_H */
