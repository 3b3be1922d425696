// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A bandwidth and latency program that sleeps between completions.
 *
 * perftest polls, and in simulated time a program that polls never lets time pass. This one is
 * driven by completion events, checks every byte unless told not to, and prints one line. Suites, the demo and
 * the benchmarks use it on our devices and on rxe alike.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

enum op { WRITE, SEND, READ };

static const char *const op_names[] = { "write", "send", "read" };

/* What the two ends tell each other over TCP before the QPs connect. */
struct hello {
	union ibv_gid gid;
	uint64_t addr;
	uint32_t rkey;
	uint32_t qpn;
	uint32_t psn;
	uint32_t mtu;
};

static struct {
	const char *dev, *server;
	enum op op;
	int gid_index, port, timeout, retry;
	uint32_t size, depth, mtu;
	uint64_t count;
	bool relaxed, unchecked;
} opt = {
	.port = 18600, .size = 65536, .depth = 16, .mtu = 4096, .count = 1000, .timeout = 14, .retry = 7,
};

static struct ibv_context *ctx;
static struct ibv_comp_channel *channel;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static uint8_t *buf;
static uint64_t wrong;

static void die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	va_start(ap, fmt);
	fputs("verbs-bw: ", stderr);
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "%s%s\n", err ? ": " : "", err ? strerror(err) : "");
	va_end(ap);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* ---- contents: a pattern that differs by message and position --------------------------- */

static uint8_t *slot(uint64_t i)
{
	return buf + i % opt.depth * opt.size;
}

static uint64_t word(uint64_t message, uint32_t pos)
{
	uint64_t x = message * 0x9e3779b97f4a7c15ull + pos;

	x ^= x >> 29;
	return x * 0xbf58476d1ce4e5b9ull;
}

static void fill(uint64_t i)
{
	uint32_t pos;

	for (pos = 0; pos < opt.size && !opt.unchecked; pos += 8) {
		uint64_t w = word(i, pos);

		memcpy(slot(i) + pos, &w, opt.size - pos < 8 ? opt.size - pos : 8);
	}
}

static void check(uint64_t i)
{
	uint32_t pos;

	for (pos = 0; pos < opt.size && !opt.unchecked; pos += 8) {
		uint64_t w = word(i, pos);

		if (memcmp(slot(i) + pos, &w, opt.size - pos < 8 ? opt.size - pos : 8)) {
			wrong++;
			return;
		}
	}
}

/* ---- TCP on the side -------------------------------------------------------------------- */

static int tcp_listen(void)
{
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6, .sin6_port = htons(opt.port) };
	int one = 1, fd, s = socket(AF_INET6, SOCK_STREAM, 0);

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (s < 0 || bind(s, (void *)&sa, sizeof(sa)) || listen(s, 1))
		die("listen on port %d", opt.port);
	fd = accept(s, NULL, NULL);
	if (fd < 0)
		die("accept");
	close(s);
	return fd;
}

/* The server may not be up yet: try for ten seconds, asleep in between. */
static int tcp_connect(void)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *ai;
	char port[8];
	int i, fd;

	snprintf(port, sizeof(port), "%d", opt.port);
	if (getaddrinfo(opt.server, port, &hints, &ai))
		die("no address: %s", opt.server);
	for (i = 0; i < 200; i++) {
		fd = socket(ai->ai_family, SOCK_STREAM, 0);
		if (!connect(fd, ai->ai_addr, ai->ai_addrlen))
			return fd;
		close(fd);
		usleep(50000);
	}
	die("connect to %s", opt.server);
	return -1;
}

static void swap(int fd, const void *mine, void *theirs, size_t len)
{
	size_t got = 0;
	ssize_t n;

	if (write(fd, mine, len) != (ssize_t)len)
		die("the other end is gone");
	for (; got < len; got += n) {
		n = read(fd, (char *)theirs + got, len - got);
		if (n <= 0)
			die("the other end is gone");
	}
}

/* ---- verbs ------------------------------------------------------------------------------ */

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **d;

	for (d = list; d && *d; d++)
		if (!opt.dev || !strcmp(ibv_get_device_name(*d), opt.dev))
			break;
	if (!d || !*d) {
		errno = 0;
		die("no device %s", opt.dev ? opt.dev : "at all");
	}
	ctx = ibv_open_device(*d);
	if (!ctx)
		die("open %s", ibv_get_device_name(*d));
	ibv_free_device_list(list);
}

static void make_objects(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = opt.depth, .max_recv_wr = opt.depth, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	int access = IBV_ACCESS_LOCAL_WRITE | attr.qp_access_flags;

	if (opt.relaxed)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	buf = aligned_alloc(4096, ((size_t)opt.size * opt.depth + 4095) & ~4095ul);
	channel = ibv_create_comp_channel(ctx);
	pd = ibv_alloc_pd(ctx);
	if (!buf || !channel || !pd)
		die("channel or protection domain");
	mr = ibv_reg_mr(pd, buf, (size_t)opt.size * opt.depth, access);
	cq = ibv_create_cq(ctx, opt.depth + 1, NULL, channel, 0);
	if (!mr || !cq)
		die("memory region or completion queue");
	init.send_cq = cq;
	init.recv_cq = cq;
	qp = ibv_create_qp(pd, &init);
	if (!qp)
		die("queue pair");
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("queue pair to INIT");
}

static struct hello introduce(void)
{
	struct hello h = { .addr = (uintptr_t)buf, .rkey = mr->rkey, .qpn = qp->qp_num, .psn = 1000, .mtu = opt.mtu };

	if (ibv_query_gid(ctx, 1, opt.gid_index, &h.gid))
		die("GID %d", opt.gid_index);
	return h;
}

static enum ibv_mtu mtu_code(uint32_t mtu)
{
	struct ibv_port_attr port;
	enum ibv_mtu code = IBV_MTU_256;

	while (code < IBV_MTU_4096 && 128u << (code + 1) <= mtu)
		code++;
	if (!ibv_query_port(ctx, 1, &port) && code > port.active_mtu)
		code = port.active_mtu;
	return code;
}

static void connect_qp(const struct hello *peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu_code(peer->mtu),
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = 16,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1, .port_num = 1,
			.grh = { .dgid = peer->gid, .sgid_index = opt.gid_index, .hop_limit = 64 },
		},
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("queue pair to RTR");
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = opt.timeout;
	attr.retry_cnt = opt.retry;
	attr.rnr_retry = 7;
	attr.sq_psn = 1000;
	attr.max_rd_atomic = 16;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("queue pair to RTS");
}

static void post_send(uint64_t i, const struct hello *peer)
{
	struct ibv_sge sge = { .addr = (uintptr_t)slot(i), .length = opt.size, .lkey = mr->lkey };
	struct ibv_send_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED }, *bad;

	wr.opcode = opt.op == WRITE ? IBV_WR_RDMA_WRITE : opt.op == READ ? IBV_WR_RDMA_READ : IBV_WR_SEND;
	wr.wr.rdma.remote_addr = peer->addr + i % opt.depth * opt.size;
	wr.wr.rdma.rkey = peer->rkey;
	if (opt.op != READ)
		fill(i);
	errno = ibv_post_send(qp, &wr, &bad);
	if (errno)
		die("post %s", op_names[opt.op]);
}

static void post_recv(uint64_t i)
{
	struct ibv_sge sge = { .addr = (uintptr_t)slot(i), .length = opt.size, .lkey = mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

	errno = ibv_post_recv(qp, &wr, &bad);
	if (errno)
		die("post receive");
}

/* Sleeps until there is a completion; arms before it looks the last time. */
static void next_completion(uint64_t expected)
{
	struct ibv_wc wc;
	struct ibv_cq *which;
	void *context;
	int n;

	for (;;) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (!n) {
			if (ibv_req_notify_cq(cq, 0))
				die("arm");
			n = ibv_poll_cq(cq, 1, &wc);
		}
		if (n)
			break;
		if (ibv_get_cq_event(channel, &which, &context))
			die("completion event");
		ibv_ack_cq_events(which, 1);
	}
	errno = 0;
	if (n < 0)
		die("poll");
	if (wc.status)
		die("message %llu: %s", (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
	if (wc.wr_id != expected)
		die("message %llu completed where %llu was due", (unsigned long long)wc.wr_id,
		    (unsigned long long)expected);
}

static void active(const struct hello *peer)
{
	uint64_t posted = 0, done = 0;
	double start = now(), took;

	while (done < opt.count) {
		for (; posted < opt.count && posted - done < opt.depth; posted++)
			post_send(posted, peer);
		next_completion(done);
		if (opt.op == READ)
			check(done % opt.depth);
		done++;
	}
	took = now() - start;
	printf("%s %u B x %llu, %u outstanding: %.2f MB/s %.3f us/message\n", op_names[opt.op], opt.size,
	       (unsigned long long)opt.count, opt.depth, took ? opt.count * (double)opt.size / took / 1e6 : 0,
	       took / opt.count * 1e6);
}

/* The receiving side: of Writes it sees nothing until the other end says that it is done. */
static void passive(void)
{
	uint64_t i;

	if (opt.op != SEND)
		return;
	for (i = 0; i < opt.count; i++) {
		next_completion(i);
		check(i);
		if (i + opt.depth < opt.count)
			post_recv(i + opt.depth);
	}
}

static void check_written(void)
{
	uint64_t i = opt.count > opt.depth ? opt.count - opt.depth : 0;

	for (; opt.op == WRITE && i < opt.count; i++)
		check(i);
}

static void usage(void)
{
	fputs("usage: verbs-bw [-d DEVICE] [-g GID-INDEX] [-o write|send|read] [-s SIZE] [-n COUNT]\n"
	      "                [-q OUTSTANDING] [-m MTU] [-T TIMEOUT] [-R RETRIES] [-r] [-u] [-p PORT] [SERVER]\n"
	      "-r registers memory with relaxed ordering; -u leaves the contents unchecked, for speed in\n"
	      "real time. Without SERVER: the passive end, which must be given the same -o, -s, -n, -q.\n", stderr);
	exit(2);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:g:o:s:n:q:m:T:R:rup:")) != -1) {
		switch (c) {
		case 'd': opt.dev = optarg; break;
		case 'g': opt.gid_index = atoi(optarg); break;
		case 's': opt.size = strtoul(optarg, NULL, 0); break;
		case 'n': opt.count = strtoull(optarg, NULL, 0); break;
		case 'q': opt.depth = strtoul(optarg, NULL, 0); break;
		case 'm': opt.mtu = strtoul(optarg, NULL, 0); break;
		case 'T': opt.timeout = atoi(optarg); break;
		case 'R': opt.retry = atoi(optarg); break;
		case 'p': opt.port = atoi(optarg); break;
		case 'r': opt.relaxed = true; break;
		case 'u': opt.unchecked = true; break;
		case 'o':
			for (opt.op = WRITE; opt.op <= READ && strcmp(optarg, op_names[opt.op]);)
				opt.op++;
			if (opt.op <= READ)
				break;
			/* fall through */
		default: usage();
		}
	}
	if (!opt.size || !opt.depth || !opt.count)
		usage();
	opt.server = argv[optind];
}

int main(int argc, char **argv)
{
	struct hello mine, peer;
	char ready = 'r', other;
	uint64_t i;
	int fd;

	parse(argc, argv);
	open_device();
	make_objects();
	if (!opt.server && opt.op == SEND)
		for (i = 0; i < opt.depth && i < opt.count; i++)
			post_recv(i);
	if (!opt.server && opt.op == READ)
		for (i = 0; i < opt.depth; i++)
			fill(i);
	fd = opt.server ? tcp_connect() : tcp_listen();
	mine = introduce();
	swap(fd, &mine, &peer, sizeof(mine));
	connect_qp(&peer);
	swap(fd, &ready, &other, 1);
	if (opt.server)
		active(&peer);
	else
		passive();
	swap(fd, &ready, &other, 1);
	if (!opt.server)
		check_written();
	if (wrong) {
		errno = 0;
		die("%llu messages with wrong contents", (unsigned long long)wrong);
	}
	return 0;
}
