// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Direct verbs on a queue pair of one device to one of another. It posts Writes, prints what the
 * connection and each path tell, sets what it is asked to, and does both again.
 *
 * usage: dv [-p MAX-PATHS] [-m PLANE-MASK] DEVICE GID-INDEX PEER-DEVICE PEER-GID-INDEX
 *        dv -n|-u DEVICE
 *	-n	only ask before the queue pair is connected
 *	-u	with a UD queue pair
 * Its status is the errno of the first call that failed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "metaroce_dv.h"

#define SIZE	(1 << 20)
#define PATHS	128

struct end {
	struct ibv_context *ctx;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	int gid_index;
	union ibv_gid gid;
};

static void die(const char *what, int err)
{
	fprintf(stderr, "dv: %s: %s\n", what, strerror(err));
	exit(err);
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (; list && *list; list++)
		if (!strcmp(ibv_get_device_name(*list), name))
			ctx = ibv_open_device(*list);
	if (!ctx)
		die(name, ENODEV);
	return ctx;
}

static void create(struct end *e, const char *device, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 16, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = type,
		.sq_sig_all = 1,
	};
	struct ibv_pd *pd;

	e->ctx = open_device(device);
	e->channel = ibv_create_comp_channel(e->ctx);
	pd = ibv_alloc_pd(e->ctx);
	init.send_cq = ibv_create_cq(e->ctx, 32, NULL, e->channel, 0);
	init.recv_cq = init.send_cq;
	e->mr = ibv_reg_mr(pd, calloc(1, SIZE), SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	e->qp = init.send_cq && e->mr ? ibv_create_qp(pd, &init) : NULL;
	if (!e->qp)
		die("create", errno);
}

static void find_gid(struct end *e, const char *index)
{
	e->gid_index = atoi(index);
	if (ibv_query_gid(e->ctx, 1, e->gid_index, &e->gid))
		die("GID", errno);
}

static void connect_qp(struct end *e, const struct end *peer)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };

	if (ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("INIT", errno);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = e->gid_index, .dgid = peer->gid, .hop_limit = 64 } },
	};
	if (ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("RTR", errno);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1,
	};
	if (ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("RTS", errno);
}

/* Waits by event: in simulated time nothing may poll. */
static void write_some(const struct end *e, const struct end *peer)
{
	struct ibv_sge sge = { .addr = (uintptr_t)e->mr->addr, .length = SIZE, .lkey = e->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = (uintptr_t)peer->mr->addr, .rkey = peer->mr->rkey },
	};
	struct ibv_cq *cq = e->qp->send_cq;
	struct ibv_wc wc;
	void *arg;
	int i;

	for (i = 0; i < 8; i++) {
		ibv_req_notify_cq(cq, 0);
		if (ibv_post_send(e->qp, &wr, &bad) || ibv_get_cq_event(e->channel, &cq, &arg))
			die("post", errno);
		ibv_ack_cq_events(cq, 1);
		if (ibv_poll_cq(cq, 1, &wc) != 1 || wc.status)
			die("completion", EIO);
	}
}

static void show(struct ibv_qp *qp)
{
	struct metaroce_dv_path paths[PATHS];
	struct metaroce_dv_conn conn;
	ssize_t i, n;
	int err = metaroce_dv_query_conn(qp, &conn, sizeof(conn));

	if (err)
		die("query_conn", err);
	printf("conn paths=%u max=%u used=%u planes=%u mask=%#x hint=%#x qps=%u accepted=%llu cwnd=%llu\n",
	       conn.num_paths, conn.max_paths, conn.used_paths, conn.num_planes, conn.plane_mask, conn.hint,
	       conn.num_qps, (unsigned long long)conn.accepted, (unsigned long long)conn.cwnd);
	n = metaroce_dv_query_paths(qp, paths, PATHS);
	if (n < 0)
		die("query_paths", -n);
	for (i = 0; i < n; i++)
		printf("path index=%u state=%u plane=%u if=%u port=%u srtt_ns=%llu cwnd=%u accepted=%u\n",
		       paths[i].index, paths[i].state, paths[i].plane, paths[i].ifindex, paths[i].sport,
		       (unsigned long long)paths[i].srtt_ns, paths[i].cwnd, paths[i].accepted);
}

int main(int argc, char **argv)
{
	struct metaroce_dv_modify modify = {};
	struct end a = {}, b = {};
	int opt, err, alone = 0;

	while ((opt = getopt(argc, argv, "p:m:nu")) != -1)
		switch (opt) {
		case 'p':
			modify.max_paths = strtoul(optarg, NULL, 0);
			modify.comp_mask |= METAROCE_DV_MODIFY_MAX_PATHS;
			break;
		case 'm':
			modify.plane_mask = strtoul(optarg, NULL, 0);
			modify.comp_mask |= METAROCE_DV_MODIFY_PLANE_MASK;
			break;
		case 'n': alone = IBV_QPT_RC; break;
		case 'u': alone = IBV_QPT_UD; break;
		default: return 2;
		}
	if (argc - optind != (alone ? 1 : 4))
		return 2;
	argv += optind;
	create(&a, argv[0], alone ? alone : IBV_QPT_RC);
	if (alone) {
		show(a.qp);
		return 0;
	}
	create(&b, argv[2], IBV_QPT_RC);
	find_gid(&a, argv[1]);
	find_gid(&b, argv[3]);
	connect_qp(&b, &a);
	connect_qp(&a, &b);
	write_some(&a, &b);
	show(a.qp);
	if (!modify.comp_mask)
		return 0;
	err = metaroce_dv_modify_conn(a.qp, &modify, sizeof(modify));
	if (err)
		die("modify_conn", err);
	write_some(&a, &b);
	show(a.qp);
	return 0;
}
