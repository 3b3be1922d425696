/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shorthands for tests of the core's insides: a world whose pieces are called directly instead of through packets.
 */
#ifndef TESTS_UNIT_LAB_H
#define TESTS_UNIT_LAB_H

#include "test.h"

/**
 * struct lab - a world with one peer of host 0, and what else the test asked for
 * @conn:	lab_conn(): a connection that nobody answers; lab_pair(): of @b, where requests of @a arrive
 * @a, @b:	lab_pair(): QPs on hosts 0 and 1, open both ways
 */
struct lab {
	struct world *w;
	struct wpeer *wp;
	struct mroce_conn *conn;
	struct mroce_path *p;
	struct wqp *a;
	struct wqp *b;
};

/** lab_new() - only a peer, inside the core: nothing is pumped until lab_end() */
struct lab lab_new(const struct world_cfg *cfg);
/** lab_conn() - and a connection towards host 1 */
struct lab lab_conn(const struct world_cfg *cfg);
/** lab_pair() - two QPs that have settled; @l->wp is b's peer and inside the core */
struct lab lab_pair(const struct world_cfg *cfg);
/** lab_pair_with() - the same after @set has changed the QPs' attributes */
struct lab lab_pair_with(const struct world_cfg *cfg, void (*set)(struct wqp *a, struct wqp *b));
void lab_end(struct lab *l);

/** lab_sent() - @n packets of @len bytes leave on @l->p now */
void lab_sent(struct lab *l, u32 n, u32 len);

/* A request or response as it would arrive for b. */
struct feed {
	u8 opcode;
	u8 flags;
	u32 msn;
	u32 msg_len;
	u32 offset;
	u32 len;
	u32 rsn;
	u32 rkey;
	u64 addr;
	u32 imm;
	u32 tag;		/* 0: the right one */
	u64 swap_add;
	u64 compare;
	u32 seed;
};

struct mroce_verdict lab_feed(struct lab *l, struct feed f);
#define FEED(l, ...)	lab_feed(l, (struct feed){ __VA_ARGS__ })

#define CHECK_ACCEPTED(v)	CHECK_EQ((v).what, MROCE_V_ACCEPT)
#define CHECK_REFUSED(v, s)						\
	do {								\
		struct mroce_verdict v_ = (v);				\
									\
		CHECK_EQ(v_.what, MROCE_V_REFUSE);			\
		CHECK_EQ(v_.syn, s);					\
	} while (0)

/** lab_rx() - @pkt as the core sees it */
struct mroce_rx lab_rx(struct wpkt *pkt);
/** data_pkt() - a DATA packet for @conn on @path with @psn; @f may be NULL: EMPTY */
struct wpkt *data_pkt(struct mroce_conn *conn, u8 path, u32 psn, const struct feed *f);

/* --- filters --- */

/** struct tap - counts packets and may change their fate; world.ctx of tap_filter() */
struct tap {
	u32 seen[16];			/* by type */
	u32 ops[32];			/* DATA by opcode */
	u32 retx;
	u32 bytes;
	int drop_type;			/* drop the @drop_n next of this type (0: none) ... */
	int drop_op;			/* ... or opcode + 1 */
	int drop_from;			/* only from this host + 1 (0: any) */
	u32 drop_n;
	u32 dropped;
	int keep_op;			/* keep the next with this opcode + 1 */
	bool keep_copy;			/* keep a copy and let it pass */
	struct wpkt *kept;
	struct mroce_route last_ack;
	enum wverdict (*more)(struct world *w, struct wpkt *pkt, struct tap *t);
};

void tap_on(struct world *w, struct tap *t);

#endif /* TESTS_UNIT_LAB_H */
