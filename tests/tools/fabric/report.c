// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The result is lines of KEY=VALUE: one per rank and kind of traffic, one per flow (-v), one per
 * error, and 'total'. */
#include <stdio.h>
#include <string.h>

#include "fabric.h"

static double us(const struct tally *t, double share)
{
	return histogram_at(&t->times, share) / 1e3;
}

static double steady_rate(const struct tally *t)
{
	return t->last > t->steady_from ? t->steady / (t->last - t->steady_from) / 1e6 : 0;
}

/* STEADY: MB/s */
static void print_tally(const struct tally *t, double seconds, double steady)
{
	printf(" bytes=%llu messages=%llu seconds=%.6f MB/s=%.2f p50_us=%.2f p99_us=%.2f p999_us=%.2f max_us=%.2f gap_us=%.2f",
	       (unsigned long long)t->bytes, (unsigned long long)t->messages, seconds,
	       seconds > 0 ? t->bytes / seconds / 1e6 : 0, us(t, 0.5), us(t, 0.99), us(t, 0.999),
	       t->times.max / 1e3, t->gap * 1e6);
	if (opt.warm > 0)
		printf(" steady_MB/s=%.2f", steady);
	puts("");
}

static void sum_up(struct tally *sum, const struct tally *t)
{
	sum->bytes += t->bytes;
	sum->messages += t->messages;
	sum->last = t->last > sum->last ? t->last : sum->last;
	sum->gap = t->gap > sum->gap ? t->gap : sum->gap;
	histogram_merge(&sum->times, &t->times);
}

static void print_flow(const struct flow *f)
{
	double seconds = f->last - f->begin, bytes = (double)f->done * f->size;

	printf("flow from=%u to=%u kind=%s paths=%u used=%u bytes=%.0f begin=%.6f last=%.6f MB/s=%.2f\n",
	       f->rank[FROM], f->rank[TO], kind_names[f->kind], f->paths, f->used, bytes, f->begin, f->last,
	       seconds > 0 ? bytes / seconds / 1e6 : 0);
}

static void print_error(const struct flow *f)
{
	printf("error rank=%u peer=%u message=%llu status='%s' at=%.6f after=%.6f done=%llu flushed=%llu\n",
	       f->rank[FROM], f->rank[TO], (unsigned long long)f->failed,
	       ibv_wc_status_str(f->status), f->failed_at, f->failed_at - f->last,
	       (unsigned long long)f->done, (unsigned long long)f->flushed);
}

/* Flows, errors, and how far the flows of the same work lie apart; returns the number of errors. */
static unsigned int print_flows(enum kind kind, double *slowest, double *fastest)
{
	unsigned int errors = 0;
	struct flow *f;

	*slowest = *fastest = 0;
	for (f = sh->flows; f < sh->flows + sh->nflows; f++) {
		double rate = f->last > f->begin
				      ? (double)f->done * f->size / (f->last - f->begin) / 1e6
				      : 0;

		if (f->kind != kind)
			continue;
		if (opt.verbose)
			print_flow(f);
		if (f->status)
			print_error(f);
		errors += !!f->status;
		if (!*slowest || rate < *slowest)
			*slowest = rate;
		if (rate > *fastest)
			*fastest = rate;
	}
	return errors;
}

static unsigned int print_kind(enum kind kind)
{
	static struct tally sum;
	double slowest, fastest, steady = 0;
	unsigned int i, errors;

	memset(&sum, 0, sizeof(sum));
	for (i = 0; i < nranks; i++) {
		const struct tally *t = &sh->ranks[i].tally[kind];

		if (!t->messages)
			continue;
		printf("rank=%u dev=%s kind=%s", i, sh->ranks[i].dev, kind_names[kind]);
		print_tally(t, t->last, steady_rate(t));
		sum_up(&sum, t);
		steady += steady_rate(t);
	}
	errors = print_flows(kind, &slowest, &fastest);
	if (!sum.messages && !errors)
		return 0;
	printf("total kind=%s errors=%u start=%.9f slowest_MB/s=%.2f fastest_MB/s=%.2f apart=%.3f",
	       kind_names[kind], errors, sh->start, slowest, fastest,
	       slowest > 0 ? fastest / slowest : 0);
	print_tally(&sum, sum.last, steady);
	return errors;
}

bool report(bool complete)
{
	unsigned int errors = 0, i;
	bool as_expected = true;

	for (i = 0; i < KINDS; i++)
		errors += print_kind(i);
	for (i = 0; i < sh->nflows; i++)
		as_expected &= sh->flows[i].status == (uint32_t)opt.expect;
	return complete && (opt.expect >= 0 ? as_expected : !errors);
}
