// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many small things in many network namespaces by one program: starting one for each takes User-Mode Linux 40 ms, and a
 * fabric of 64 hosts needs a thousand. Each line of the input is one of
 *
 *   NS plain DEV               no segmentation or receive offloads: each packet is a packet
 *   NS sysctl NAME=VALUE       as sysctl -w
 *   NS rdma NAME NETDEV TYPE   as rdma link add
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netns.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static unsigned int line_no;

static void die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "netns_setup: line %u: ", line_no);
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, ": %s\n", strerror(err));
	va_end(ap);
	exit(1);
}

/* Most lines are of the namespace that the one before was of. */
static void go_to(const char *ns)
{
	static char current[64];

	if (!strcmp(ns, current))
		return;
	if (!enter_ns(ns))
		die("namespace %s", ns);
	snprintf(current, sizeof(current), "%s", ns);
}

static void plain(const char *dev)
{
	static const uint32_t offloads[] = { ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO };
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct ethtool_value value = { 0 };
	struct ifreq ifr = { 0 };
	unsigned int i;

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", dev);
	ifr.ifr_data = (void *)&value;
	for (i = 0; i < ARRAY_SIZE(offloads); i++) {
		value = (struct ethtool_value){ .cmd = offloads[i] };
		if (s < 0 || ioctl(s, SIOCETHTOOL, &ifr))
			die("offloads of %s", dev);
	}
	close(s);
}

static void set_sysctl(char *arg)
{
	char path[256] = "/proc/sys/", *value = strchr(arg, '='), *p;
	int fd;

	if (!value)
		die("sysctl %s", arg);
	*value++ = 0;
	strncat(path, arg, sizeof(path) - strlen(path) - 1);
	for (p = path + strlen("/proc/sys/"); *p; p++)
		if (*p == '.')
			*p = '/';
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die("%s", path);
	close(fd);
}

/* A request of the RDMA core, with its strings */
struct request {
	struct nlmsghdr hdr;
	char attrs[512];
};

static void add_string(struct request *r, int type, const char *value)
{
	struct nlattr *a = (void *)((char *)r + NLMSG_ALIGN(r->hdr.nlmsg_len));

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + strlen(value) + 1;
	strcpy((char *)a + NLA_HDRLEN, value);
	r->hdr.nlmsg_len = NLMSG_ALIGN(r->hdr.nlmsg_len) + NLA_ALIGN(a->nla_len);
}

static void rdma_link(const char *name, const char *netdev, const char *type)
{
	struct request r = {
		.hdr = {
			.nlmsg_len = NLMSG_HDRLEN, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK),
		},
	};
	int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA);
	struct {
		struct nlmsghdr hdr;
		struct nlmsgerr err;
		char rest[1024];
	} answer = { 0 };

	add_string(&r, RDMA_NLDEV_ATTR_DEV_NAME, name);
	add_string(&r, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	add_string(&r, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	if (s < 0 || send(s, &r, r.hdr.nlmsg_len, 0) < 0 || recv(s, &answer, sizeof(answer), 0) < 0)
		die("netlink");
	errno = -answer.err.error;
	if (errno)
		die("link %s", name);
	close(s);
}

static void execute(char *line)
{
	char *ns = strtok(line, " \n"), *what = strtok(NULL, " \n"), *arg[3];
	int i;

	if (!what)
		return;
	for (i = 0; i < 3; i++)
		arg[i] = strtok(NULL, " \n");
	go_to(ns);
	errno = EINVAL;
	if (!strcmp(what, "plain") && arg[0])
		plain(arg[0]);
	else if (!strcmp(what, "sysctl") && arg[0])
		set_sysctl(arg[0]);
	else if (!strcmp(what, "rdma") && arg[2])
		rdma_link(arg[0], arg[1], arg[2]);
	else
		die("%s", what);
}

int main(void)
{
	char line[512];

	while (fgets(line, sizeof(line), stdin)) {
		line_no++;
		execute(line);
	}
	return 0;
}
