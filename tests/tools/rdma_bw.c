// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bandwidth, data comparison and errors over RC queue pairs, driven by completion events alone: perftest polls, and in
 * simulated time a program that polls never lets time pass. Runs on our devices and on rxe alike.
 *
 * The client has all the options and tells the server over TCP, which also carries the queue pairs' addresses. Message i
 * goes over queue pair i % N. With -c there is room for every message, so that each byte of each can be compared in the
 * end; without, the room of one window is used again and again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "tcp.h"
#include "tool.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PORT		"18600"
#define FOREVER		UINT32_MAX

/* BULK: a Write, then an empty Write with immediate, which may complete only when all of the Write is there */
enum op { WRITE, WRITE_IMM, BULK, SEND, READ, FADD, CAS };

static const struct {
	const char *name;
	enum ibv_wr_opcode code;
} ops[] = {
	[WRITE] = { "write", IBV_WR_RDMA_WRITE },
	[WRITE_IMM] = { "write_imm", IBV_WR_RDMA_WRITE_WITH_IMM },
	[BULK] = { "bulk", IBV_WR_RDMA_WRITE },
	[SEND] = { "send", IBV_WR_SEND },
	[READ] = { "read", IBV_WR_RDMA_READ },
	[FADD] = { "fadd", IBV_WR_ATOMIC_FETCH_AND_ADD },
	[CAS] = { "cas", IBV_WR_ATOMIC_CMP_AND_SWP },
};

/* What may be made wrong about the middle message of the first queue pair */
enum fault { NO_FAULT, BAD_RKEY, BAD_BOUNDS, BAD_RIGHTS, BAD_LENGTH, BAD_LKEY };

static const char *const faults[] = {
	[BAD_RKEY] = "rkey", [BAD_BOUNDS] = "bounds", [BAD_RIGHTS] = "rights", [BAD_LENGTH] = "length", [BAD_LKEY] = "lkey",
};

static const struct {
	const char *name;
	enum ibv_wc_status status;
} statuses[] = {
	{ "success", IBV_WC_SUCCESS },
	{ "retry", IBV_WC_RETRY_EXC_ERR },
	{ "rnr", IBV_WC_RNR_RETRY_EXC_ERR },
	{ "access", IBV_WC_REM_ACCESS_ERR },
	{ "invalid", IBV_WC_REM_INV_REQ_ERR },
	{ "operation", IBV_WC_REM_OP_ERR },
	{ "protection", IBV_WC_LOC_PROT_ERR },
};

/**
 * struct plan - what the client tells the server first
 * @op:		enum op
 * @qps:	queue pairs
 * @depth:	messages outstanding on each
 * @size:	of a message
 * @count:	messages in all; 0: as many as fit into @seconds
 * @seconds:	how long
 * @mtu:	path MTU
 * @timeout, @retry, @rnr_retry, @rnr_timer: as in struct ibv_qp_attr
 * @recvs:	receives that the server posts on each queue pair, FOREVER: as many as it takes
 * @late_ms:	how long the server sleeps before it posts a receive
 * @expect:	enum ibv_wc_status with which the run is to end
 * @fault:	enum fault
 * @check:	room for every message, all compared
 * @relaxed:	register memory with relaxed ordering
 */
struct plan {
	uint32_t op, qps, depth, size;
	uint64_t count;
	double seconds;
	uint32_t mtu, timeout, retry, rnr_retry, rnr_timer, recvs, late_ms, expect, fault;
	uint8_t check, relaxed, pad[6];
};

/* One queue pair's address, as the two ends tell each other */
struct end {
	union ibv_gid gid;
	uint64_t addr;
	uint32_t rkey, qpn;
};

static struct plan plan = {
	.op = WRITE, .qps = 1, .depth = 16, .size = 65536, .mtu = 4096, .timeout = 14, .retry = 7, .rnr_retry = 7,
	.rnr_timer = 12, .recvs = FOREVER,
};

static const char *dev_name, *gid_arg = "0", *server, *port = PORT, *hold_file;
static bool gid_each;

static struct ibv_context *ctx;
static struct ibv_comp_channel *channel;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_qp **qps;
static struct end *mine, *theirs;
static uint8_t *buf;
static uint64_t slots;
static int gid_index, tcp;
static volatile sig_atomic_t stopped;

/* ---- contents: a pattern that differs by message and position --------------------------- */

static bool atomic_op(void)
{
	return plan.op == FADD || plan.op == CAS;
}

/* The server's memory holds what is read, the client's what is written or sent. */
static bool i_am_source(void)
{
	return !atomic_op() && (plan.op == READ) == !server;
}

static uint8_t *slot(uint64_t i)
{
	return buf + i % slots * plan.size;
}

static uint64_t word(uint64_t message, uint32_t pos)
{
	uint64_t x = (message + 1) * 0x9e3779b97f4a7c15ull + pos;

	x ^= x >> 29;
	return x * 0xbf58476d1ce4e5b9ull;
}

static void fill(void)
{
	uint64_t i, w;
	uint32_t pos;

	for (i = 0; i < plan.count; i++) {
		for (pos = 0; pos < plan.size; pos += 8) {
			w = word(i, pos);
			memcpy(slot(i) + pos, &w, plan.size - pos < 8 ? plan.size - pos : 8);
		}
	}
}

static void compare(uint64_t i)
{
	uint32_t pos;
	uint64_t w;

	for (pos = 0; pos < plan.size; pos += 8) {
		w = word(i, pos);
		if (memcmp(slot(i) + pos, &w, plan.size - pos < 8 ? plan.size - pos : 8))
			wrong("message %llu is wrong at byte %u", (unsigned long long)i, pos);
	}
}

static void compare_all(uint64_t count)
{
	uint64_t i;

	for (i = 0; i < count; i++)
		compare(i);
}

/* Each value was seen exactly once. On one queue pair, also in order. */
static void compare_atomics(uint64_t count)
{
	uint8_t *seen = calloc(1, count);
	uint64_t i, old;

	for (i = 0; i < count; i++) {
		memcpy(&old, slot(i), sizeof(old));
		if (old >= count || seen[old]++ || (plan.qps == 1 && old != i))
			wrong("atomic %llu returned %llu", (unsigned long long)i, (unsigned long long)old);
	}
	free(seen);
}

static void compare_counter(uint64_t count)
{
	uint64_t value;

	memcpy(&value, buf, sizeof(value));
	if (value != count)
		wrong("%llu atomics made %llu", (unsigned long long)count, (unsigned long long)value);
}

/* ---- TCP on the side -------------------------------------------------------------------- */

static void tell(const void *data, size_t len)
{
	ssize_t n;

	for (; len; len -= n, data = (const char *)data + n) {
		n = send(tcp, data, len, MSG_NOSIGNAL);
		if (n <= 0)
			die("the other end is gone");
	}
}

static void hear(void *data, size_t len)
{
	ssize_t n;

	for (; len; len -= n, data = (char *)data + n) {
		n = read(tcp, data, len);
		if (!n && plan.expect)
			exit(0);
		if (n <= 0)
			die("the other end is gone");
	}
}

/* ---- verbs ------------------------------------------------------------------------------ */

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **d;

	for (d = list; d && *d; d++)
		if (!dev_name || !strcmp(ibv_get_device_name(*d), dev_name))
			break;
	if (!d || !*d)
		wrong("no device %s", dev_name ? dev_name : "at all");
	ctx = ibv_open_device(*d);
	if (!ctx)
		die("open %s", ibv_get_device_name(*d));
	ibv_free_device_list(list);
}

/* -g is an index, or an address of the device. */
static void find_gid(void)
{
	struct ibv_gid_entry entry;
	union ibv_gid want = { 0 };
	char *end;
	uint32_t i;

	gid_index = strtol(gid_arg, &end, 0);
	if (!*end)
		return;
	if (inet_pton(AF_INET, gid_arg, want.raw + 12))
		want.raw[10] = want.raw[11] = 0xff;
	else if (!inet_pton(AF_INET6, gid_arg, want.raw))
		wrong("no address: %s", gid_arg);
	for (i = 0; i < 1024; i++) {
		if (ibv_query_gid_ex(ctx, 1, i, &entry, 0) || entry.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    memcmp(&entry.gid, &want, sizeof(want)))
			continue;
		gid_index = i;
		return;
	}
	wrong("%s is no GID of %s", gid_arg, dev_name);
}

static int own_gid(uint32_t q)
{
	return gid_index + (gid_each && server ? q : 0);
}

static int access_flags(void)
{
	int access = IBV_ACCESS_LOCAL_WRITE;

	if (plan.fault != BAD_RIGHTS || server)
		access |= IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	if (plan.relaxed)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	return access;
}

static struct ibv_qp *make_qp(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = server ? plan.depth * 2 : 1, .max_recv_wr = server ? 1 : plan.depth,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp)
		die("queue pair");
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("queue pair to INIT");
	return qp;
}

static void make_objects(void)
{
	size_t len;
	uint32_t q;

	slots = plan.check ? plan.count : (uint64_t)plan.qps * plan.depth;
	len = (slots * plan.size + 4095) & ~4095ul;
	buf = aligned_alloc(4096, len);
	if (!buf)
		die("%zu bytes", len);
	memset(buf, 0, len);
	channel = ibv_create_comp_channel(ctx);
	pd = ibv_alloc_pd(ctx);
	if (!channel || !pd)
		die("channel or protection domain");
	mr = ibv_reg_mr(pd, buf, len, access_flags());
	if (!mr)
		die("memory region of %zu bytes", len);
	cq = ibv_create_cq(ctx, plan.qps * plan.depth + 1, NULL, channel, 0);
	if (!cq)
		die("completion queue");
	qps = calloc(plan.qps, sizeof(*qps));
	mine = calloc(plan.qps, sizeof(*mine));
	theirs = calloc(plan.qps, sizeof(*theirs));
	for (q = 0; q < plan.qps; q++) {
		qps[q] = make_qp();
		mine[q] = (struct end){ .addr = (uintptr_t)buf, .rkey = mr->rkey, .qpn = qps[q]->qp_num };
		if (ibv_query_gid(ctx, 1, own_gid(q), &mine[q].gid))
			die("GID %d", own_gid(q));
	}
}

static enum ibv_mtu mtu_code(void)
{
	struct ibv_port_attr attr;
	enum ibv_mtu code = IBV_MTU_256;

	while (code < IBV_MTU_4096 && 128u << (code + 1) <= plan.mtu)
		code++;
	if (!ibv_query_port(ctx, 1, &attr) && code > attr.active_mtu)
		code = attr.active_mtu;
	return code;
}

static void connect_qp(uint32_t q)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu_code(),
		.dest_qp_num = theirs[q].qpn,
		.rq_psn = 0,
		.max_dest_rd_atomic = 16,
		.min_rnr_timer = plan.rnr_timer,
		.ah_attr = {
			.is_global = 1, .port_num = 1,
			.grh = { .dgid = theirs[q].gid, .sgid_index = own_gid(q), .hop_limit = 64 },
		},
	};

	if (ibv_modify_qp(qps[q], &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("queue pair to RTR");
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = plan.timeout;
	attr.retry_cnt = plan.retry;
	attr.rnr_retry = plan.rnr_retry;
	attr.sq_psn = 0;
	attr.max_rd_atomic = 16;
	if (ibv_modify_qp(qps[q], &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("queue pair to RTS");
}

/* ---- messages --------------------------------------------------------------------------- */

static bool takes_receives(void)
{
	return plan.op == SEND || plan.op == WRITE_IMM || plan.op == BULK;
}

static uint64_t fault_at(void)
{
	return plan.count / plan.qps / 2 * plan.qps;
}

static void post_send(uint64_t i)
{
	const struct end *peer = &theirs[i % plan.qps];
	struct ibv_sge sge = { .addr = (uintptr_t)slot(i), .length = plan.size, .lkey = mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = ops[plan.op].code,
		.send_flags = IBV_SEND_SIGNALED,
	}, imm = wr, *bad;
	enum fault fault = plan.fault && i == fault_at() ? plan.fault : NO_FAULT;
	uint64_t addr = peer->addr + i % slots * plan.size;
	uint32_t rkey = peer->rkey;

	if (fault == BAD_RKEY)
		rkey ^= 0x100;
	if (fault == BAD_BOUNDS)
		addr = peer->addr + ((slots * plan.size + 4095) & ~4095ul) - plan.size + 1;
	if (fault == BAD_LKEY)
		sge.lkey ^= 0x100;
	wr.imm_data = htonl(i);
	imm.imm_data = htonl(i);
	imm.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	imm.num_sge = 0;
	if (plan.op == BULK) {
		wr.next = &imm;
		wr.send_flags = 0;
	}
	if (atomic_op()) {
		wr.wr.atomic.remote_addr = fault == BAD_BOUNDS ? addr + 7 : peer->addr;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = plan.op == FADD ? 1 : i;
		wr.wr.atomic.swap = i + 1;
	} else {
		wr.wr.rdma.remote_addr = addr;
		wr.wr.rdma.rkey = rkey;
	}
	errno = ibv_post_send(qps[i % plan.qps], &wr, &bad);
	if (errno)
		die("post %s", ops[plan.op].name);
}

static void post_recv(uint64_t i)
{
	bool shorter = plan.fault == BAD_LENGTH && i == fault_at();
	struct ibv_sge sge = { .addr = (uintptr_t)slot(i), .length = shorter ? plan.size / 2 : plan.size, .lkey = mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (plan.count && i >= plan.count)
		return;
	if (i / plan.qps >= plan.recvs)
		return;
	if (plan.late_ms)
		usleep(plan.late_ms * 1000);
	errno = ibv_post_recv(qps[i % plan.qps], &wr, &bad);
	if (errno)
		die("post receive");
}

/*
 * The next completion, or false when the other end said something. Sleeps; arms before it looks the last time.
 */
static bool next_completion(struct ibv_wc *wc, bool mind_tcp)
{
	struct pollfd fds[2] = { { .fd = channel->fd, .events = POLLIN }, { .fd = tcp, .events = POLLIN } };
	struct ibv_cq *which;
	void *context;
	int n;

	for (;;) {
		n = ibv_poll_cq(cq, 1, wc);
		if (!n) {
			if (ibv_req_notify_cq(cq, 0))
				die("arm");
			n = ibv_poll_cq(cq, 1, wc);
		}
		if (n < 0)
			die("poll");
		if (n)
			return true;
		if (poll(fds, mind_tcp ? 2 : 1, -1) < 0) {
			if (errno == EINTR)
				continue;
			die("wait");
		}
		if (fds[0].revents) {
			if (ibv_get_cq_event(channel, &which, &context))
				die("completion event");
			ibv_ack_cq_events(which, 1);
		} else {
			return false;
		}
	}
}

/**
 * struct run - how it went
 * @posted, @done: messages on each queue pair
 * @total:	messages that are done
 * @failed:	the message that failed first, -1: none
 * @status:	its status
 * @flushed:	messages that were flushed afterwards
 * @last_ok, @failed_at: when
 * @longest:	between two successes
 */
struct run {
	uint64_t *posted, *done;
	uint64_t total, flushed;
	int64_t failed;
	enum ibv_wc_status status;
	double last_ok, failed_at, longest;
};

static void completed(struct run *r, const struct ibv_wc *wc)
{
	uint32_t q = wc->wr_id % plan.qps;
	double t;

	if (wc->wr_id != r->done[q] * plan.qps + q)
		wrong("message %llu completed where %llu was due", (unsigned long long)wc->wr_id,
		      (unsigned long long)(r->done[q] * plan.qps + q));
	r->done[q]++;
	r->total++;
	if (!wc->status) {
		if (r->failed >= 0 && plan.qps == 1)
			wrong("message %llu succeeded after a failed one", (unsigned long long)wc->wr_id);
		t = now();
		if (t - r->last_ok > r->longest)
			r->longest = t - r->last_ok;
		r->last_ok = t;
	} else if (r->failed < 0) {
		r->failed = wc->wr_id;
		r->status = wc->status;
		r->failed_at = now();
		if (wc->status != plan.expect)
			wrong("message %llu: %s", (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status));
	} else if (wc->status == IBV_WC_WR_FLUSH_ERR) {
		r->flushed++;
	} else if (wc->status != plan.expect) {
		wrong("message %llu: %s, after an error", (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status));
	}
}

static bool more(const struct run *r, uint64_t i, double until)
{
	return r->failed < 0 && !stopped && (plan.count ? i < plan.count : now() < until);
}

static void active(struct run *r)
{
	double start = now(), until = start + plan.seconds, took;
	uint64_t outstanding = 0, i;
	struct ibv_wc wc;
	uint32_t q;

	r->last_ok = start;
	for (q = 0; q < plan.qps; q++) {
		while (r->posted[q] < plan.depth && more(r, i = r->posted[q] * plan.qps + q, until)) {
			post_send(i);
			r->posted[q]++;
			outstanding++;
		}
	}
	while (outstanding) {
		next_completion(&wc, false);
		completed(r, &wc);
		outstanding--;
		q = wc.wr_id % plan.qps;
		i = r->posted[q] * plan.qps + q;
		if (more(r, i, until)) {
			post_send(i);
			r->posted[q]++;
			outstanding++;
		}
	}
	took = now() - start;
	printf("op=%s size=%u messages=%llu depth=%u qps=%u seconds=%.6f MB/s=%.2f us/message=%.3f longest_us=%.1f", ops[plan.op].name,
	       plan.size, (unsigned long long)r->total, plan.depth, plan.qps, took,
	       took ? r->total * (double)plan.size / took / 1e6 : 0, r->total ? took / r->total * 1e6 : 0, r->longest * 1e6);
	if (r->failed >= 0)
		printf(" failed=%lld after=%.6f flushed=%llu status='%s'", (long long)r->failed,
		       r->failed_at - r->last_ok, (unsigned long long)r->flushed, ibv_wc_status_str(r->status));
	puts("");
	fflush(stdout);
	if ((r->failed >= 0) != (plan.expect != IBV_WC_SUCCESS))
		wrong("no message failed");
}

/* Receives until the client says how many messages there were, and all of them are here. */
static uint64_t passive(void)
{
	uint64_t got = 0, total = UINT64_MAX;
	struct ibv_wc wc;

	while (got < total || total == UINT64_MAX) {
		if (!next_completion(&wc, total == UINT64_MAX)) {
			hear(&total, sizeof(total));
			if (!takes_receives())
				break;
			continue;
		}
		if (wc.status && plan.expect)
			continue;
		if (wc.status)
			wrong("receive %llu: %s", (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
		if (plan.op != SEND && ntohl(wc.imm_data) != (uint32_t)wc.wr_id)
			wrong("receive %llu: immediate %u", (unsigned long long)wc.wr_id, ntohl(wc.imm_data));
		if (plan.op == SEND && wc.byte_len != plan.size)
			wrong("receive %llu: %u bytes", (unsigned long long)wc.wr_id, wc.byte_len);
		if (plan.check)
			compare(wc.wr_id);
		got++;
		post_recv(wc.wr_id + (uint64_t)plan.qps * plan.depth);
	}
	return total;
}

static void hold(void)
{
	while (hold_file && !access(hold_file, F_OK))
		usleep(50000);
}

static void stop(int signal)
{
	stopped = signal;
}

static void run_client(void)
{
	struct sigaction action = { .sa_handler = stop };
	struct run r = { .failed = -1 };
	char end = 0;

	sigaction(SIGTERM, &action, NULL);
	r.posted = calloc(plan.qps, sizeof(*r.posted));
	r.done = calloc(plan.qps, sizeof(*r.done));
	active(&r);
	if (plan.expect)
		exit(0);
	tell(&r.total, sizeof(r.total));
	if (plan.check && plan.op == READ)
		compare_all(r.total);
	if (plan.check && atomic_op())
		compare_atomics(r.total);
	hold();
	tell(&end, 1);
	hear(&end, 1);
}

static void run_server(void)
{
	uint64_t total = passive();
	char end;

	if (plan.check && plan.op == WRITE)
		compare_all(total);
	if (plan.check && atomic_op())
		compare_counter(total);
	hear(&end, 1);
	tell(&end, 1);
}

/* ---- start ------------------------------------------------------------------------------ */

static void usage(void)
{
	fputs("usage: rdma_bw -d DEVICE -g GID [-p TCP-PORT]                  the server, for one run\n"
	      "       rdma_bw -d DEVICE -g GID [-p TCP-PORT] [options] SERVER\n"
	      "GID is an index, or an address of the device\n"
	      "  -o write|write_imm|bulk|send|read|fadd|cas    (bulk: a Write, then an empty one with immediate)\n"
	      "  -s SIZE  -q OUTSTANDING  -Q QUEUE-PAIRS  -m MTU\n"
	      "  -n MESSAGES | -D SECONDS      SIGTERM: no more, but an orderly end\n"
	      "  -c  compare every byte        -r  memory with relaxed ordering\n"
	      "  -T, -R, -N, -M                timeout, retry_cnt, rnr_retry, min_rnr_timer\n"
	      "  -x success|retry|rnr|access|invalid|operation|protection\n"
	      "                                how the run is to end; then everything later is flushed\n"
	      "  -f rkey|bounds|rights|length|lkey   make the middle message wrong\n"
	      "  -V RECEIVES                   the server posts so many on each queue pair, then no more\n"
	      "  -L MS                         the server sleeps before it posts one\n"
	      "  -G                            each queue pair has the next GID of the client\n"
	      "  -H FILE                       keep everything as long as FILE exists\n", stderr);
	exit(2);
}

static unsigned int choose(const char *name, const char *const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (names[i] && !strcmp(name, names[i]))
			return i;
	usage();
	return 0;
}

static void parse(int argc, char **argv)
{
	const char *op_names[ARRAY_SIZE(ops)], *status_names[ARRAY_SIZE(statuses)];
	size_t i;
	int c;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		op_names[i] = ops[i].name;
	for (i = 0; i < ARRAY_SIZE(statuses); i++)
		status_names[i] = statuses[i].name;
	while ((c = getopt(argc, argv, "d:g:p:o:s:q:Q:m:n:D:crT:R:N:M:x:f:V:L:GH:")) != -1) {
		switch (c) {
		case 'd': dev_name = optarg; break;
		case 'g': gid_arg = optarg; break;
		case 'p': port = optarg; break;
		case 'o': plan.op = choose(optarg, op_names, ARRAY_SIZE(ops)); break;
		case 's': plan.size = strtoul(optarg, NULL, 0); break;
		case 'q': plan.depth = strtoul(optarg, NULL, 0); break;
		case 'Q': plan.qps = strtoul(optarg, NULL, 0); break;
		case 'm': plan.mtu = strtoul(optarg, NULL, 0); break;
		case 'n': plan.count = strtoull(optarg, NULL, 0); break;
		case 'D': plan.seconds = atof(optarg); break;
		case 'c': plan.check = true; break;
		case 'r': plan.relaxed = true; break;
		case 'T': plan.timeout = atoi(optarg); break;
		case 'R': plan.retry = atoi(optarg); break;
		case 'N': plan.rnr_retry = atoi(optarg); break;
		case 'M': plan.rnr_timer = atoi(optarg); break;
		case 'x': plan.expect = statuses[choose(optarg, status_names, ARRAY_SIZE(statuses))].status; break;
		case 'f': plan.fault = choose(optarg, faults, ARRAY_SIZE(faults)); break;
		case 'V': plan.recvs = strtoul(optarg, NULL, 0); break;
		case 'L': plan.late_ms = atoi(optarg); break;
		case 'G': gid_each = true; break;
		case 'H': hold_file = optarg; break;
		default: usage();
		}
	}
	server = argv[optind];
	if (!plan.count && plan.seconds <= 0)
		plan.count = 1000;
	if (atomic_op())
		plan.size = 8;
	if (!plan.size || !plan.depth || !plan.qps || (plan.check && !plan.count))
		usage();
}

int main(int argc, char **argv)
{
	uint64_t i;
	uint32_t q;

	parse(argc, argv);
	open_device();
	find_gid();
	if (server) {
		tcp = tcp_reach(server, port);
		tell(&plan, sizeof(plan));
		make_objects();
		tell(mine, plan.qps * sizeof(*mine));
		hear(theirs, plan.qps * sizeof(*theirs));
	} else {
		tcp = tcp_accept(port);
		hear(&plan, sizeof(plan));
		make_objects();
		hear(theirs, plan.qps * sizeof(*theirs));
		tell(mine, plan.qps * sizeof(*mine));
	}
	if (plan.check && i_am_source())
		fill();
	for (i = 0; !server && takes_receives() && !plan.late_ms && i < (uint64_t)plan.qps * plan.depth; i++)
		post_recv(i);
	for (q = 0; q < plan.qps; q++)
		connect_qp(q);
	tell(&plan, 1);
	hear(&q, 1);
	/* with -L the first receives come late too */
	for (i = 0; !server && takes_receives() && plan.late_ms && i < (uint64_t)plan.qps * plan.depth; i++)
		post_recv(i);
	if (server)
		run_client();
	else
		run_server();
	return 0;
}
