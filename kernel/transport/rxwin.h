/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive window of one path: which PSNs have a verdict, and which. A PSN gets exactly one: accepted [M42], or
 * refused for ever until an EMPTY packet turns it into accepted [M43]. Callers hold the peer's lock.
 */
#ifndef MROCE_RXWIN_H
#define MROCE_RXWIN_H

#include <linux/types.h>
#include <metaroce/wire.h>

struct mroce_peer;

enum mroce_rx_verdict {
	MROCE_RX_NEW,		/* no verdict yet */
	MROCE_RX_ACCEPTED,	/* accepted before: a duplicate */
	MROCE_RX_REFUSED,	/* refused before: the same answer again */
	MROCE_RX_OUTSIDE,	/* beyond the window */
	MROCE_RX_NOMEM,		/* within the agreed window, but the bitmap cannot grow now */
};

/**
 * struct mroce_rxwin - verdicts of [cum, cum + size)
 * @cum:	every PSN before it is accepted
 * @next:	one past the highest PSN with a verdict
 * @size:	PSNs that the bitmap covers now, a power of two from MROCE_MIN_PSN_WINDOW
 * @limit:	agreed window; @size grows up to it when a packet needs it
 * @nrefused:	PSNs now refused
 * @base_map:	bitmap of the first size
 * @map:	accepted bit of psn at psn & (size - 1): @base_map or allocated
 * @refused:	syndrome in the low, argument in the high byte, by psn & (size - 1); allocated at the first refusal
 */
struct mroce_rxwin {
	u32 cum;
	u32 next;
	u32 size;
	u32 limit;
	u32 nrefused;
	u64 base_map[MROCE_MIN_PSN_WINDOW / 64];
	u64 *map;
	u16 *refused;
};

void mroce_rxwin_init(struct mroce_rxwin *w, u32 first, u32 limit);
void mroce_rxwin_free(struct mroce_peer *peer, struct mroce_rxwin *w);

/** mroce_rxwin_check() - the verdict of @psn; for REFUSED the syndrome and argument too */
enum mroce_rx_verdict mroce_rxwin_check(struct mroce_peer *peer, struct mroce_rxwin *w, u32 psn, u8 *syn, u8 *arg);

/** mroce_rxwin_accept() - @psn was checked NEW, or REFUSED and is EMPTY now; advances cum */
void mroce_rxwin_accept(struct mroce_rxwin *w, u32 psn);

/** mroce_rxwin_refuse() - remember a refusal of a NEW psn. False without memory: then there is no verdict, drop it. */
bool mroce_rxwin_refuse(struct mroce_peer *peer, struct mroce_rxwin *w, u32 psn, u8 syn, u8 arg);

/** mroce_rxwin_sack() - the accepted bits of [base, base + MROCE_SACK_BITS) */
void mroce_rxwin_sack(const struct mroce_rxwin *w, u32 base, u64 *sack);

#endif /* MROCE_RXWIN_H */
