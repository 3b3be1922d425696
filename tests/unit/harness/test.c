// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs the registered tests: see test.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "test.h"

enum { PASSED = 1, FAILED, SKIPPED };

static struct test *tests;
static struct test *running;
static jmp_buf out;
static u64 seed_option;
static bool has_seed;
static u64 seed_now;
static u32 schedules = 10000;
static const char *skip_why;
static FILE *tap;

void test_register(struct test *t)
{
	struct test **at = &tests;

	while (*at && strcmp((*at)->name, t->name) < 0)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
}

u64 test_seed(void)
{
	const char *c;
	u64 x = 1;

	if (has_seed)
		return seed_option;
	for (c = running->name; *c; c++)
		x = mix64(x + *c);
	seed_now = x;
	return x;
}

void test_seed_now(u64 seed)
{
	seed_now = seed;
}

u32 test_schedules(void)
{
	return has_seed ? 1 : schedules;
}

void test_note(const char *fmt, ...)
{
	va_list ap;

	fputs("# ", tap);
	va_start(ap, fmt);
	vfprintf(tap, fmt, ap);
	va_end(ap);
	fputc('\n', tap);
}

void test_skip(const char *why)
{
	skip_why = why;
	longjmp(out, SKIPPED);
}

static void name_seed(void)
{
	if (running && seed_now)
		test_note("replay: --only %s --seed %llu", running->name, seed_now);
}

void check_failed(const char *file, int line, const char *what, u64 a, u64 b)
{
	const char *base = strrchr(file, '/');

	test_note("%s:%d: %s (%lld, %lld)", base ? base + 1 : file, line, what, (s64)a, (s64)b);
	name_seed();
	longjmp(out, FAILED);
}

/* --trace: each packet on a line, time in microseconds. */
static void trace(const struct world *w, const char *what, const struct wpkt *pkt)
{
	static const char *const type[16] = {
		"?", "CONNECT", "ACCEPT", "RESET", "DATA", "ACK", "NAK", "PROBE", "DATAGRAM",
	};
	static const char *const op[32] = {
		"EMPTY", "SEND", "SEND_IMM", "SEND_INV", "WRITE", "WRITE_IMM", "READ", "CMP_SWAP", "FETCH_ADD",
		[16] = "READ_RESP", "ATOMIC_RESP", "RESP_ERROR", [24] = "OPEN", "OPENED", "CLOSED", "QUERY",
	};
	struct mroce_data_hdr h;
	struct mroce_ack_hdr ack;
	struct mroce_ack_block b;
	struct mroce_nak_rec nak;

	printf("# %12.3f %d>%d %s if%u:%u %s", (w->now - w->born) / 1000.0, pkt->from, pkt->to, what,
	       pkt->route.ifindex, pkt->route.sport, type[wpkt_type(pkt)]);
	switch (wpkt_type(pkt)) {
	case MROCE_PT_DATA:
		memcpy(&h, pkt->data, sizeof(h));
		printf(" id %08x path %u psn %08x %s flags %x qpn %x msn %u off %u len %u/%u rsn %u",
		       be32_to_cpu(h.conn_id), h.path, be32_to_cpu(h.psn), op[h.opcode & 31] ?: "?", h.flags,
		       be32_to_cpu(h.qpn) & 0xffffff, be32_to_cpu(h.msn), be32_to_cpu(h.offset),
		       pkt->len - MROCE_DATA_HDR_LEN, be32_to_cpu(h.msg_len), be32_to_cpu(h.rsn));
		break;
	case MROCE_PT_ACK:
		memcpy(&ack, pkt->data, sizeof(ack));
		printf(" id %08x credits %u", be32_to_cpu(ack.conn_id), ack.ncredits);
		if (!ack.nblocks)
			break;
		memcpy(&b, pkt->data + sizeof(ack), sizeof(b));
		printf(" path %u cum %08x sack %016llx", b.path, be32_to_cpu(b.cum_psn), be64_to_cpu(b.sack[0]));
		break;
	case MROCE_PT_NAK:
		memcpy(&nak, pkt->data + sizeof(struct mroce_nak_hdr), sizeof(nak));
		printf(" %u: path %u psn %08x syn %u", pkt->data[2], nak.path, be32_to_cpu(nak.psn), nak.syndrome);
		break;
	}
	putchar('\n');
}

/* The sanitisers end the program: say where it was. */
void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));

static void died(void)
{
	if (!running)
		return;
	test_note("died in %s", running->name);
	name_seed();
	fflush(tap);
}

static u64 wall_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

static int run_one(struct test *t)
{
	int how = setjmp(out);

	if (how)
		return how;
	running = t;
	seed_now = 0;
	t->run();
	return PASSED;
}

static void usage(void)
{
	puts("usage: unit [--only TEXT]... [--seed N] [--schedules N] [--list] [--times]\n"
	     "  --only TEXT     tests whose name contains TEXT\n"
	     "  --seed N        instead of each test's own\n"
	     "  --schedules N   seeded schedules in all (10000; METAROCE_SCHEDULES)\n"
	     "  --trace         each packet\n"
	     "  --times         milliseconds that each test took");
	exit(2);
}

static const char *only[32];
static int nonly;

static bool chosen(const struct test *t)
{
	int i;

	for (i = 0; i < nonly; i++)
		if (strstr(t->name, only[i]))
			return true;
	return !nonly;
}

static struct test shared[64];

static void run_shared(void)
{
	shared_cases[running - shared].run(NULL);
}

static void add_shared(void)
{
	unsigned int i;

	for (i = 0; i < shared_cases_n; i++) {
		shared[i].name = shared_cases[i].name;
		shared[i].run = run_shared;
		test_register(&shared[i]);
	}
}

int main(int argc, char **argv)
{
	u32 n = 0, count[4] = { 0 };
	bool list = false, times = false;
	struct test *t;
	int i;

	tap = stdout;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (getenv("METAROCE_SCHEDULES"))
		schedules = strtoul(getenv("METAROCE_SCHEDULES"), NULL, 0);
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list")) {
			list = true;
		} else if (!strcmp(argv[i], "--times")) {
			times = true;
		} else if (!strcmp(argv[i], "--trace")) {
			world_trace = trace;
		} else if (i + 1 == argc) {
			usage();
		} else if (!strcmp(argv[i], "--only") && nonly < 32) {
			only[nonly++] = argv[++i];
		} else if (!strcmp(argv[i], "--seed")) {
			seed_option = strtoull(argv[++i], NULL, 0);
			has_seed = true;
		} else if (!strcmp(argv[i], "--schedules")) {
			schedules = strtoul(argv[++i], NULL, 0);
		} else {
			usage();
		}
	}
	add_shared();
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(died);

	for (t = tests; t; t = t->next) {
		u64 start = wall_us();
		int how;

		if (!chosen(t))
			continue;
		if (list) {
			puts(t->name);
			continue;
		}
		how = run_one(t);
		running = NULL;
		count[how]++;
		fprintf(tap, "%sok %u - %s%s%s", how == FAILED ? "not " : "", ++n, t->name,
			how == SKIPPED ? " # SKIP " : "", how == SKIPPED ? skip_why : "");
		if (times)
			fprintf(tap, " # %llu ms", (wall_us() - start) / 1000);
		fputc('\n', tap);
	}
	if (list)
		return 0;
	fprintf(tap, "1..%u\n", n);
	fprintf(tap, "# %u passed, %u failed, %u skipped\n", count[PASSED], count[FAILED], count[SKIPPED]);
	fflush(tap);
	/* A failed test has left its world behind: that is no leak to report. */
	if (count[FAILED])
		_exit(1);
	return 0;
}
