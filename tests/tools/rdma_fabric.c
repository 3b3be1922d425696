// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Traffic of many ranks over RC queue pairs, as one program: every rank is a process in a network namespace of its own,
 * driven by completion events alone, so that in simulated time the network decides how long things take.
 *
 * A pattern is a list of flows. A flow is one queue pair between two ranks, with messages of one size. All ranks' memory
 * is shared between the processes, each of which registers its own part only. So whoever learns that a message is
 * complete compares its bytes at once, wherever they went, before the room is used again: every byte of every message
 * is compared, and none costs time in the simulation.
 *
 * The result is lines of KEY=VALUE: one per rank and kind of traffic, one per flow (-v), one per error, and 'total'.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "histogram.h"
#include "pattern.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MAX_RANKS	256
#define MAX_FLOWS	65536
#define MAX_EVENTS	32
#define PAGE		4096ul

enum op { WRITE, SEND, READ };

static const char *const op_names[] = { [WRITE] = "write", [SEND] = "send", [READ] = "read" };

static const enum ibv_wr_opcode opcodes[] = {
	[WRITE] = IBV_WR_RDMA_WRITE, [SEND] = IBV_WR_SEND, [READ] = IBV_WR_RDMA_READ,
};

/* BULK: as fast as it goes. RPC: a request, a response, the next one. RING: what came from the left goes right. */
enum kind { BULK, RPC, RING, KINDS };

static const char *const kind_names[] = { [BULK] = "bulk", [RPC] = "rpc", [RING] = "ring" };

/* The two ends of a flow: who posts the messages, and the other */
enum side { FROM, TO };

/* One end of a queue pair, as the other needs to know it */
struct end {
	union ibv_gid gid;
	uint32_t qpn, rkey;
};

/**
 * struct flow - one queue pair's traffic, known to all processes
 * @rank:	of FROM and TO
 * @kind, @op:	what it does
 * @size:	of a message
 * @depth:	messages outstanding
 * @count:	messages in all; 0: until @until
 * @begin, @until: seconds after the common start
 * @room:	offset of its slots in the memory of FROM and TO
 * @ends:	written by each side before the queue pairs are connected
 * @posted, @done: messages so far (FROM)
 * @received:	messages so far (TO)
 * @flushed:	messages that were flushed after a failure
 * @first, @last: when the first was posted and the last completed
 * @status:	with which the first message failed, and
 * @failed, @failed_at: which and when
 * @ended:	FROM posts no more, and @done is final
 */
struct flow {
	uint32_t rank[2];
	uint32_t kind, op, size, depth;
	uint64_t count;
	double begin, until;
	size_t room[2];
	struct end ends[2];
	uint64_t posted, done, received, flushed;
	double first, last;
	uint32_t status;
	uint64_t failed;
	double failed_at;
	volatile bool ended;
};

/**
 * struct tally - what one rank's traffic of one kind came to
 * @bytes, @messages: completed
 * @steady:	bytes that were completed after the warm-up (-W)
 * @last:	the last completion, seconds after the start
 * @gap:	longest time without a completion
 * @times:	from post to completion, in nanoseconds
 */
struct tally {
	uint64_t bytes, messages, steady;
	double last, gap;
	struct histogram times;
};

struct rank {
	char ns[64], dev[64], addr[64];
	uint8_t *mem;
	size_t len;
	int bell;
	pid_t pid;
	bool finished;
	struct tally tally[KINDS];
};

/* What all processes see; made before the first is forked */
struct shared {
	pthread_barrier_t barrier;
	double start;
	struct rank ranks[MAX_RANKS];
	uint32_t nflows;
	struct flow flows[];
};

/* A command that the run executes at its time */
struct event {
	double at;
	const char *cmd;
};

static struct {
	enum op op;
	uint32_t size, depth, qps, shift, timeout, retry, slices;
	uint64_t count, bytes, bulk;
	double seconds, join, warm, settle, limit;
	int expect;
	bool relaxed, verbose;
} opt = {
	.op = WRITE, .size = 65536, .depth = 16, .qps = 1, .timeout = 14, .retry = 7, .settle = 0.02, .limit = 60,
	.slices = 4, .expect = -1,
};

static struct event events[MAX_EVENTS];
static unsigned int nevents, nranks, me;
static struct shared *sh;

static struct ibv_context *ctx;
static struct ibv_comp_channel *channel;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static int gid_index;
static struct ibv_qp **qps;	/* by flow */
static double **posted_at;	/* by flow and slot */

static void die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "rdma_fabric: %s%s", sh ? sh->ranks[me].dev : "", sh ? ": " : "");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "%s%s\n", err ? ": " : "", err ? strerror(err) : "");
	va_end(ap);
	exit(1);
}

/* As die(), when errno says nothing. */
#define wrong(...) do { errno = 0; die(__VA_ARGS__); } while (0)

static double clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Seconds since the common start */
static double now(void)
{
	return clock_now() - sh->start;
}

static void sleep_until(double at)
{
	double left = at - now();

	if (left > 0)
		usleep(left * 1e6);
}

/* ---- patterns: lists of flows ----------------------------------------------------------- */

static size_t reserve(struct rank *r, size_t len)
{
	size_t at = r->len;

	r->len += (len + PAGE - 1) & ~(PAGE - 1);
	return at;
}

/*
 * Receives outnumber what can be outstanding, so that a receiver that is late by a little costs nothing. In a ring the
 * left one may be ahead by the whole round.
 */
static uint32_t receives(const struct flow *f)
{
	return f->kind == RING ? f->count : f->depth * 2;
}

/* Answers may be on their way while the next request is here already. */
static uint32_t sends(const struct flow *f)
{
	return f->kind == RING ? f->count : f->depth + 16;
}

static struct flow *add_flow(uint32_t from, uint32_t to, enum kind kind, enum op op, uint32_t size, uint32_t depth)
{
	struct flow *f = &sh->flows[sh->nflows++];

	if (sh->nflows > MAX_FLOWS)
		wrong("more than %d flows", MAX_FLOWS);
	*f = (struct flow){
		.rank = { from, to }, .kind = kind, .op = op, .size = size, .depth = depth, .count = opt.count,
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
 * All-reduce of one vector per rank (-b bytes): N chunks of -k slices, 2 (N - 1) steps. The vector lies in front of
 * the slots of the flow to the right.
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

/* ---- contents --------------------------------------------------------------------------- */

static uint32_t index_of(const struct flow *f)
{
	return f - sh->flows;
}

static uint8_t *slot(const struct flow *f, enum side side, uint64_t message)
{
	return sh->ranks[f->rank[side]].mem + f->room[side] + message % receives(f) * f->size;
}

/* Responses have contents of their own. */
static uint64_t seed_of(const struct flow *f, uint64_t message, bool response)
{
	return ((uint64_t)f->rank[FROM] << 48) ^ ((uint64_t)index_of(f) << 24) ^ message ^ (response ? 1ull << 63 : 0);
}

static void fill(const struct flow *f, enum side side, uint64_t message)
{
	pattern_fill(slot(f, side, message), f->size, seed_of(f, message, f->kind == RPC && side == TO));
}

static void check(const struct flow *f, enum side side, uint64_t message)
{
	uint64_t seed = seed_of(f, message, f->kind == RPC && side == FROM);
	int64_t bad = pattern_compare(slot(f, side, message), f->size, seed);

	if (bad >= 0)
		wrong("flow %u from rank %u to %u: message %llu is wrong at byte %lld", index_of(f), f->rank[FROM],
		      f->rank[TO], (unsigned long long)message, (long long)bad);
}

/* ---- verbs ------------------------------------------------------------------------------ */

static void enter_ns(const char *ns)
{
	char path[128];
	int fd;

	if (!strcmp(ns, "-"))
		return;
	snprintf(path, sizeof(path), "/run/netns/%s", ns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		die("namespace %s", ns);
	close(fd);
}

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **d;

	for (d = list; d && *d && strcmp(ibv_get_device_name(*d), name);)
		d++;
	if (!d || !*d)
		wrong("there is no such device");
	ctx = ibv_open_device(*d);
	if (!ctx)
		die("open");
	ibv_free_device_list(list);
}

static void find_gid(const char *addr)
{
	union ibv_gid want = { 0 };
	struct ibv_gid_entry entry;

	if (inet_pton(AF_INET, addr, want.raw + 12) == 1)
		want.raw[10] = want.raw[11] = 0xff;
	else if (inet_pton(AF_INET6, addr, want.raw) != 1)
		wrong("no address: %s", addr);
	for (gid_index = 0; gid_index < 1024; gid_index++) {
		if (!ibv_query_gid_ex(ctx, 1, gid_index, &entry, 0) && entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !memcmp(&entry.gid, &want, sizeof(want)))
			return;
	}
	wrong("%s is no GID of it", addr);
}

static bool mine(const struct flow *f)
{
	return f->rank[FROM] == me || f->rank[TO] == me;
}

static enum side my_side(const struct flow *f)
{
	return f->rank[FROM] == me ? FROM : TO;
}

#define for_my_flows(f) \
	for ((f) = sh->flows; (f) < sh->flows + sh->nflows; (f)++) \
		if (!mine(f)) {} else

static void make_objects(void)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	struct rank *r = &sh->ranks[me];
	struct flow *f;
	int cqe = 1;

	for_my_flows(f)
		cqe += sends(f) + receives(f);
	channel = ibv_create_comp_channel(ctx);
	pd = ibv_alloc_pd(ctx);
	if (!channel || !pd)
		die("channel or protection domain");
	mr = ibv_reg_mr(pd, r->mem, r->len, access | (opt.relaxed ? IBV_ACCESS_RELAXED_ORDERING : 0));
	if (!mr)
		die("memory region of %zu bytes", r->len);
	cq = ibv_create_cq(ctx, cqe, NULL, channel, 0);
	if (!cq)
		die("completion queue of %d", cqe);
}

static struct ibv_qp *make_qp(const struct flow *f)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = sends(f), .max_recv_wr = receives(f), .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp)
		die("queue pair");
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("queue pair to INIT");
	return qp;
}

static void make_qps(void)
{
	struct flow *f;

	qps = calloc(sh->nflows, sizeof(*qps));
	posted_at = calloc(sh->nflows, sizeof(*posted_at));
	for_my_flows(f) {
		struct end *end = &f->ends[my_side(f)];

		qps[index_of(f)] = make_qp(f);
		posted_at[index_of(f)] = calloc(receives(f), sizeof(double));
		end->qpn = qps[index_of(f)]->qp_num;
		end->rkey = mr->rkey;
		if (ibv_query_gid(ctx, 1, gid_index, &end->gid))
			die("GID %d", gid_index);
	}
}

static enum ibv_mtu path_mtu(void)
{
	struct ibv_port_attr attr;

	if (ibv_query_port(ctx, 1, &attr))
		die("port");
	return attr.active_mtu;
}

static void connect_qp(struct flow *f)
{
	const struct end *peer = &f->ends[!my_side(f)];
	struct ibv_qp *qp = qps[index_of(f)];
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = path_mtu(), .dest_qp_num = peer->qpn, .max_dest_rd_atomic = 16,
		.min_rnr_timer = 1,
		.ah_attr = {
			.is_global = 1, .port_num = 1,
			.grh = { .dgid = peer->gid, .sgid_index = gid_index, .hop_limit = 64 },
		},
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("queue pair to RTR");
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = opt.timeout;
	attr.retry_cnt = opt.retry;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 16;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("queue pair to RTS");
}

/* ---- work requests ---------------------------------------------------------------------- */

#define RECEIVE	(1ull << 39)

static uint64_t wr_id(const struct flow *f, uint64_t what, uint64_t message)
{
	return (uint64_t)index_of(f) << 40 | what | message;
}

static void post_receive(struct flow *f, uint64_t message)
{
	struct ibv_sge sge = { .addr = (uintptr_t)slot(f, my_side(f), message), .length = f->size, .lkey = mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id(f, RECEIVE, message), .sg_list = &sge, .num_sge = 1 }, *bad;

	errno = ibv_post_recv(qps[index_of(f)], &wr, &bad);
	if (errno)
		die("post a receive");
}

static void post(struct flow *f, uint8_t *from, uint64_t message)
{
	uint8_t *to = slot(f, TO, message);
	struct ibv_sge sge = { .addr = (uintptr_t)from, .length = f->size, .lkey = mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = wr_id(f, 0, message), .sg_list = &sge, .num_sge = 1, .opcode = opcodes[f->op],
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)to, .rkey = f->ends[!my_side(f)].rkey },
	}, *bad;

	errno = ibv_post_send(qps[index_of(f)], &wr, &bad);
	if (errno)
		die("post message %llu", (unsigned long long)message);
}

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
	uint64_t step = message / opt.slices, chunk = (rank + 2 * nranks - step % (2 * nranks)) % nranks;

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

/* ---- what completions mean -------------------------------------------------------------- */

static bool bulk_goes_on(void)
{
	struct flow *f;

	for_my_flows(f) {
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
	if (at > opt.warm)
		t->steady += f->size;
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

/* A slice from the left: added to ours in the first half, taken as it is in the second; then it goes on. */
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

static void completed(const struct ibv_wc *wc)
{
	struct flow *f = &sh->flows[wc->wr_id >> 40];
	uint64_t message = wc->wr_id & (RECEIVE - 1);
	bool receive = wc->wr_id & RECEIVE;

	if (wc->status && !receive && my_side(f) == FROM)
		failed(f, message, wc->status);
	else if (wc->status)
		return; /* the sender tells why */
	else if (receive)
		received(f, message);
	else if (my_side(f) == FROM)
		sent(f, message);
}

/* ---- one rank --------------------------------------------------------------------------- */

static void start_flow(struct flow *f)
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

/* Starts what is due; returns when the next is, or the limit. */
static double start_due(void)
{
	double next = opt.limit;
	struct flow *f;

	for_my_flows(f) {
		if (f->rank[FROM] != me || f->first)
			continue;
		if (f->begin <= now())
			start_flow(f);
		else if (f->begin < next)
			next = f->begin;
	}
	return next;
}

/* Nothing more comes or goes. */
static bool finished(void)
{
	struct flow *f;

	for_my_flows(f) {
		if (!f->ended || (f->op == SEND && !f->status && f->rank[TO] == me && f->received < f->done))
			return false;
	}
	return true;
}

static bool poll_one(struct ibv_wc *wc)
{
	int n = ibv_poll_cq(cq, 1, wc);

	if (!n) {
		if (ibv_req_notify_cq(cq, 0))
			die("arm");
		n = ibv_poll_cq(cq, 1, wc);
	}
	if (n < 0)
		die("poll");
	return n;
}

/* Sleeps until there is an event, the bell rings or it is time. */
static void await(double until)
{
	struct pollfd fds[2] = {
		{ .fd = channel->fd, .events = POLLIN }, { .fd = sh->ranks[me].bell, .events = POLLIN },
	};
	double left = until - now();
	struct timespec ts = { .tv_sec = left > 0 ? left : 0 };
	struct ibv_cq *which;
	eventfd_t rung;
	void *context;

	if (left > 0)
		ts.tv_nsec = (left - ts.tv_sec) * 1e9;
	if (ppoll(fds, 2, &ts, NULL) < 0 && errno != EINTR)
		die("wait");
	if (fds[0].revents) {
		if (ibv_get_cq_event(channel, &which, &context))
			die("completion event");
		ibv_ack_cq_events(which, 1);
	}
	if (fds[1].revents)
		eventfd_read(sh->ranks[me].bell, &rung);
}

/* When a run does not come to its end, what is open is said, and the figures so far are shown. */
static void stalled(void)
{
	struct flow *f;

	for_my_flows(f) {
		if (f->rank[FROM] == me && !f->ended)
			printf("error rank=%u peer=%u status='stalled' posted=%llu done=%llu last=%.6f\n", me,
			       f->rank[TO], (unsigned long long)f->posted, (unsigned long long)f->done, f->last);
	}
	fflush(stdout);
	exit(3);
}

static void run(void)
{
	double next = start_due();
	struct ibv_wc wc;

	while (!finished()) {
		while (poll_one(&wc))
			completed(&wc);
		if (finished())
			break;
		if (now() >= next)
			next = start_due();
		if (now() >= opt.limit)
			stalled();
		await(next);
	}
}

static void check_ring(void)
{
	struct rank *r = &sh->ranks[me];
	uint64_t *sum = calloc(1, opt.bytes);
	uint32_t i;

	for (i = 0; i < nranks; i++)
		pattern_add(sum, opt.bytes, i);
	if (memcmp(sum, r->mem, opt.bytes))
		wrong("the sum over all ranks is wrong");
	free(sum);
}

static bool is_ring(void)
{
	return sh->flows[0].kind == RING;
}

static void post_receives(void)
{
	struct flow *f;
	uint32_t i;

	for_my_flows(f) {
		if (f->op != SEND || (f->kind != RPC && f->rank[TO] != me))
			continue;
		for (i = 0; i < receives(f); i++)
			post_receive(f, i);
	}
}

static void start_together(void)
{
	pthread_barrier_wait(&sh->barrier);
	usleep(opt.settle * 1e6);
	if (pthread_barrier_wait(&sh->barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		sh->start = clock_now();
	pthread_barrier_wait(&sh->barrier);
}

static void run_rank(void)
{
	struct rank *r = &sh->ranks[me];
	struct flow *f;

	enter_ns(r->ns);
	open_device(r->dev);
	find_gid(r->addr);
	make_objects();
	make_qps();
	if (is_ring())
		pattern_add((void *)r->mem, opt.bytes, me);
	post_receives();
	pthread_barrier_wait(&sh->barrier);
	for_my_flows(f)
		connect_qp(f);
	start_together();
	run();
	r->finished = true;
	pthread_barrier_wait(&sh->barrier);
	if (is_ring())
		check_ring();
	exit(0);
}

static void run_events(void)
{
	unsigned int i;

	me = nranks;
	pthread_barrier_wait(&sh->barrier);
	start_together();
	for (i = 0; i < nevents; i++) {
		sleep_until(events[i].at);
		if (system(events[i].cmd))
			wrong("event failed: %s", events[i].cmd);
		printf("event at=%.6f command='%s'\n", now(), events[i].cmd);
		fflush(stdout);
	}
	pthread_barrier_wait(&sh->barrier);
	exit(0);
}

/* ---- results ---------------------------------------------------------------------------- */

static double us(const struct tally *t, double share)
{
	return histogram_at(&t->times, share) / 1e3;
}

static void print_tally(const struct tally *t, double seconds)
{
	double steady = seconds - opt.warm;

	printf(" bytes=%llu messages=%llu seconds=%.6f MB/s=%.2f p50_us=%.2f p99_us=%.2f p999_us=%.2f max_us=%.2f gap_us=%.2f",
	       (unsigned long long)t->bytes, (unsigned long long)t->messages, seconds,
	       seconds > 0 ? t->bytes / seconds / 1e6 : 0, us(t, 0.5), us(t, 0.99), us(t, 0.999), t->times.max / 1e3,
	       t->gap * 1e6);
	if (opt.warm > 0)
		printf(" steady_MB/s=%.2f", steady > 0 ? t->steady / steady / 1e6 : 0);
	puts("");
}

static void sum_up(struct tally *sum, const struct tally *t)
{
	sum->bytes += t->bytes;
	sum->messages += t->messages;
	sum->steady += t->steady;
	sum->last = t->last > sum->last ? t->last : sum->last;
	sum->gap = t->gap > sum->gap ? t->gap : sum->gap;
	histogram_merge(&sum->times, &t->times);
}

static void print_flow(const struct flow *f)
{
	double seconds = f->last - f->begin, bytes = (double)f->done * f->size;

	printf("flow from=%u to=%u kind=%s bytes=%.0f begin=%.6f last=%.6f MB/s=%.2f\n", f->rank[FROM], f->rank[TO],
	       kind_names[f->kind], bytes, f->begin, f->last, seconds > 0 ? bytes / seconds / 1e6 : 0);
}

static void print_error(const struct flow *f)
{
	printf("error rank=%u peer=%u message=%llu status='%s' at=%.6f after=%.6f done=%llu flushed=%llu\n",
	       f->rank[FROM], f->rank[TO], (unsigned long long)f->failed, ibv_wc_status_str(f->status), f->failed_at,
	       f->failed_at - f->last, (unsigned long long)f->done, (unsigned long long)f->flushed);
}

/* Flows, errors, and how far the flows of the same work lie apart; returns the number of errors. */
static unsigned int print_flows(enum kind kind, double *slowest, double *fastest)
{
	unsigned int errors = 0;
	struct flow *f;

	*slowest = *fastest = 0;
	for (f = sh->flows; f < sh->flows + sh->nflows; f++) {
		double rate = f->last > f->begin ? (double)f->done * f->size / (f->last - f->begin) / 1e6 : 0;

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
	double slowest, fastest;
	unsigned int i, errors;

	memset(&sum, 0, sizeof(sum));
	for (i = 0; i < nranks; i++) {
		const struct tally *t = &sh->ranks[i].tally[kind];

		if (!t->messages)
			continue;
		printf("rank=%u dev=%s kind=%s", i, sh->ranks[i].dev, kind_names[kind]);
		print_tally(t, t->last);
		sum_up(&sum, t);
	}
	errors = print_flows(kind, &slowest, &fastest);
	if (!sum.messages && !errors)
		return 0;
	printf("total kind=%s errors=%u start=%.9f slowest_MB/s=%.2f fastest_MB/s=%.2f apart=%.3f", kind_names[kind],
	       errors, sh->start, slowest, fastest, slowest > 0 ? fastest / slowest : 0);
	print_tally(&sum, sum.last);
	return errors;
}

static int report(bool complete)
{
	unsigned int errors = 0, i;
	bool as_expected = true;

	for (i = 0; i < KINDS; i++)
		errors += print_kind(i);
	for (i = 0; i < sh->nflows; i++)
		as_expected &= sh->flows[i].status == (uint32_t)opt.expect;
	if (opt.expect >= 0)
		return complete && as_expected ? 0 : 1;
	return complete && !errors ? 0 : 1;
}

/* ---- all of them ------------------------------------------------------------------------ */

static pid_t launch(unsigned int rank, void (*body)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		me = rank;
		body();
	}
	return pid;
}

/* One that fails takes the others with it: they would wait for it for ever. */
static bool reap(const pid_t *pids, unsigned int n)
{
	unsigned int left, i;
	bool well = true;
	int status;

	for (left = n; left; left--) {
		if (wait(&status) < 0)
			die("children");
		if (!status || !well)
			continue;
		well = false;
		/* others that stall say so too */
		usleep(200000);
		for (i = 0; i < n; i++)
			kill(pids[i], SIGKILL);
	}
	return well;
}

static void *share(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("%zu bytes", len);
	return p;
}

static int run_all(void)
{
	pid_t pids[MAX_RANKS + 1];
	pthread_barrierattr_t attr;
	unsigned int i;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&sh->barrier, &attr, nranks + 1);
	for (i = 0; i < nranks; i++) {
		sh->ranks[i].mem = share(sh->ranks[i].len);
		sh->ranks[i].bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	}
	fflush(NULL);
	for (i = 0; i < nranks; i++)
		pids[i] = launch(i, run_rank);
	pids[nranks] = launch(nranks, run_events);
	return report(reap(pids, nranks + 1));
}

static void usage(void)
{
	fputs("usage: rdma_fabric [options] PATTERN NAMESPACE:DEVICE:ADDRESS...    ('-' is the present namespace)\n"
	      "  pair            0 to 1, 2 to 3, ...          incast          1, 2, ... to 0\n"
	      "  permutation     r to r + SHIFT               all-to-all      everybody to everybody\n"
	      "  storage         0 reads from 1, 2, ...       ring-allreduce  of vectors of -b bytes\n"
	      "  cross           each of the first half to each of the second\n"
	      "  rpc             requests and responses between 0 and 1\n"
	      "  -o write|send|read  -s SIZE  -q OUTSTANDING  -Q QUEUE-PAIRS  -r (relaxed ordering)\n"
	      "  -n MESSAGES | -b BYTES | -D SECONDS     of each flow\n"
	      "  -W SECONDS      warm-up: steady_MB/s is what came after it\n"
	      "  -J SECONDS      sender k joins k steps late, and with -D leaves k steps early\n"
	      "  -B BYTES        rpc: beside Writes of 1 MiB on another queue pair\n"
	      "  -H SHIFT        permutation     -k SLICES       ring-allreduce: messages per step\n"
	      "  -e T:COMMAND    run COMMAND T seconds after the start; in ascending order\n"
	      "  -S SECONDS      rest between set-up and start (0.02)\n"
	      "  -T, -R          timeout, retry_cnt      -x STATUS   every flow is to end with this number\n"
	      "  -X SECONDS      when to give up (60)    -v          a line for each flow\n", stderr);
	exit(2);
}

static void add_event(char *arg)
{
	char *colon = strchr(arg, ':');

	if (!colon || nevents == MAX_EVENTS)
		usage();
	events[nevents++] = (struct event){ .at = atof(arg), .cmd = colon + 1 };
}

static void add_rank(char *arg)
{
	struct rank *r = &sh->ranks[nranks++];

	if (nranks > MAX_RANKS || sscanf(arg, "%63[^:]:%63[^:]:%63s", r->ns, r->dev, r->addr) != 3)
		usage();
}

static enum op parse_op(const char *arg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(op_names); i++)
		if (!strcmp(arg, op_names[i]))
			return i;
	usage();
	return 0;
}

static void parse_option(int c)
{
	switch (c) {
	case 'o': opt.op = parse_op(optarg); break;
	case 's': opt.size = strtoul(optarg, NULL, 0); break;
	case 'q': opt.depth = strtoul(optarg, NULL, 0); break;
	case 'Q': opt.qps = strtoul(optarg, NULL, 0); break;
	case 'n': opt.count = strtoull(optarg, NULL, 0); break;
	case 'b': opt.bytes = strtoull(optarg, NULL, 0); break;
	case 'D': opt.seconds = atof(optarg); break;
	case 'W': opt.warm = atof(optarg); break;
	case 'J': opt.join = atof(optarg); break;
	case 'B': opt.bulk = strtoull(optarg, NULL, 0); break;
	case 'H': opt.shift = strtoul(optarg, NULL, 0); break;
	case 'k': opt.slices = strtoul(optarg, NULL, 0); break;
	case 'e': add_event(optarg); break;
	case 'S': opt.settle = atof(optarg); break;
	case 'T': opt.timeout = strtoul(optarg, NULL, 0); break;
	case 'R': opt.retry = strtoul(optarg, NULL, 0); break;
	case 'x': opt.expect = atoi(optarg); break;
	case 'X': opt.limit = atof(optarg); break;
	case 'r': opt.relaxed = true; break;
	case 'v': opt.verbose = true; break;
	default: usage();
	}
}

static void make_flows(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		if (strcmp(name, patterns[i].name))
			continue;
		if (nranks < patterns[i].min_ranks)
			usage();
		patterns[i].make();
		return;
	}
	usage();
}

int main(int argc, char **argv)
{
	int c, i;

	sh = share(sizeof(*sh) + MAX_FLOWS * sizeof(struct flow));
	while ((c = getopt(argc, argv, "+o:s:q:Q:n:b:D:W:J:B:H:k:e:S:T:R:x:X:rv")) != -1)
		parse_option(c);
	if (optind >= argc || !opt.size || !opt.depth || !opt.qps || !opt.slices)
		usage();
	if (!opt.count && !opt.bytes && opt.seconds <= 0)
		opt.count = 100;
	for (i = optind + 1; i < argc; i++)
		add_rank(argv[i]);
	make_flows(argv[optind]);
	return run_all();
}
