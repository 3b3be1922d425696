/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * QPs by number: a chained hash that grows with its population. Each CQ has its own, of the QPs whose sends
 * complete there, and its lock covers it: so a poller needs no other lock to find a QP, and a QP that was
 * taken out under that lock can be freed.
 */
#ifndef METAROCE_PROVIDER_QPMAP_H
#define METAROCE_PROVIDER_QPMAP_H

#include <stdint.h>

struct mroce_qpmap_entry {
	struct mroce_qpmap_entry *next;
	uint32_t qpn;
};

/**
 * struct mroce_qpmap - the hash
 * @heads: chains, a power of two of them
 * @mask: their number less one
 * @count: entries
 * @last: the entry found last, or NULL
 */
struct mroce_qpmap {
	struct mroce_qpmap_entry **heads;
	uint32_t mask;
	uint32_t count;
	struct mroce_qpmap_entry *last;
};

int mroce_qpmap_init(struct mroce_qpmap *map);
void mroce_qpmap_destroy(struct mroce_qpmap *map);
void mroce_qpmap_add(struct mroce_qpmap *map, struct mroce_qpmap_entry *entry);
void mroce_qpmap_del(struct mroce_qpmap *map, struct mroce_qpmap_entry *entry);
struct mroce_qpmap_entry *mroce_qpmap_find(struct mroce_qpmap *map, uint32_t qpn);

#endif /* METAROCE_PROVIDER_QPMAP_H */
