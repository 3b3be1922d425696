/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A kernel and a libibverbs for tests of the provider: the commands that it calls, rings in a memfd that
 * stands for the command descriptor, and a finger on every call that may fail. Tests play the driver on the
 * rings by the helpers at the end.
 */
#ifndef METAROCE_TESTS_PROVIDER_FAKE_UVERBS_H
#define METAROCE_TESTS_PROVIDER_FAKE_UVERBS_H

#include "metaroce.h"

#define FAKE_SGES	4U
#define FAKE_INLINE	64U

/**
 * struct fake - what the fake is told, and what it saw
 * @dev_ops: what the provider registered
 * @ops: what the provider's context set last
 * @fail_in: the n-th call from now on that may fail does so; 0 is none
 * @fail_err: how a command fails
 * @gone: the device is disassociated: commands answer EIO
 * @write_err: how write(2) on the command descriptor fails; 0 does not
 * @doorbells: POST_SEND, POST_RECV, POST_SRQ_RECV commands by write(2)
 * @ioctls: doorbells by ibv_cmd_post_*
 * @live: objects of the kernel
 * @maps: mappings of the provider
 * @ioctl_err: how an ioctl of the driver's own fails; 0 does not
 * @ioctl: the last such ioctl's method
 * @ioctl_attrs: its attributes, each id's data at the id's number below the namespace
 * @ioctl_lens: and its length
 * @ioctl_num: how many
 * @num_paths: of the connection that such ioctls tell of
 * @bad_ring: responses describe rings that do not fit their mapping
 */
struct fake {
	const struct verbs_device_ops *dev_ops;
	struct verbs_context_ops ops;
	int fail_in;
	int fail_err;
	bool gone;
	int write_err;
	int doorbells[3];
	int ioctls;
	int live;
	int maps;
	int ioctl_err;
	uint16_t ioctl;
	uint64_t ioctl_attrs[4];
	uint16_t ioctl_lens[4];
	int ioctl_num;
	uint32_t num_paths;
	bool bad_ring;
	uint32_t next_qpn;
	uint32_t last_handle;
};

extern struct fake fake;

struct ibv_context *fake_open(void);
void fake_close(struct ibv_context *ctx);

/* What applications use, through the provider's operations. */
struct ibv_cq *fake_create_cq(struct ibv_context *ctx, int cqe);
struct ibv_qp *fake_create_qp(struct ibv_pd *pd, struct ibv_cq *send, struct ibv_cq *recv,
			      struct ibv_srq *srq, enum ibv_qp_type type);
int fake_modify_qp(struct ibv_qp *qp, enum ibv_qp_state state);

/* The driver's side. */
struct mroce_ring *fake_sq(struct ibv_qp *qp);
struct mroce_ring *fake_rq(struct ibv_qp *qp);
struct mroce_ring *fake_cq(struct ibv_cq *cq);
struct mroce_ring *fake_srq(struct ibv_srq *srq);
struct mroce_send_wqe *fake_send_wqe(struct ibv_qp *qp, uint32_t counter);
void fake_complete(struct ibv_cq *cq, const struct mroce_cqe *cqe);
void fake_send_done(struct ibv_qp *qp, uint32_t counter);

#endif /* METAROCE_TESTS_PROVIDER_FAKE_UVERBS_H */
