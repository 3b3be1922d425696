/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Network namespaces by the names that ip-netns(8) gives them. Wants _GNU_SOURCE. */
#ifndef NETNS_H
#define NETNS_H

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The caller goes on in namespace @ns; '-' is the first one. False with errno set if it does not. */
static inline bool enter_ns(const char *ns)
{
	char path[128];
	bool in;
	int fd;

	snprintf(path, sizeof(path), strcmp(ns, "-") ? "/run/netns/%s" : "/proc/1/ns/net", ns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	in = !setns(fd, CLONE_NEWNET);
	close(fd);
	return in;
}

#endif /* NETNS_H */
