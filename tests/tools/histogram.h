/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counts of values over a logarithmic scale: 64 steps per power of two, so that a percentile is right within 1.6 %.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BITS		6
#define HISTOGRAM_STEPS		(1u << HISTOGRAM_BITS)
#define HISTOGRAM_BUCKETS	((64 - HISTOGRAM_BITS + 1) * HISTOGRAM_STEPS)

struct histogram {
	uint64_t n, max;
	uint32_t bucket[HISTOGRAM_BUCKETS];
};

static inline unsigned int histogram_bucket(uint64_t value)
{
	unsigned int shift;

	if (value < HISTOGRAM_STEPS)
		return value;
	shift = 63 - __builtin_clzll(value) - HISTOGRAM_BITS;
	return (shift + 1) * HISTOGRAM_STEPS + (unsigned int)(value >> shift) - HISTOGRAM_STEPS;
}

/* The largest value that falls into the bucket */
static inline uint64_t histogram_value(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < HISTOGRAM_STEPS)
		return bucket;
	shift = bucket / HISTOGRAM_STEPS - 1;
	return ((uint64_t)(bucket % HISTOGRAM_STEPS + HISTOGRAM_STEPS + 1) << shift) - 1;
}

static inline void histogram_add(struct histogram *h, uint64_t value)
{
	h->n++;
	if (value > h->max)
		h->max = value;
	h->bucket[histogram_bucket(value)]++;
}

static inline void histogram_merge(struct histogram *to, const struct histogram *from)
{
	unsigned int i;

	to->n += from->n;
	if (from->max > to->max)
		to->max = from->max;
	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

/* The value that SHARE (0 to 1) of all do not exceed */
static inline uint64_t histogram_at(const struct histogram *h, double share)
{
	uint64_t want = h->n * share, seen = 0, value;
	unsigned int i;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen > want || seen == h->n)
			break;
	}
	value = i < HISTOGRAM_BUCKETS ? histogram_value(i) : 0;
	return value < h->max ? value : h->max;
}

#endif
