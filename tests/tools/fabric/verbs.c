// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Device, queue pairs, work requests and completion events of the rank that this process is. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "metaroce_dv.h"

#include "../netns.h"
#include "fabric.h"

static const enum ibv_wr_opcode opcodes[] = {
	[WRITE] = IBV_WR_RDMA_WRITE,
	[SEND] = IBV_WR_SEND,
	[READ] = IBV_WR_RDMA_READ,
};

static struct ibv_context *ctx;
static struct ibv_comp_channel *channel;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static int gid_index;
static struct ibv_qp **qps; /* by flow */

static void open_by_name(const char *name)
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
		if (!ibv_query_gid_ex(ctx, 1, gid_index, &entry, 0) &&
		    entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !memcmp(&entry.gid, &want, sizeof(want)))
			return;
	}
	wrong("%s is no GID of it", addr);
}

static void make_objects(const struct rank *r)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	struct flow *f;
	int cqe = 1;

	for_my_flows (f)
		cqe += sends(f) + receives(f);
	channel = ibv_create_comp_channel(ctx);
	pd = ibv_alloc_pd(ctx);
	if (!channel || !pd)
		die("channel or protection domain");
	mr = ibv_reg_mr(pd, r->mem, r->len,
			access | (opt.relaxed ? IBV_ACCESS_RELAXED_ORDERING : 0));
	if (!mr)
		die("memory region of %zu bytes", r->len);
	cq = ibv_create_cq(ctx, cqe, NULL, channel, 0);
	if (!cq)
		die("completion queue of %d", cqe);
}

void open_device(const struct rank *r)
{
	if (!enter_ns(r->ns))
		die("namespace %s", r->ns);
	open_by_name(r->dev);
	find_gid(r->addr);
	make_objects(r);
}

static struct ibv_qp *make_qp(const struct flow *f)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = sends(f),
			 .max_recv_wr = receives(f),
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp)
		die("queue pair");
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("queue pair to INIT");
	return qp;
}

void make_qps(void)
{
	struct flow *f;

	qps = calloc(sh->nflows, sizeof(*qps));
	for_my_flows (f) {
		struct end *end = &f->ends[my_side(f)];

		qps[index_of(f)] = make_qp(f);
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

	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("queue pair to RTR");
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = opt.timeout;
	attr.retry_cnt = opt.retry;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 16;
	if (ibv_modify_qp(qp, &attr,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("queue pair to RTS");
}

void connect_qps(void)
{
	struct flow *f;

	for_my_flows (f)
		connect_qp(f);
}

/* What the connections of ours that send may use (-P), if it was said */
void limit_paths(void)
{
	struct metaroce_dv_modify modify = {
		.comp_mask = METAROCE_DV_MODIFY_MAX_PATHS,
		.max_paths = opt.paths[me],
	};
	struct flow *f;

	for_my_flows (f) {
		if (!opt.paths[me] || f->rank[FROM] != me)
			continue;
		errno = metaroce_dv_modify_conn(qps[index_of(f)], &modify, sizeof(modify));
		if (errno)
			die("%u paths", opt.paths[me]);
	}
}

/* None if the device is another's. */
void count_paths(void)
{
	struct metaroce_dv_path paths[MAX_PATHS];
	struct metaroce_dv_conn conn;
	struct flow *f;
	ssize_t n;

	for_my_flows (f) {
		if (f->rank[FROM] != me)
			continue;
		n = metaroce_dv_query_paths(qps[index_of(f)], paths, MAX_PATHS);
		while (n-- > 0)
			f->paths += !!paths[n].accepted;
		if (!metaroce_dv_query_conn(qps[index_of(f)], &conn, sizeof(conn)))
			f->used = conn.used_paths;
	}
}

static uint64_t wr_id(const struct flow *f, uint64_t what, uint64_t message)
{
	return (uint64_t)index_of(f) << ID_FLOW_SHIFT | what | message;
}

void post_receive(struct flow *f, uint64_t message)
{
	struct ibv_sge sge = { .addr = (uintptr_t)slot(f, my_side(f), message),
			       .length = f->size,
			       .lkey = mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id(f, ID_RECEIVE, message),
				  .sg_list = &sge,
				  .num_sge = 1 },
			   *bad;

	errno = ibv_post_recv(qps[index_of(f)], &wr, &bad);
	if (errno)
		die("post a receive");
}

void post(struct flow *f, uint8_t *from, uint64_t message)
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

bool poll_one(struct ibv_wc *wc)
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
void await(double until)
{
	struct pollfd fds[2] = {
		{ .fd = channel->fd, .events = POLLIN },
		{ .fd = sh->ranks[me].bell, .events = POLLIN },
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
