/* SPDX-License-Identifier: MIT */
/* Calls a function as often as it is asked to, says so, and ends with a code of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void run_me_work(void);

__attribute__((noinline)) void run_me_work(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char *argv[])
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < n; i++)
		run_me_work();
	printf("worked=%d\n", n);
	fflush(stdout);
	if (argc > 2)
		usleep((unsigned)atoi(argv[2]) * 1000);
	return 5;
}
