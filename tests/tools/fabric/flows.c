// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Patterns: which flows there are, where their slots lie and what is in them. */
#include <string.h>

#include "fabric.h"
#include "../pattern.h"

static size_t reserve(struct rank *r, size_t len)
{
	size_t at = r->len;

	r->len += (len + PAGE - 1) & ~(PAGE - 1);
	return at;
}

/*
 * Receives outnumber what can be outstanding, so that a receiver that is late by a little costs
 * nothing. In a ring the left one may be ahead by the whole round.
 */
uint32_t receives(const struct flow *f)
{
	return f->kind == RING ? f->count : f->depth * 2;
}

/* Answers may be on their way while the next request is here already. */
uint32_t sends(const struct flow *f)
{
	return f->kind == RING ? f->count : f->depth + 16;
}

static struct flow *add_flow(uint32_t from, uint32_t to, enum kind kind, enum op op, uint32_t size,
			     uint32_t depth)
{
	struct flow *f = &sh->flows[sh->nflows++];

	if (sh->nflows > MAX_FLOWS)
		wrong("more than %d flows", MAX_FLOWS);
	*f = (struct flow){
		.rank = { from, to },
		.kind = kind,
		.op = op,
		.size = size,
		.depth = depth,
		.count = opt.count,
		.until = opt.seconds,
	};
	f->room[FROM] = reserve(&sh->ranks[from], (size_t)size * receives(f));
	f->room[TO] = reserve(&sh->ranks[to], (size_t)size * receives(f));
	return f;
}

static void add_bulk(uint32_t from, uint32_t to)
{
	struct flow *f;
	uint32_t q;

	for (q = 0; q < opt.qps; q++) {
		f = add_flow(from, to, BULK, opt.op, opt.size, opt.depth);
		if (opt.bytes)
			f->count = (opt.bytes / opt.qps + opt.size - 1) / opt.size;
		/* the k-th sender joins k steps late and leaves k steps early */
		f->begin = opt.join * (from ? from - 1 : to - 1);
		f->until -= f->begin;
	}
}

/* Ranks 0 and 1, 2 and 3, ...: each pair on its own */
static void make_pair(void)
{
	uint32_t r;

	for (r = 0; r + 1 < nranks; r += 2)
		add_bulk(r, r + 1);
}

static void make_incast(void)
{
	uint32_t r;

	for (r = 1; r < nranks; r++)
		add_bulk(r, 0);
}

static void make_permutation(void)
{
	uint32_t r, shift = opt.shift ? opt.shift : nranks / 2;

	for (r = 0; r < nranks; r++)
		add_bulk(r, (r + shift) % nranks);
}

/* Everybody begins with his neighbour: no two begin with the same. */
static void make_all_to_all(void)
{
	uint32_t r, d;

	for (r = 0; r < nranks; r++)
		for (d = 1; d < nranks; d++)
			add_bulk(r, (r + d) % nranks);
}

/* Everybody of the first half to everybody of the second */
static void make_cross(void)
{
	uint32_t a, b;

	for (a = 0; a < nranks / 2; a++)
		for (b = nranks / 2; b < nranks; b++)
			add_bulk(a, b);
}

static void make_storage(void)
{
	uint32_t r;

	opt.op = READ;
	for (r = 1; r < nranks; r++)
		add_bulk(0, r);
}

static void make_rpc(void)
{
	struct flow *f;

	f = add_flow(0, 1, RPC, SEND, opt.size, 1);
	if (opt.bulk) {
		f->count = 0;
		f->until = opt.limit;
		f = add_flow(0, 1, BULK, WRITE, 1048576, 16);
		f->count = opt.bulk / f->size;
	}
}

/*
 * All-reduce of one vector per rank (-b bytes): N chunks of -k slices, 2 (N - 1) steps. The vector
 * lies in front of the slots of the flow to the right.
 */
static void make_ring(void)
{
	uint32_t r, size = opt.bytes / nranks / opt.slices & ~7u;

	if (!size)
		wrong("ring-allreduce wants -b, bytes of a vector");
	opt.bytes = (uint64_t)size * opt.slices * nranks;
	for (r = 0; r < nranks; r++)
		sh->ranks[r].len = (opt.bytes + PAGE - 1) & ~(PAGE - 1);
	opt.count = 2ull * (nranks - 1) * opt.slices;
	for (r = 0; r < nranks; r++)
		add_flow(r, (r + 1) % nranks, RING, SEND, size, opt.slices);
}

static const struct {
	const char *name;
	uint32_t min_ranks;
	void (*make)(void);
} patterns[] = {
	{ "pair", 2, make_pair },
	{ "incast", 2, make_incast },
	{ "permutation", 2, make_permutation },
	{ "all-to-all", 2, make_all_to_all },
	{ "cross", 2, make_cross },
	{ "storage", 2, make_storage },
	{ "rpc", 2, make_rpc },
	{ "ring-allreduce", 2, make_ring },
};

bool make_flows(const char *pattern)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		if (strcmp(pattern, patterns[i].name))
			continue;
		if (nranks < patterns[i].min_ranks)
			return false;
		patterns[i].make();
		return true;
	}
	return false;
}

uint32_t index_of(const struct flow *f)
{
	return f - sh->flows;
}

uint8_t *slot(const struct flow *f, enum side side, uint64_t message)
{
	return sh->ranks[f->rank[side]].mem + f->room[side] + message % receives(f) * f->size;
}

/* Responses have contents of their own. */
static uint64_t seed_of(const struct flow *f, uint64_t message, bool response)
{
	return ((uint64_t)f->rank[FROM] << 48) ^ ((uint64_t)index_of(f) << 24) ^ message ^
	       (response ? 1ull << 63 : 0);
}

void fill(const struct flow *f, enum side side, uint64_t message)
{
	pattern_fill(slot(f, side, message), f->size,
		     seed_of(f, message, f->kind == RPC && side == TO));
}

void check(const struct flow *f, enum side side, uint64_t message)
{
	uint64_t seed = seed_of(f, message, f->kind == RPC && side == FROM);
	int64_t bad = pattern_compare(slot(f, side, message), f->size, seed);

	if (bad >= 0)
		wrong("flow %u from rank %u to %u: message %llu is wrong at byte %lld", index_of(f),
		      f->rank[FROM], f->rank[TO], (unsigned long long)message, (long long)bad);
}

bool mine(const struct flow *f)
{
	return f->rank[FROM] == me || f->rank[TO] == me;
}

enum side my_side(const struct flow *f)
{
	return f->rank[FROM] == me ? FROM : TO;
}
