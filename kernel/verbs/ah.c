// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles. Created by uverbs in process context, by kernel consumers in any. A user's send
 * names one by number; the number leads to the address vector, which outlives the handle while a
 * send uses it.
 */
#include <linux/slab.h>
#include "verbs.h"

static struct mroce_av *mroce_av_create(const struct ib_pd *pd, const struct rdma_ah_attr *attr,
					gfp_t gfp)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	struct mroce_av *av = kzalloc(sizeof(*av), gfp);

	if (!av)
		return NULL;
	refcount_set(&av->ref, 1);
	rdma_hold_gid_attr(grh->sgid_attr);
	av->sgid = grh->sgid_attr;
	av->pd = pd;
	av->dgid = grh->dgid;
	av->tclass = grh->traffic_class;
	av->hop_limit = grh->hop_limit;
	return av;
}

void mroce_av_put(struct mroce_av *av)
{
	if (!av || !refcount_dec_and_test(&av->ref))
		return;
	rdma_put_gid_attr(av->sgid);
	kfree_rcu(av, rcu);
}

/* The address vector behind a number, referenced, or NULL. */
struct mroce_av *mroce_av_find(struct mroce_dev *dev, u32 num)
{
	struct mroce_av *av;

	rcu_read_lock();
	av = xa_load(&dev->ahs, num);
	if (av && !refcount_inc_not_zero(&av->ref))
		av = NULL;
	rcu_read_unlock();
	return av;
}

static int mroce_ah_number(struct mroce_ah *ah, struct ib_udata *udata)
{
	struct mroce_dev *dev = to_mdev(ah->ib.device);
	struct mroce_create_ah_resp resp = {};
	int err;

	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	err = xa_alloc_cyclic(&dev->ahs, &ah->num, ah->av, XA_LIMIT(1, U32_MAX), &dev->next_ah,
			      GFP_KERNEL);
	if (err < 0)
		return err;
	resp.ah_num = ah->num;
	err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (err)
		xa_erase(&dev->ahs, ah->num);
	return err;
}

/* ib_device_ops.create_ah and .create_user_ah */
int mroce_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	const struct rdma_ah_attr *attr = init->ah_attr;
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	struct mroce_dev *dev = to_mdev(ibah->device);
	struct mroce_ah *ah = to_mah(ibah);
	int err = -ENOMEM;

	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !grh->sgid_attr)
		return -EINVAL;
	if (rdma_is_multicast_addr((struct in6_addr *)grh->dgid.raw))
		return -EOPNOTSUPP;
	if (!mroce_count_in(&dev->n_ahs, MROCE_MAX_OBJECTS))
		return err;

	ah->av = mroce_av_create(ibah->pd, attr, init->flags & RDMA_CREATE_AH_SLEEPABLE ?
				 GFP_KERNEL : GFP_ATOMIC);
	if (!ah->av)
		goto err_count;
	ah->attr = *attr;
	ah->attr.grh.sgid_attr = NULL;	/* ib_core owns that reference */
	err = udata ? mroce_ah_number(ah, udata) : 0;
	if (!err)
		return 0;
	mroce_av_put(ah->av);
err_count:
	atomic_dec(&dev->n_ahs);
	return err;
}

int mroce_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_mah(ibah)->attr;
	return 0;
}

int mroce_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct mroce_dev *dev = to_mdev(ibah->device);
	struct mroce_ah *ah = to_mah(ibah);

	if (ah->num)
		xa_erase(&dev->ahs, ah->num);
	mroce_av_put(ah->av);
	atomic_dec(&dev->n_ahs);
	return 0;
}
