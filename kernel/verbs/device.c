// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ib_device: what it offers, its birth by `rdma link add`, its end by `rdma link del`, by its
 * netdev, or with the module. Process context.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include "verbs.h"

static DEFINE_MUTEX(mroce_add_mutex);	/* one newlink at a time: two may name the same netdev */

static int mroce_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			      struct ib_udata *udata)
{
	if (udata->inlen || udata->outlen)
		return -EINVAL;

	memset(attr, 0, sizeof(*attr));
	attr->sys_image_guid = ib->node_guid;
	attr->vendor_id = MROCE_VENDOR_ID;
	attr->max_mr_size = ~0ULL;
	attr->page_size_cap = ~(PAGE_SIZE - 1);
	attr->device_cap_flags = IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 IB_DEVICE_MEM_MGT_EXTENSIONS |
				 IB_DEVICE_MEM_WINDOW |
				 IB_DEVICE_MEM_WINDOW_TYPE_2B;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_LOCAL_DMA_LKEY;
	attr->max_qp = MROCE_MAX_OBJECTS;
	attr->max_qp_wr = MROCE_MAX_WR;
	attr->max_send_sge = MROCE_MAX_SGE;
	attr->max_recv_sge = MROCE_MAX_SGE;
	attr->max_sge_rd = MROCE_MAX_SGE;
	attr->max_cq = MROCE_MAX_OBJECTS;
	attr->max_cqe = MROCE_MAX_CQE;
	attr->max_mr = MROCE_MAX_OBJECTS;
	attr->max_mw = MROCE_MAX_OBJECTS;
	attr->max_pd = MROCE_MAX_OBJECTS;
	attr->max_ah = MROCE_MAX_OBJECTS;
	attr->max_srq = MROCE_MAX_OBJECTS;
	attr->max_srq_wr = MROCE_MAX_WR;
	attr->max_srq_sge = MROCE_MAX_SGE;
	attr->max_qp_rd_atom = MROCE_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = MROCE_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = MROCE_MAX_RD_ATOMIC * MROCE_MAX_OBJECTS;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->max_fast_reg_page_list_len = MROCE_MAX_FAST_PAGES;
	attr->max_pkeys = 1;
	attr->local_ca_ack_delay = 15;
	attr->timestamp_mask = ~0ULL;
	attr->hca_core_clock = 1000000;	/* kHz: nanoseconds */
	return 0;
}

static void mroce_get_fw_str(struct ib_device *ib, char *str)
{
	str[0] = '\0';
}

/*
 * ib_unregister_device() is through with everybody: no client, no user context, no object, no GID.
 * What is left is the net half, the work queue and the netdev, in this order: sockets belong to
 * namespaces that netdevs keep.
 */
static void mroce_dealloc_driver(struct ib_device *ib)
{
	struct mroce_dev *dev = to_mdev(ib);

	mroce_net_destroy(dev);
	destroy_workqueue(dev->wq);
	WARN_ON(!xa_empty(&dev->qps));
	WARN_ON(!xa_empty(&dev->mrs));
	WARN_ON(!xa_empty(&dev->ahs));
	xa_destroy(&dev->qps);
	xa_destroy(&dev->mrs);
	xa_destroy(&dev->ahs);
	netdev_put(dev->netdev, &dev->netdev_tracker);
}

static const struct ib_device_ops mroce_dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = (enum rdma_driver_id)MROCE_DRIVER_ID,
	.uverbs_abi_ver = MROCE_UVERBS_ABI_VERSION,

	.add_gid = mroce_net_add_gid,
	.alloc_hw_port_stats = mroce_alloc_port_stats,
	.alloc_mr = mroce_alloc_mr,
	.alloc_mw = mroce_alloc_mw,
	.alloc_pd = mroce_alloc_pd,
	.alloc_ucontext = mroce_alloc_ucontext,
	.create_ah = mroce_create_ah,
	.create_cq = mroce_create_cq,
	.create_qp = mroce_create_qp,
	.create_srq = mroce_create_srq,
	.create_user_ah = mroce_create_ah,
	.dealloc_driver = mroce_dealloc_driver,
	.dealloc_mw = mroce_dealloc_mw,
	.dealloc_pd = mroce_dealloc_pd,
	.dealloc_ucontext = mroce_dealloc_ucontext,
	.del_gid = mroce_net_del_gid,
	.dereg_mr = mroce_dereg_mr,
	.destroy_ah = mroce_destroy_ah,
	.destroy_cq = mroce_destroy_cq,
	.destroy_qp = mroce_destroy_qp,
	.destroy_srq = mroce_destroy_srq,
	.device_group = &mroce_dev_attrs,
	.disassociate_ucontext = mroce_disassociate_ucontext,
	.fill_res_cq_entry = mroce_fill_res_cq,
	.fill_res_mr_entry = mroce_fill_res_mr,
	.fill_res_qp_entry = mroce_fill_res_qp,
	.get_dev_fw_str = mroce_get_fw_str,
	.get_dma_mr = mroce_get_dma_mr,
	.get_hw_stats = mroce_get_stats,
	.get_link_layer = mroce_link_layer,
	.get_port_immutable = mroce_port_immutable,
	.map_mr_sg = mroce_map_mr_sg,
	.mmap = mroce_mmap,
	.mmap_free = mroce_rbuf_free_mmap,
	.modify_qp = mroce_modify_qp,
	.modify_srq = mroce_modify_srq,
	.poll_cq = mroce_poll_cq,
	.post_recv = mroce_post_recv,
	.post_send = mroce_post_send,
	.post_srq_recv = mroce_post_srq_recv,
	.query_ah = mroce_query_ah,
	.query_device = mroce_query_device,
	.query_pkey = mroce_query_pkey,
	.query_port = mroce_query_port,
	.query_qp = mroce_query_qp,
	.query_srq = mroce_query_srq,
	.reg_user_mr = mroce_reg_user_mr,
	.req_notify_cq = mroce_req_notify_cq,
	.rereg_user_mr = mroce_rereg_user_mr,
	.resize_cq = mroce_resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, mroce_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, mroce_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, mroce_mw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, mroce_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, mroce_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, mroce_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, mroce_ucontext, ib),
};

/*
 * The netdev's address, or one made from its name where it has none (tun, lo): never zero, the same
 * for every link.
 */
static void mroce_set_guid(struct ib_device *ib, const struct net_device *ndev)
{
	u8 mac[ETH_ALEN];
	u32 hash;

	if (ndev->addr_len == ETH_ALEN && is_valid_ether_addr(ndev->dev_addr)) {
		ether_addr_copy(mac, ndev->dev_addr);
	} else {
		hash = jhash(ndev->name, strnlen(ndev->name, IFNAMSIZ), ndev->type);
		mac[0] = 0x02;	/* locally administered */
		mac[1] = ndev->type;
		memcpy(mac + 2, &hash, sizeof(hash));
	}
	addrconf_addr_eui48((u8 *)&ib->node_guid, mac);
}

static struct mroce_dev *mroce_device_alloc(struct net_device *ndev)
{
	struct mroce_dev *dev = ib_alloc_device(mroce_dev, ib);

	if (!dev)
		return NULL;
	dev->netdev = ndev;
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC);
	xa_init_flags(&dev->mrs, XA_FLAGS_ALLOC);
	xa_init_flags(&dev->ahs, XA_FLAGS_ALLOC1);
	INIT_WORK(&dev->rescan, mroce_rescan_gids);
	dev->next_qpn = MROCE_MIN_QPN + get_random_u32_below(MROCE_MAX_QPN - MROCE_MIN_QPN);

	dev->ib.node_type = RDMA_NODE_IB_CA;
	dev->ib.phys_port_cnt = 1;
	dev->ib.num_comp_vectors = num_possible_cpus();
	dev->ib.local_dma_lkey = MROCE_LOCAL_DMA_LKEY;
	dev->ib.dev.parent = ndev->dev.parent;
	dev->ib.uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				   BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
				   BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV) |
				   BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	strscpy(dev->ib.node_desc, "MetaRoCE", sizeof(dev->ib.node_desc));
	mroce_set_guid(&dev->ib, ndev);
	return dev;
}

/*
 * The netdev may have left, or moved to another namespace, before its events could find the device:
 * then they do not come any more. It is looked for after the device can be found, under the lock
 * under which the events are sent. The device is looked up: from its registration on others may
 * have unregistered it.
 */
static void mroce_device_check_netdev(struct net_device *ndev, const struct net *net)
{
	struct ib_device *ib = ib_device_get_by_netdev(ndev, (enum rdma_driver_id)MROCE_DRIVER_ID);
	bool gone;

	if (!ib)
		return;
	rtnl_lock();
	gone = ndev->reg_state != NETREG_REGISTERED || dev_net(ndev) != net;
	rtnl_unlock();
	if (gone)
		ib_unregister_device_queued(ib);
	ib_device_put(ib);
}

static int mroce_device_register(struct mroce_dev *dev, const char *name)
{
	int err;

	err = ib_device_set_netdev(&dev->ib, dev->netdev, 1);
	if (err)
		return err;
	ib_mark_name_assigned_by_user(&dev->ib);
	return ib_register_device(&dev->ib, name, NULL);
}

static int mroce_device_create(const char *name, struct net_device *ndev)
{
	const struct net *net = dev_net(ndev);
	struct mroce_dev *dev;
	int err = -ENOMEM;

	dev = mroce_device_alloc(ndev);
	if (!dev)
		return -ENOMEM;
	dev->wq = alloc_workqueue("metaroce", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!dev->wq)
		goto err_dev;
	err = mroce_net_init(dev);
	if (err)
		goto err_wq;
	netdev_hold(ndev, &dev->netdev_tracker, GFP_KERNEL);

	/* from here on ib_dealloc_device() undoes all of the above */
	ib_set_device_ops(&dev->ib, &mroce_dev_ops);
	dev->ib.driver_def = mroce_uapi_defs;
	err = mroce_device_register(dev, name);
	if (!err) {
		mroce_device_check_netdev(ndev, net);
		return 0;
	}
	goto err_dev;

err_wq:
	destroy_workqueue(dev->wq);
err_dev:
	ib_dealloc_device(&dev->ib);
	return err;
}

/**
 * mroce_device_add() - rdma link add
 * @name:	of the device, or a pattern
 * @ndev:	its netdev, which the caller holds
 *
 * A VLAN has no link of its own: ib_core gives its addresses to the link of the netdev below, as
 * with any RoCE device, and would give this one no GID.
 *
 * Return: -EEXIST when the netdev has a link of ours, -EOPNOTSUPP when it is a VLAN.
 */
int mroce_device_add(const char *name, struct net_device *ndev)
{
	struct ib_device *ib;
	int err = -EEXIST;

	if (is_vlan_dev(ndev))
		return -EOPNOTSUPP;
	mutex_lock(&mroce_add_mutex);
	ib = ib_device_get_by_netdev(ndev, (enum rdma_driver_id)MROCE_DRIVER_ID);
	if (ib)
		ib_device_put(ib);
	else
		err = mroce_device_create(name, ndev);
	mutex_unlock(&mroce_add_mutex);
	return err;
}
