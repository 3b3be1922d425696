/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Contents that differ by seed and by position, for memory that is written and then compared word by word.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t pattern_seed(uint64_t seed)
{
	seed = (seed ^ (seed >> 31)) * 0x9e3779b97f4a7c15ull;
	seed = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9ull;
	return seed ^ (seed >> 32);
}

static inline uint64_t pattern_word(uint64_t mixed, size_t i)
{
	uint64_t x = mixed + (i + 1) * 0x9e3779b97f4a7c15ull;

	return x ^ (x >> 29);
}

static inline void pattern_fill(void *to, size_t len, uint64_t seed)
{
	uint64_t mixed = pattern_seed(seed), last, *p = to;
	size_t i;

	for (i = 0; i < len / 8; i++)
		p[i] = pattern_word(mixed, i);
	last = pattern_word(mixed, i);
	memcpy((char *)to + i * 8, &last, len % 8);
}

/* Where it differs, or -1 */
static inline int64_t pattern_compare(const void *what, size_t len, uint64_t seed)
{
	uint64_t mixed = pattern_seed(seed), last;
	const uint64_t *p = what;
	size_t i;

	for (i = 0; i < len / 8; i++)
		if (p[i] != pattern_word(mixed, i))
			return i * 8;
	last = pattern_word(mixed, i);
	return memcmp((const char *)what + i * 8, &last, len % 8) ? (int64_t)(i * 8) : -1;
}

/* Adds the pattern word by word, as a reduction over ranks does. */
static inline void pattern_add(uint64_t *to, size_t len, uint64_t seed)
{
	uint64_t mixed = pattern_seed(seed);
	size_t i;

	for (i = 0; i < len / 8; i++)
		to[i] += pattern_word(mixed, i);
}

#endif
