/* SPDX-License-Identifier: MIT */
/*
 * A program that is watched from outside: four functions take 40, 30, 20 and 10 % of its processor
 * time, until its input ends; then it says so and exits with 7. With a number so many threads, each
 * begun when the one before has ended its part, do the same work one after the other. With "deep" it
 * is done below 40 KiB of stack; with "hostile" and a path while that file, which is no
 * code though its head says so, is mapped as code again and again, and changes.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLANTED __attribute__((noinline)) void

enum {
	EXIT_CODE = 7,
	TURNS = 500,
	ROUNDS = 200,
	FRAME = 1000,
	DEPTH = 40,
	PAGES = 16,
	PAGE = 4096,
	FILES = 40
};

static volatile unsigned sink;

__attribute__((noinline)) static void spin(unsigned tenths)
{
	unsigned s = sink | 1;
	for (unsigned i = 0; i < tenths * TURNS; i++)
		s = s * 1664525u + 1013904223u;
	sink = s;
}

PLANTED forty(void);
PLANTED thirty(void);
PLANTED twenty(void);
PLANTED ten(void);
PLANTED work(void);

PLANTED forty(void)
{
	spin(4);
	sink++;
}

PLANTED thirty(void)
{
	spin(3);
	sink++;
}

PLANTED twenty(void)
{
	spin(2);
	sink++;
}

PLANTED ten(void)
{
	spin(1);
	sink++;
}

PLANTED work(void)
{
	forty();
	thirty();
	twenty();
	ten();
	sink++;
}

static int goes_on(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	return poll(&p, 1, 0) == 0;
}

static void *thread(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		work();
	return arg;
}

__attribute__((noinline)) static int deep(int n)
{
	volatile char frame[FRAME];
	frame[n] = (char)n;
	if (n)
		deep(n - 1);
	else
		for (int i = 0; i < ROUNDS; i++)
			work();
	return frame[n] + (int)sink;
}

/* The head of a file of code, and then anything; its size changes while it is mapped. */
static void confuse(const char *path, unsigned *random)
{
	static const unsigned char head[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	static void *at[FILES];
	unsigned char bytes[PAGE];
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	unsigned which = (*random = *random * 1664525u + 1013904223u) % FILES;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)((*random = *random * 1664525u + 1013904223u) >> 24);
	memcpy(bytes, head, sizeof head);
	bytes[54] = 56; /* e_phentsize, e_phnum */
	bytes[55] = 0;
	bytes[56] = (unsigned char)(1 + which);
	bytes[57] = 0;
	memset(bytes + 32, 0, 8);
	bytes[32] = 64; /* e_phoff */
	for (unsigned i = 0; i <= which && 64 + 56 * (i + 1) <= sizeof bytes; i++) {
		memset(bytes + 64 + 56 * i, 0, 4);
		bytes[64 + 56 * i] =
			(unsigned char)(i % 2 ? 1 : 0x50); /* PT_LOAD, PT_GNU_EH_FRAME */
		bytes[65 + 56 * i] = (unsigned char)(i % 2 ? 0 : 0xe5);
		bytes[66 + 56 * i] = (unsigned char)(i % 2 ? 0 : 0x74);
		bytes[67 + 56 * i] = (unsigned char)(i % 2 ? 0 : 0x64);
	}
	if (ftruncate(fd, (off_t)PAGES * PAGE) != 0 || pwrite(fd, bytes, sizeof bytes, 0) < 0)
		abort();
	if (at[which])
		munmap(at[which], (size_t)PAGES * PAGE);
	at[which] = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (*random % 3 == 0 && ftruncate(fd, PAGE / 2) != 0)
		abort();
	close(fd);
	if (at[which] == MAP_FAILED)
		at[which] = NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? strtol(argv[1], NULL, 10) : 0, made = 0;
	int below = argc > 1 && strcmp(argv[1], "deep") == 0;
	unsigned random = 1;
	puts("begun");
	fflush(stdout);
	while (goes_on()) {
		pthread_t t;
		if (made < threads && pthread_create(&t, NULL, thread, NULL) == 0) {
			pthread_setname_np(t, "planted");
			pthread_join(t, NULL);
			made++;
		}
		if (argc > 2)
			confuse(argv[2], &random);
		if (below)
			deep(DEPTH);
		for (int i = 0; i < ROUNDS && !below; i++)
			work();
	}
	puts("ended");
	return EXIT_CODE;
}
