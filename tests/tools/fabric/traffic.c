// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What a flow posts, and what its completions mean. */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "fabric.h"
#include "../pattern.h"

static double **posted_at; /* by flow and slot */

static void post_message(struct flow *f)
{
	uint64_t message = f->posted++;

	fill(f, f->op == READ ? TO : FROM, message);
	posted_at[index_of(f)][message % receives(f)] = now();
	post(f, slot(f, FROM, message), message);
}

/* The next chunk of the ring in step K that rank R sends: its own first, then what it got last */
static uint8_t *ring_slice(uint32_t rank, uint64_t message, uint32_t size)
{
	uint64_t step = message / opt.slices,
		 chunk = (rank + 2 * nranks - step % (2 * nranks)) % nranks;

	/* the second half hands round what the first has made */
	if (step >= nranks - 1)
		chunk = (rank + 1 + 2 * nranks - (step - (nranks - 1))) % nranks;
	return sh->ranks[rank].mem + (chunk * opt.slices + message % opt.slices) * size;
}

static void post_ring(struct flow *f)
{
	uint64_t message = f->posted++;

	posted_at[index_of(f)][message % receives(f)] = now();
	post(f, ring_slice(me, message, f->size), message);
}

static bool bulk_goes_on(void)
{
	struct flow *f;

	for_my_flows (f) {
		if (f->kind == BULK && !f->ended)
			return true;
	}
	return false;
}

static bool more(const struct flow *f)
{
	if (f->status)
		return false;
	if (f->kind == RPC && opt.bulk)
		return bulk_goes_on();
	return f->count ? f->posted < f->count : now() < f->until;
}

static void ring_bell(uint32_t rank)
{
	if (eventfd_write(sh->ranks[rank].bell, 1))
		die("bell");
}

static void end_flow(struct flow *f)
{
	f->ended = true;
	ring_bell(f->rank[TO]);
	ring_bell(f->rank[FROM]);
}

static void tally(struct flow *f, double since)
{
	struct tally *t = &sh->ranks[me].tally[f->kind];
	double at = now();

	t->bytes += f->size;
	t->messages++;
	if (t->steady_from)
		t->steady += f->size;
	else if (at > opt.warm)
		t->steady_from = at;
	if (at - (t->last ? t->last : f->begin) > t->gap)
		t->gap = at - (t->last ? t->last : f->begin);
	t->last = at;
	f->last = at;
	histogram_add(&t->times, (at - since) * 1e9);
}

static double since(const struct flow *f, uint64_t message)
{
	return posted_at[index_of(f)][message % receives(f)];
}

static void count_done(struct flow *f)
{
	f->done++;
	if (more(f)) {
		if (f->kind != RING)
			post_message(f);
	} else if (f->done + f->flushed + !!f->status == f->posted && !f->ended) {
		end_flow(f);
	}
}

static void failed(struct flow *f, uint64_t message, enum ibv_wc_status status)
{
	if (!f->status) {
		f->status = status;
		f->failed = message;
		f->failed_at = now();
	} else {
		f->flushed++;
		if (status != IBV_WC_WR_FLUSH_ERR)
			wrong("message %llu: %s, after an error", (unsigned long long)message,
			      ibv_wc_status_str(status));
	}
	if (f->done + f->flushed + 1 == f->posted)
		end_flow(f);
}

static void sent(struct flow *f, uint64_t message)
{
	if (f->kind == RPC)
		return;
	if (message != f->done)
		wrong("message %llu completed where %llu was due", (unsigned long long)message,
		      (unsigned long long)f->done);
	if (f->kind == BULK && f->op != SEND)
		check(f, f->op == READ ? FROM : TO, message);
	tally(f, since(f, message));
	count_done(f);
}

/* RPC: a request is answered, a response is counted. */
static void rpc_received(struct flow *f, uint64_t message)
{
	if (my_side(f) == TO) {
		fill(f, TO, message);
		post(f, slot(f, TO, message), message);
	} else {
		tally(f, since(f, message));
		count_done(f);
	}
}

/* A slice from the left: added to ours in the first half, taken as it is in the second; then it
 * goes on. */
static void ring_received(struct flow *left, uint64_t message)
{
	struct flow *right = &sh->flows[me];
	const uint64_t *in = (const void *)slot(left, TO, message);
	uint64_t *own = (void *)ring_slice(left->rank[FROM], message, left->size);
	uint32_t i;

	own = (void *)(sh->ranks[me].mem + ((uint8_t *)own - sh->ranks[left->rank[FROM]].mem));
	if (message / opt.slices < nranks - 1) {
		for (i = 0; i < left->size / 8; i++)
			own[i] += in[i];
	} else {
		memcpy(own, in, left->size);
	}
	if (message + opt.slices < right->count)
		post_ring(right);
}

static void received(struct flow *f, uint64_t message)
{
	if (message != f->received && my_side(f) == TO)
		wrong("message %llu arrived where %llu was due", (unsigned long long)message,
		      (unsigned long long)f->received);
	if (f->kind != RING)
		check(f, my_side(f), message);
	if (my_side(f) == TO)
		f->received++;
	if (f->kind == RING)
		ring_received(f, message);
	if (f->kind == RPC)
		rpc_received(f, message);
	post_receive(f, message + receives(f));
}

void completed(const struct ibv_wc *wc)
{
	struct flow *f = &sh->flows[wc->wr_id >> ID_FLOW_SHIFT];
	uint64_t message = wc->wr_id & ID_MESSAGE;
	bool receive = wc->wr_id & ID_RECEIVE;

	if (wc->status && !receive && my_side(f) == FROM)
		failed(f, message, wc->status);
	else if (wc->status)
		return; /* the sender tells why */
	else if (receive)
		received(f, message);
	else if (my_side(f) == FROM)
		sent(f, message);
}

void start_flow(struct flow *f)
{
	uint32_t i;

	f->first = now();
	for (i = 0; i < f->depth && (!i || more(f)); i++) {
		if (f->kind == RING)
			post_ring(f);
		else
			post_message(f);
	}
}

static bool is_ring(void)
{
	return sh->flows[0].kind == RING;
}

static void post_receives(void)
{
	struct flow *f;
	uint32_t i;

	for_my_flows (f) {
		if (f->op != SEND || (f->kind != RPC && f->rank[TO] != me))
			continue;
		for (i = 0; i < receives(f); i++)
			post_receive(f, i);
	}
}

/* Before the queue pairs are connected */
void make_traffic(void)
{
	struct flow *f;

	posted_at = calloc(sh->nflows, sizeof(*posted_at));
	for_my_flows (f)
		posted_at[index_of(f)] = calloc(receives(f), sizeof(double));
	if (is_ring())
		pattern_add((void *)sh->ranks[me].mem, opt.bytes, me);
	post_receives();
}

/* After the last completion, of all ranks */
void check_traffic(void)
{
	uint64_t *sum;
	uint32_t i;

	if (!is_ring())
		return;
	sum = calloc(1, opt.bytes);
	for (i = 0; i < nranks; i++)
		pattern_add(sum, opt.bytes, i);
	if (memcmp(sum, sh->ranks[me].mem, opt.bytes))
		wrong("the sum over all ranks is wrong");
	free(sum);
}
