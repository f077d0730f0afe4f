/* SPDX-License-Identifier: MIT */
/*
 * A program that grows once its input says so: sixty(), thirty() and ten() keep that share of the
 * pages touched, none() takes as much and gives all back, and thirty() runs in a thread that begins
 * then. Prints the pages by which the process grew, waits for the end of its input, and exits with 7.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLANTED __attribute__((noinline)) void

enum { EXIT_CODE = 7, ROUNDS = 200, KIB = 1024, PAGE = 4096, SMALL = 48 << 10 };

static volatile char *kept;

PLANTED take(size_t kib);
PLANTED sixty(void);
PLANTED thirty(void);
PLANTED ten(void);
PLANTED none(void);

PLANTED take(size_t kib)
{
	volatile char *at = malloc(kib * KIB);
	for (size_t i = 0; at && i < kib * KIB; i += PAGE)
		at[i] = 1;
	kept = at;
}

PLANTED sixty(void)
{
	take(600);
	kept++;
}

PLANTED thirty(void)
{
	take(300);
	kept++;
}

PLANTED ten(void)
{
	take(100);
	kept++;
}

PLANTED none(void)
{
	char *at = malloc(SMALL);
	if (at)
		memset(at, 1, SMALL);
	kept = at;
	free(at);
	kept = NULL;
}

static void *thread(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		thirty();
	return arg;
}

static long resident(void)
{
	long all = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	if (!f || fscanf(f, "%ld %ld", &all, &pages) != 2)
		abort();
	fclose(f);
	return pages;
}

int main(void)
{
	pthread_t t;
	puts("begun");
	fflush(stdout);
	getchar();
	long before = resident();
	if (pthread_create(&t, NULL, thread, NULL) != 0)
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		sixty();
		ten();
		none();
	}
	pthread_join(t, NULL);
	printf("%ld\n", resident() - before);
	fflush(stdout);
	while (getchar() != EOF)
		;
	return EXIT_CODE;
}
