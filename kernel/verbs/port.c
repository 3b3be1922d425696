// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The port: what its netdev makes of it, and the netdev's events. Process context; events under
 * RTNL.
 */
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include "verbs.h"

#define MROCE_GID_TABLE	128	/* consumers walk it at each connect */

/**
 * struct mroce_rate - a link speed in verbs' terms
 * @mbps:	up to this
 * @width:	enum ib_port_width
 * @speed:	enum ib_port_speed
 */
struct mroce_rate {
	u32 mbps;
	u8 width;
	u16 speed;
};

static const struct mroce_rate mroce_rates[] = {
	{ 1000,		IB_WIDTH_1X,	IB_SPEED_SDR },
	{ 10000,	IB_WIDTH_1X,	IB_SPEED_FDR10 },
	{ 20000,	IB_WIDTH_4X,	IB_SPEED_DDR },
	{ 25000,	IB_WIDTH_1X,	IB_SPEED_EDR },
	{ 40000,	IB_WIDTH_4X,	IB_SPEED_FDR10 },
	{ 50000,	IB_WIDTH_2X,	IB_SPEED_EDR },
	{ 100000,	IB_WIDTH_4X,	IB_SPEED_EDR },
	{ 200000,	IB_WIDTH_4X,	IB_SPEED_HDR },
	{ 400000,	IB_WIDTH_4X,	IB_SPEED_NDR },
	{ U32_MAX,	IB_WIDTH_8X,	IB_SPEED_NDR },
};

/* 10 Gb/s where the netdev does not tell: dummies, tunnels. */
static u32 mroce_netdev_mbps(struct net_device *ndev)
{
	struct ethtool_link_ksettings ks;
	int err;

	rtnl_lock();
	err = __ethtool_get_link_ksettings(ndev, &ks);
	rtnl_unlock();
	if (err || !ks.base.speed || ks.base.speed == (u32)SPEED_UNKNOWN)
		return SPEED_10000;
	return ks.base.speed;
}

int mroce_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct mroce_dev *dev = to_mdev(ib);
	struct net_device *ndev = dev->netdev;
	const struct mroce_rate *rate = mroce_rates;
	u32 mbps = mroce_netdev_mbps(ndev);

	while (mbps > rate->mbps)
		rate++;
	attr->active_width = rate->width;
	attr->active_speed = rate->speed;

	if (!netif_running(ndev)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	} else if (!netif_carrier_ok(ndev)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_POLLING;
	} else {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	}
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = mroce_net_mtu(dev);
	attr->gid_tbl_len = MROCE_GID_TABLE;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = MROCE_MAX_MSG_LEN;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	return 0;
}

int mroce_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *imm)
{
	imm->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	imm->gid_tbl_len = MROCE_GID_TABLE;
	imm->pkey_tbl_len = 1;
	imm->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer mroce_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

int mroce_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = MROCE_PKEY;
	return 0;
}

static void mroce_port_event(struct ib_device *ib, enum ib_event_type type)
{
	struct ib_event ev = {
		.device = ib,
		.element.port_num = 1,
		.event = type,
	};

	ib_dispatch_event(&ev);
}

/**
 * mroce_netdev_event() - netdevice notifier
 * @nb:		ours
 * @event:	NETDEV_*
 * @arg:	of which netdev
 *
 * Sockets are closed here and now when any netdev leaves (see kernel/net/socket.c); a device goes
 * from a work, because that waits for its users.
 */
int mroce_netdev_event(struct notifier_block *nb, unsigned long event, void *arg)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(arg);
	struct ib_device *ib;

	if (event == NETDEV_UNREGISTER)
		mroce_net_netdev_gone(ndev);

	ib = ib_device_get_by_netdev(ndev, (enum rdma_driver_id)MROCE_DRIVER_ID);
	if (!ib)
		return NOTIFY_OK;

	switch (event) {
	case NETDEV_UNREGISTER:
		ib_unregister_device_queued(ib);
		break;
	case NETDEV_DOWN:
		mroce_port_event(ib, IB_EVENT_PORT_ERR);
		break;
	case NETDEV_UP:
	case NETDEV_CHANGE:
		mroce_port_event(ib, netif_running(ndev) && netif_carrier_ok(ndev) ?
				 IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
		break;
	case NETDEV_CHANGEMTU:
		/* there is no event for it; this one makes consumers ask for the port again */
		if (netif_running(ndev) && netif_carrier_ok(ndev))
			mroce_port_event(ib, IB_EVENT_PORT_ACTIVE);
		break;
	}
	ib_device_put(ib);
	return NOTIFY_OK;
}
