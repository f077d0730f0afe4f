/* SPDX-License-Identifier: MIT */
// Text by text into a map, eleven frames deep: two million allocations, nearly all given back at once.
#include <cstdio>
#include <map>
#include <string>

using words = std::map<std::string, int>;

__attribute__((noinline)) static void count(words &m, int n)
{
	for (int i = 0; i < n; i++) {
		std::string s = "a rather long word number " + std::to_string(i * 7919 % 5000);
		m[s]++;
	}
}

__attribute__((noinline)) static long deeper(int levels, words &m, int n)
{
	if (levels)
		return deeper(levels - 1, m, n) + 1;
	count(m, n);
	return 0;
}

int main()
{
	words m;
	long sum = 0;
	for (int i = 0; i < 40; i++)
		sum += deeper(10, m, 50000);
	printf("%ld %zu\n", sum, m.size());
}
