// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbells: the uverbs post commands without work requests, which make the kernel look at a ring. Written
 * straight to the command descriptor, the shortest way in. uverbs refuses that with EACCES after the process
 * changed its credentials or inherited the descriptor; the ioctl of libibverbs then does the same.
 */
#include "metaroce.h"

#include <unistd.h>

static int ring_doorbell(int fd, const void *cmd, size_t len)
{
	ssize_t n = write(fd, cmd, len);

	if (n == (ssize_t)len)
		return 0;
	return n < 0 ? errno : EIO;
}

static struct ib_uverbs_cmd_hdr header(uint32_t command, size_t len, size_t resp_len)
{
	return (struct ib_uverbs_cmd_hdr) {
		.command = command,
		.in_words = len / 4,
		.out_words = resp_len / 4,
	};
}

int mroce_doorbell_send(struct ibv_qp *qp)
{
	struct ib_uverbs_post_send_resp resp;
	struct ibv_send_wr *bad;
	struct ibv_post_send cmd = {
		.hdr = header(IB_USER_VERBS_CMD_POST_SEND, sizeof(cmd), sizeof(resp)),
		.core_payload = {
			.response = (uintptr_t)&resp,
			.qp_handle = qp->handle,
			.wqe_size = sizeof(struct ib_uverbs_send_wr),
		},
	};
	int err = ring_doorbell(qp->context->cmd_fd, &cmd, sizeof(cmd));

	return err == EACCES ? ibv_cmd_post_send(qp, NULL, &bad) : err;
}

int mroce_doorbell_recv(struct ibv_qp *qp)
{
	struct ib_uverbs_post_recv_resp resp;
	struct ibv_recv_wr *bad;
	struct ibv_post_recv cmd = {
		.hdr = header(IB_USER_VERBS_CMD_POST_RECV, sizeof(cmd), sizeof(resp)),
		.core_payload = {
			.response = (uintptr_t)&resp,
			.qp_handle = qp->handle,
			.wqe_size = sizeof(struct ib_uverbs_recv_wr),
		},
	};
	int err = ring_doorbell(qp->context->cmd_fd, &cmd, sizeof(cmd));

	return err == EACCES ? ibv_cmd_post_recv(qp, NULL, &bad) : err;
}
