/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive window of one path: which PSNs have a verdict, and which. A PSN gets exactly one:
 * accepted [M42], or refused for ever until an EMPTY packet turns it into accepted [M43]. Callers
 * hold the peer's lock.
 */
#ifndef MROCE_RXWIN_H
#define MROCE_RXWIN_H

#include <linux/types.h>
#include <metaroce/wire.h>

struct mroce_peer;

/**
 * enum mroce_rx_verdict - what is known of a PSN
 * @MROCE_RX_NEW:	no verdict yet
 * @MROCE_RX_ACCEPTED:	accepted before: a duplicate
 * @MROCE_RX_REFUSED:	refused before: the same answer again
 * @MROCE_RX_OUTSIDE:	beyond the window
 * @MROCE_RX_NOMEM:	within the agreed window, but the bitmap cannot grow now
 */
enum mroce_rx_verdict {
	MROCE_RX_NEW,
	MROCE_RX_ACCEPTED,
	MROCE_RX_REFUSED,
	MROCE_RX_OUTSIDE,
	MROCE_RX_NOMEM,
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
 * @refused:	syndrome in the low, argument in the high byte, by psn & (size - 1); allocated at
 *		the first refusal
 *
 * Written by rxwin.c only. Under the peer's lock.
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

/**
 * mroce_rxwin_init() - no PSN has a verdict; takes no memory yet
 * @w:		whatever was in it is forgotten
 * @first:	first PSN of the path
 * @limit:	agreed window, PSNs, a power of two
 *
 * Context: peer's lock
 */
void mroce_rxwin_init(struct mroce_rxwin *w, u32 first, u32 limit);
/**
 * mroce_rxwin_free() - give its memory back; mroce_rxwin_init() before the next use
 * @peer:	whose host takes it
 * @w:		window
 *
 * Context: peer's lock
 */
void mroce_rxwin_free(struct mroce_peer *peer, struct mroce_rxwin *w);

/**
 * mroce_rxwin_check() - the verdict of @psn
 * @peer:	whose host gives memory when the bitmap must grow
 * @w:		window
 * @psn:	packet sequence number
 * @syn:	set to the syndrome if REFUSED
 * @arg:	set to its argument if REFUSED
 *
 * Context: peer's lock
 * Return: enum mroce_rx_verdict
 */
enum mroce_rx_verdict mroce_rxwin_check(struct mroce_peer *peer, struct mroce_rxwin *w, u32 psn,
					u8 *syn, u8 *arg);

/**
 * mroce_rxwin_accept() - accept @psn; advances cum
 * @w:		window
 * @psn:	checked: NEW, or REFUSED and its packet is EMPTY now
 *
 * Context: peer's lock
 */
void mroce_rxwin_accept(struct mroce_rxwin *w, u32 psn);

/**
 * mroce_rxwin_refuse() - remember a refusal
 * @peer:	whose host gives memory for the first one
 * @w:		window
 * @psn:	checked: NEW
 * @syn:	enum mroce_syndrome
 * @arg:	argument of the syndrome, given back by mroce_rxwin_check()
 *
 * Context: peer's lock
 * Return: false without memory: then there is no verdict, drop the packet
 */
bool mroce_rxwin_refuse(struct mroce_peer *peer, struct mroce_rxwin *w, u32 psn, u8 syn, u8 arg);

/**
 * mroce_rxwin_sack() - the accepted bits of [base, base + MROCE_SACK_BITS)
 * @w:		window
 * @base:	PSN of bit 0
 * @sack:	MROCE_SACK_BITS / 64 words; bit i of word w: base + 64 w + i
 *
 * Context: peer's lock
 */
void mroce_rxwin_sack(const struct mroce_rxwin *w, u32 base, u64 *sack);

/**
 * mroce_rxwin_trim() - give back what has grown, if nothing is missing or refused
 * @peer:	association
 * @w:		window
 *
 * Context: peer's lock
 */
void mroce_rxwin_trim(struct mroce_peer *peer, struct mroce_rxwin *w);

#endif /* MROCE_RXWIN_H */
