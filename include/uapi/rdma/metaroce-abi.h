/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * The kernel/user ABI of the metaroce driver: what passes through uverbs beside the core
 * commands, and the layout of the rings that an application shares with the kernel.
 *
 * Rings.  Every CQ, SQ, RQ and SRQ of a user context is one mmap()ed block: a struct mroce_ring,
 * then @entries slots of @stride bytes from MROCE_RING_ENTRIES on.  prod and cons are free-
 * running counters; the slot of counter c is c & (entries - 1).  Each counter has one writer.
 * The kernel copies a slot once and validates the copy; it never trusts a counter that user
 * space can write.
 *
 * ring | prod   | cons                                   | doorbell
 * -----|--------|----------------------------------------|---------------------------------------
 * SQ   | user   | kernel, when it has copied the slot    | uverbs POST_SEND without work requests
 * RQ   | user   | kernel, when the receive has completed | POST_RECV while MROCE_RING_F_DB is set
 * SRQ  | user   | kernel, when it has copied the slot    | none
 * CQ   | kernel | user                                   | none; armed by writing @arm
 *
 * A send queue entry is free again when a completion reports its @wqe_cnt or a later one. When a
 * QP goes to RESET, each side sets its counters of SQ and RQ to 0, the kernel first, and user
 * space removes the QP's completions from its CQs; so it does after the QP's destruction.
 */
#ifndef METAROCE_ABI_H
#define METAROCE_ABI_H

#include <linux/types.h>

/* Outside every range that another provider accepts, so that none takes the device by its name. */
#define MROCE_UVERBS_ABI_VERSION	32

/* A private number: RDMA_DRIVER_* has none for this driver. The provider matches on it alone. */
#define MROCE_DRIVER_ID			0x4d526f43

#define MROCE_RING_ENTRIES		256	/* offset of the first slot */
/* flags of an RQ: the kernel wants a doorbell for each post (the QP is in error) */
#define MROCE_RING_F_DB			1U

/* mroce_ring.arm; the kernel swaps it for MROCE_ARM_NONE when it raises the event */
#define MROCE_ARM_NONE			0U
#define MROCE_ARM_SOLICITED		1U
#define MROCE_ARM_NEXT			2U

struct mroce_ring {
	__u32 prod;
	__u32 rsvd0[15];
	__u32 cons;
	__u32 rsvd1[15];
	__u32 arm;
	__u32 rsvd2[15];
	__u32 dead;
	__u32 flags;
	__u32 rsvd3[14];
};

struct mroce_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/* mroce_send_wqe.flags: the low bits are IBV_SEND_* (FENCE 1, SIGNALED 2, SOLICITED 4, INLINE 8) */
#define MROCE_WQE_F_FENCE		1U
#define MROCE_WQE_F_SIGNALED		2U
#define MROCE_WQE_F_SOLICITED		4U
#define MROCE_WQE_F_INLINE		8U

/*
 * One send work request; opcode is an IBV_WR_* value. num_sge mroce_sge entries follow, or
 * inline_len bytes with MROCE_WQE_F_INLINE. imm is the immediate in network order, or the rkey
 * to invalidate in host order; bind: a key that the window had, of which the upper 24 bits name
 * it. rkey of a bind is the key that it gets.
 */
struct mroce_send_wqe {
	__aligned_u64 wr_id;
	__u32 opcode;
	__u32 flags;
	__u16 num_sge;
	__u16 inline_len;
	__u32 imm;
	__u32 rkey;
	__u32 remote_qpn;		/* UD */
	__aligned_u64 remote_addr;
	__aligned_u64 compare_add;	/* atomics; bind: address of the window */
	__aligned_u64 swap;		/* atomics; bind: length of the window */
	__u32 remote_qkey;		/* UD; bind: access flags */
	__u32 ah;			/* UD: ah_num of the address; bind: lkey of the region */
};

/* One receive work request; num_sge mroce_sge entries follow. */
struct mroce_recv_wqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 rsvd;
};

/* One completion. status, opcode and wc_flags are IBV_WC_* values. */
struct mroce_cqe {
	__aligned_u64 wr_id;
	__aligned_u64 timestamp;	/* ns of CLOCK_REALTIME, when it was made */
	__u32 status;
	__u32 opcode;
	__u32 byte_len;
	__u32 imm;			/* network order, or the invalidated rkey in host order */
	__u32 qp_num;
	__u32 src_qp;
	__u32 wc_flags;
	__u32 vendor_err;
	__u32 wqe_cnt;			/* counter of the work request in its SQ or RQ */
	__u16 pkey_index;
	__u8 sl;
	__u8 is_recv;
	__u32 rsvd[2];
};

struct mroce_alloc_ucontext_req {
	__u32 comp_mask;
	__u32 rsvd;
};

struct mroce_alloc_ucontext_resp {
	__u32 comp_mask;
	__u32 max_inline;		/* largest inline_len the driver takes */
};

struct mroce_create_cq_resp {
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_len;
	__u32 entries;
	__u32 stride;
};

/*
 * A new ring; the kernel moves unpolled completions into it, sets its cons and prod accordingly
 * (user space goes on from the cons it finds there) and takes arm along. User space does not
 * poll meanwhile.
 */
struct mroce_resize_cq_resp {
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_len;
	__u32 entries;
	__u32 stride;
};

/* rq_entries is 0 with an SRQ or without receive work requests. */
struct mroce_create_qp_resp {
	__aligned_u64 sq_mmap_offset;
	__aligned_u64 sq_mmap_len;
	__aligned_u64 rq_mmap_offset;
	__aligned_u64 rq_mmap_len;
	__u32 sq_entries;
	__u32 sq_stride;
	__u32 rq_entries;
	__u32 rq_stride;
};

struct mroce_create_srq_resp {
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_len;
	__u32 entries;
	__u32 stride;
};

struct mroce_create_ah_resp {
	__u32 ah_num;
};

#endif /* METAROCE_ABI_H */
