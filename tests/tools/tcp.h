/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A TCP connection on the side, by which the two ends of a program agree. Wants _GNU_SOURCE. */
#ifndef TCP_H
#define TCP_H

#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tool.h"

/* The first to come, over IPv4 or IPv6 */
static inline int tcp_accept(const char *port)
{
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6, .sin6_port = htons(atoi(port)) };
	int one = 1, fd, s = socket(AF_INET6, SOCK_STREAM, 0);

	if (s < 0) { /* no IPv6 here */
		struct sockaddr_in *sa4 = (void *)&sa;

		sa4->sin_family = AF_INET;
		s = socket(AF_INET, SOCK_STREAM, 0);
	}
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (s < 0 || bind(s, (void *)&sa, sizeof(sa)) || listen(s, 1))
		die("listen on port %s", port);
	fd = accept(s, NULL, NULL);
	if (fd < 0)
		die("accept");
	close(s);
	return fd;
}

/* The other end may not be up yet: try for twenty seconds, asleep in between. */
static inline int tcp_reach(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *ai;
	int fd, i;

	if (getaddrinfo(host, port, &hints, &ai))
		wrong("no address: %s", host);
	for (i = 0; i < 400; i++) {
		fd = socket(ai->ai_family, SOCK_STREAM, 0);
		if (!connect(fd, ai->ai_addr, ai->ai_addrlen)) {
			freeaddrinfo(ai);
			return fd;
		}
		close(fd);
		usleep(50000);
	}
	die("connect to %s", host);
}

#endif /* TCP_H */
