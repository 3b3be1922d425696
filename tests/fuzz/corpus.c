// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Writes a small seed corpus for fuzz_packets: steps in the mixture of ordinary life with some trouble.
 * usage: corpus DIR [NUMBER]
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned int state = 1;

static unsigned int next(unsigned int n)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % n;
}

int main(int argc, char **argv)
{
	/* post, receive, run, steps, mutate, copy, invent, lose, double, upset */
	static const unsigned char common[] = { 0, 0, 0, 1, 1, 9, 17, 25, 0x52, 0x3f, 0x7f };
	static const unsigned char trouble[] = { 3, 4, 5, 6, 14, 0xff };
	unsigned int i, k, n = argc > 2 ? atoi(argv[2]) : 64;

	if (argc < 2) {
		fprintf(stderr, "usage: corpus DIR [NUMBER]\n");
		return 2;
	}
	for (i = 0; i < n; i++) {
		char name[4096];
		FILE *f;

		snprintf(name, sizeof(name), "%s/seed-%03u", argv[1], i);
		f = fopen(name, "wb");
		if (!f) {
			perror(name);
			return 1;
		}
		state = i + 1;
		fputc(next(256) | 32, f);
		for (k = 0; k < 10 + i; k++) {
			if (next(100) < i)
				fputc(trouble[next(sizeof(trouble))], f);
			else
				fputc(common[next(sizeof(common))], f);
			fputc(next(256), f);
			fputc(next(8), f);
			fputc(next(256), f);
		}
		fclose(f);
	}
	return 0;
}
