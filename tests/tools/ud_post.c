// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posts many datagrams from a new UD queue pair in one call, without another after it, and waits for the completion of
 * each, in order.
 *
 * usage: ud_post DEVICE NUMBER
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#define QKEY	0x11111111
#define LIMIT	10	/* seconds */

#define NEED(cond) do { if (!(cond)) { perror(#cond); exit(1); } } while (0)

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return ibv_open_device(list[i]);
	return NULL;
}

/* The first IPv4 address of the device: datagrams go to ourselves. */
static struct ibv_ah *own_address(struct ibv_context *ctx, struct ibv_pd *pd)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1, .grh.hop_limit = 64 };
	int i;

	for (i = 0; !ibv_query_gid(ctx, 1, i, &attr.grh.dgid); i++)
		if (!memcmp(attr.grh.dgid.raw, v4, sizeof(v4))) {
			attr.grh.sgid_index = i;
			return ibv_create_ah(pd, &attr);
		}
	return NULL;
}

static struct ibv_qp *ready_qp(struct ibv_pd *pd, struct ibv_cq *cq, uint32_t n)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD, .sq_sig_all = 1,
		.cap = { .max_send_wr = n, .max_send_sge = 1 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	NEED(qp);
	NEED(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	NEED(!ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	NEED(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	return qp;
}

int main(int argc, char **argv)
{
	uint32_t i, n = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
	time_t end = time(NULL) + LIMIT;
	struct ibv_send_wr *wr, *bad;
	struct ibv_context *ctx;
	struct ibv_wc wc;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;

	NEED(n);
	NEED(ctx = open_device(argv[1]));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(cq = ibv_create_cq(ctx, n, NULL, NULL, 0));
	NEED(ah = own_address(ctx, pd));
	qp = ready_qp(pd, cq, n);
	NEED(wr = calloc(n, sizeof(*wr)));
	for (i = 0; i < n; i++) {
		wr[i].wr_id = i;
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
		wr[i].opcode = IBV_WR_SEND;
		wr[i].wr.ud.ah = ah;
		wr[i].wr.ud.remote_qpn = qp->qp_num;
		wr[i].wr.ud.remote_qkey = QKEY;
	}
	NEED(!ibv_post_send(qp, wr, &bad));
	for (i = 0; i < n && time(NULL) < end; ) {
		int got = ibv_poll_cq(cq, 1, &wc);

		NEED(got >= 0);
		if (!got) {
			usleep(1000);
			continue;
		}
		if (wc.wr_id != i || wc.status != IBV_WC_SUCCESS) {
			printf("completion %u is %u, %s\n", i, (unsigned)wc.wr_id, ibv_wc_status_str(wc.status));
			return 1;
		}
		i++;
	}
	printf("completed=%u\n", i);
	return i == n ? 0 : 1;
}
