/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What differs between the kernels that the driver builds for: 6.12 is the reference, 6.1 builds
 * too. The rest of the code is written for the reference, and uses the names below where the two
 * differ.
 */
#ifndef MROCE_COMPAT_H
#define MROCE_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}
#endif

/* 6.11: create_cq() gets the whole bundle of attributes; names given by the user are marked */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define mroce_create_cq_arg	ib_udata
static inline struct ib_udata *mroce_cq_udata(struct ib_udata *udata)
{
	return udata;
}

static inline void ib_mark_name_assigned_by_user(struct ib_device *ib)
{
}
#else
#define mroce_create_cq_arg	uverbs_attr_bundle
static inline struct ib_udata *mroce_cq_udata(struct uverbs_attr_bundle *attrs)
{
	return attrs ? &attrs->driver_udata : NULL;
}
#endif

#endif /* MROCE_COMPAT_H */
