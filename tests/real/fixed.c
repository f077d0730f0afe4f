/* SPDX-License-Identifier: MIT */
/*
 * Twenty functions of fixed work, as two builds. With CHANGED one of them takes four times as long (a
 * kernel with coarse timers takes few samples of it), blocks of one size are never given back, and
 * those of another size are not made.
 * usage: fixed [N]    an N-th of the computing, for those who only look at what is allocated
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, WORK = 3000000 };

#ifdef CHANGED
enum { SLOW = 4, LEAKS = 1, GONE = 0 };
#else
enum { SLOW = 1, LEAKS = 0, GONE = 1 };
#endif

static volatile uint64_t sink;
static long work = WORK;

static void use(size_t size, int keep)
{
	char *volatile p = malloc(size);
	if (!p)
		abort();
	memset(p, 1, size);
	sink += (uint64_t)p[5];
	if (!keep)
		free(p);
	/* The leak is looked for: NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
}

#define STEP(n, times)                                                                             \
	__attribute__((noinline)) void step_##n(void);                                             \
	void step_##n(void)                                                                        \
	{                                                                                          \
		uint64_t x = n + 1;                                                                \
		for (long i = 0; i < (times) * work; i++)                                          \
			x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);     \
		sink += x;                                                                         \
		use(100 + n * 64, 0);                                                              \
	}

/* clang-format off */
STEP(0, 1) STEP(1, 1) STEP(2, 1) STEP(3, 1) STEP(4, 1) STEP(5, 1) STEP(6, 1) STEP(7, SLOW) STEP(8, 1)
STEP(9, 1) STEP(10, 1) STEP(11, 1) STEP(12, 1) STEP(13, 1) STEP(14, 1) STEP(15, 1) STEP(16, 1)
STEP(17, 1) STEP(18, 1) STEP(19, 1)
	/* clang-format on */

	int main(int argc, char **argv)
{
	static void (*const step[])(void) = { step_0, step_1, step_2, step_3, step_4, step_5,
		step_6, step_7, step_8, step_9, step_10, step_11, step_12, step_13, step_14,
		step_15, step_16, step_17, step_18, step_19 };
	if (argc > 1 && atol(argv[1]) > 0)
		work /= atol(argv[1]);
	for (int round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < sizeof step / sizeof step[0]; i++)
			step[i]();
		for (int i = 0; i < 50; i++)
			use(3000, LEAKS);
		for (int i = 0; GONE && i < 50; i++)
			use(5000, 0);
	}
	return 0;
}
