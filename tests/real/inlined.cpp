/* SPDX-License-Identifier: MIT */
/*
 * Functions that are inlined where the program computes and where it calls: in a function, in two
 * levels of templates and methods, in main. Then one that waits in an inlined function.
 */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#define INLINED inline __attribute__((always_inline))
#define WHOLE __attribute__((noinline))

namespace shop {

static INLINED unsigned mix(unsigned x)
{
	for (int i = 0; i < 2000; i++)
		x = (x * 1664525u + 1013904223u) ^ x >> 7;
	return x;
}

static WHOLE unsigned leaf(unsigned x)
{
	unsigned s = mix(x);
	for (int i = 0; i < 1000; i++)
		s = (s * 22695477u + 1u) ^ s >> 5;
	return s;
}

template <class T> static INLINED T twice(T x)
{
	T a = leaf(x);
	return a + leaf(x ^ a);
}

struct Cart {
	unsigned sum = 0;
	INLINED void add(unsigned x) { sum += twice(x) + 1; }
};

static WHOLE unsigned order(unsigned n)
{
	Cart c;
	for (unsigned i = 0; i < n; i++) {
		c.add(i);
		c.sum ^= leaf(c.sum);
	}
	return c.sum;
}

static INLINED unsigned rest(unsigned n)
{
	unsigned s = 0;
	while (n--)
		s += (unsigned)usleep(1000) + 1;
	return s;
}

static WHOLE unsigned night(unsigned n)
{
	return rest(n) + 1;
}

} // namespace shop

static INLINED unsigned day(unsigned n)
{
	return shop::order(n) + shop::order(n / 2);
}

int main(int n, char **v)
{
	unsigned s = day(n > 1 ? (unsigned)atoi(v[1]) : 20000);
	std::printf("%u\n", s + shop::night(n > 2 ? (unsigned)atoi(v[2]) : 0));
	return 0;
}
