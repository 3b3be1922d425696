// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs by number, see qpmap.h. QP numbers are handed out in sequence, so their low bits are the hash.
 */
#include "qpmap.h"

#include <errno.h>
#include <stdlib.h>

#define MROCE_QPMAP_MIN	16U

int mroce_qpmap_init(struct mroce_qpmap *map)
{
	map->heads = calloc(MROCE_QPMAP_MIN, sizeof(*map->heads));
	if (!map->heads)
		return ENOMEM;

	map->mask = MROCE_QPMAP_MIN - 1;
	map->count = 0;
	map->last = NULL;
	return 0;
}

void mroce_qpmap_destroy(struct mroce_qpmap *map)
{
	free(map->heads);
	map->heads = NULL;
}

/* Twice as many chains. Without memory for them the old ones stay and get longer. */
static void mroce_qpmap_grow(struct mroce_qpmap *map)
{
	uint32_t mask = map->mask * 2 + 1;
	struct mroce_qpmap_entry **heads = calloc((size_t)mask + 1, sizeof(*heads));
	struct mroce_qpmap_entry *entry, *next;
	uint32_t i;

	if (!heads)
		return;

	for (i = 0; i <= map->mask; i++) {
		for (entry = map->heads[i]; entry; entry = next) {
			next = entry->next;
			entry->next = heads[entry->qpn & mask];
			heads[entry->qpn & mask] = entry;
		}
	}
	free(map->heads);
	map->heads = heads;
	map->mask = mask;
}

void mroce_qpmap_add(struct mroce_qpmap *map, struct mroce_qpmap_entry *entry)
{
	struct mroce_qpmap_entry **head;

	if (map->count > map->mask)
		mroce_qpmap_grow(map);

	head = &map->heads[entry->qpn & map->mask];
	entry->next = *head;
	*head = entry;
	map->count++;
}

/* Does nothing if the entry is not in the map. */
void mroce_qpmap_del(struct mroce_qpmap *map, struct mroce_qpmap_entry *entry)
{
	struct mroce_qpmap_entry **p = &map->heads[entry->qpn & map->mask];

	while (*p && *p != entry)
		p = &(*p)->next;
	if (!*p)
		return;

	*p = entry->next;
	map->count--;
	if (map->last == entry)
		map->last = NULL;
}

struct mroce_qpmap_entry *mroce_qpmap_find(struct mroce_qpmap *map, uint32_t qpn)
{
	struct mroce_qpmap_entry *entry = map->last;

	if (entry && entry->qpn == qpn)
		return entry;

	entry = map->heads[qpn & map->mask];
	while (entry && entry->qpn != qpn)
		entry = entry->next;
	if (entry)
		map->last = entry;
	return entry;
}
