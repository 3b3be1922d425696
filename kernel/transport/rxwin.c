// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive window of one path: see rxwin.h.
 */
#include "transport.h"
#include "rxwin.h"

static bool map_test(const struct mroce_rxwin *w, u32 psn)
{
	u32 i = psn & (w->size - 1);

	return w->map[i / 64] >> (i % 64) & 1;
}

static void map_set(u64 *map, u32 size, u32 psn)
{
	u32 i = psn & (size - 1);

	map[i / 64] |= 1ULL << (i % 64);
}

static void map_clear(struct mroce_rxwin *w, u32 psn)
{
	u32 i = psn & (w->size - 1);

	w->map[i / 64] &= ~(1ULL << (i % 64));
}

static size_t map_bytes(u32 size)
{
	return size / 8;
}

static size_t refused_bytes(u32 size)
{
	return size * sizeof(u16);
}

void mroce_rxwin_init(struct mroce_rxwin *w, u32 first, u32 limit)
{
	memset(w, 0, sizeof(*w));
	w->cum = first;
	w->next = first;
	w->size = MROCE_MIN_PSN_WINDOW;
	w->limit = limit;
	w->map = w->base_map;
}

void mroce_rxwin_free(struct mroce_peer *peer, struct mroce_rxwin *w)
{
	if (w->map != w->base_map)
		peer->ops->free(peer, w->map, map_bytes(w->size));
	if (w->refused)
		peer->ops->free(peer, w->refused, refused_bytes(w->size));
	w->map = w->base_map;
	w->refused = NULL;
}

/* Double the bitmap until it covers @span PSNs from cum. */
static bool mroce_rxwin_grow(struct mroce_peer *peer, struct mroce_rxwin *w, u32 span)
{
	u16 *refused = NULL;
	u32 size = w->size;
	u64 *map;
	u32 psn;

	while (size < span)
		size *= 2;
	map = peer->ops->alloc(peer, map_bytes(size));
	if (!map)
		return false;
	if (w->refused) {
		refused = peer->ops->alloc(peer, refused_bytes(size));
		if (!refused) {
			peer->ops->free(peer, map, map_bytes(size));
			return false;
		}
	}
	for (psn = w->cum; psn != w->next; psn++) {
		if (map_test(w, psn))
			map_set(map, size, psn);
		if (refused)
			refused[psn & (size - 1)] = w->refused[psn & (w->size - 1)];
	}
	mroce_rxwin_free(peer, w);
	w->map = map;
	w->refused = refused;
	w->size = size;
	return true;
}

/* Outside the window on either side there is no verdict [M37]. */
enum mroce_rx_verdict mroce_rxwin_check(struct mroce_peer *peer, struct mroce_rxwin *w, u32 psn,
					u8 *syn, u8 *arg)
{
	u32 ahead = psn - w->cum;

	if (mroce_before(psn, w->cum))
		return w->cum - psn <= w->limit ? MROCE_RX_ACCEPTED : MROCE_RX_OUTSIDE;
	if (ahead >= w->limit)
		return MROCE_RX_OUTSIDE;
	if (ahead >= w->size && !mroce_rxwin_grow(peer, w, ahead + 1))
		return MROCE_RX_NOMEM;
	if (map_test(w, psn))
		return MROCE_RX_ACCEPTED;
	if (w->refused) {
		u16 r = w->refused[psn & (w->size - 1)];

		if (r) {
			*syn = r & 0xff;
			*arg = r >> 8;
			return MROCE_RX_REFUSED;
		}
	}
	return MROCE_RX_NEW;
}

static void mroce_rxwin_note(struct mroce_rxwin *w, u32 psn)
{
	if (!mroce_before(psn, w->next))
		w->next = psn + 1;
}

void mroce_rxwin_accept(struct mroce_rxwin *w, u32 psn)
{
	if (w->refused && w->refused[psn & (w->size - 1)]) {
		w->refused[psn & (w->size - 1)] = 0;
		w->nrefused--;
	}
	map_set(w->map, w->size, psn);
	mroce_rxwin_note(w, psn);
	while (w->cum != w->next && map_test(w, w->cum)) {
		map_clear(w, w->cum);
		w->cum++;
	}
}

bool mroce_rxwin_refuse(struct mroce_peer *peer, struct mroce_rxwin *w, u32 psn, u8 syn, u8 arg)
{
	if (!w->refused) {
		w->refused = peer->ops->alloc(peer, refused_bytes(w->size));
		if (!w->refused)
			return false;
	}
	w->refused[psn & (w->size - 1)] = syn | arg << 8;
	w->nrefused++;
	mroce_rxwin_note(w, psn);
	return true;
}

void mroce_rxwin_sack(const struct mroce_rxwin *w, u32 base, u64 *sack)
{
	u32 i;

	memset(sack, 0, MROCE_SACK_BITS / 8);
	for (i = 0; i < MROCE_SACK_BITS; i++) {
		u32 psn = base + i;

		if (mroce_before(psn, w->cum))
			sack[i / 64] |= 1ULL << (i % 64);
		else if (!mroce_before(psn, w->next))
			break;
		else if (map_test(w, psn))
			sack[i / 64] |= 1ULL << (i % 64);
	}
}

void mroce_rxwin_trim(struct mroce_peer *peer, struct mroce_rxwin *w)
{
	if (w->cum != w->next || w->nrefused)
		return;
	mroce_rxwin_free(peer, w);
	w->size = MROCE_MIN_PSN_WINDOW;
	memset(w->base_map, 0, sizeof(w->base_map));
}
