/* SPDX-License-Identifier: MIT */
/* Blocks that are taken in inlined functions, in two levels, and kept: 30, 20 and 10 of them. */
#include <cstdlib>

#define INLINED inline __attribute__((always_inline))
#define WHOLE __attribute__((noinline))

static void *volatile kept[64];
static unsigned n;

static INLINED void *take(std::size_t bytes)
{
	return std::malloc(bytes);
}

static INLINED void *take_large(std::size_t kib)
{
	return take(kib << 10);
}

WHOLE void fill(unsigned how_many)
{
	for (unsigned i = 0; i < how_many; i++)
		kept[n++] = take_large(3);
}

WHOLE void plain(unsigned how_many)
{
	for (unsigned i = 0; i < how_many; i++)
		kept[n++] = std::malloc(5000);
}

static INLINED void both()
{
	fill(30);
	plain(20);
}

int main()
{
	both();
	for (int i = 0; i < 10; i++)
		kept[n++] = take(7000);
	return 0;
}
