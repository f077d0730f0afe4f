/* SPDX-License-Identifier: MIT */
/*
 * Asks for and gives back blocks in every way that C and C++ have, each way in a size of its own,
 * and says how often: "SIZE=COUNT". Some of operator new stay alive, in a size of their own, too.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

namespace
{
const int times = 1000, kept = 10;
void *volatile last;

template <typename Get, typename Give> void pairs(size_t size, Get get, Give give)
{
	for (int i = 0; i < times; i++) {
		last = get(size);
		give(last);
	}
	std::printf("%zu=%d\n", size, times);
}

void refused(size_t size)
{
	for (int i = 0; i < times; i++) {
		try {
			last = ::operator new(~size_t(0) >> 1);
		} catch (const std::bad_alloc &) {
			last = std::malloc(size);
			std::free(last);
		}
	}
	std::printf("%zu=%d\n", size, times);
}
} // namespace

int main(int argc, char **argv)
{
	const std::align_val_t align{ 64 };
	auto plain = [](void *p) { std::free(p); };
	setvbuf(stdout, nullptr, _IONBF, 0);
	pairs(
		2008, [](size_t n) { return std::malloc(n); }, plain);
	pairs(
		3008, [](size_t n) { return std::calloc(1, n); }, plain);
	pairs(
		4008, [](size_t n) { return memalign(32, n); }, plain);
	pairs(
		5008, [](size_t n) { return aligned_alloc(16, n); }, plain);
	pairs(
		6008, [](size_t n) { return ::operator new(n); },
		[](void *p) { ::operator delete(p); });
	pairs(
		7008, [](size_t n) { return ::operator new[](n); },
		[](void *p) { ::operator delete[](p); });
	pairs(
		8008, [](size_t n) { return ::operator new(n, std::nothrow); },
		[](void *p) { ::operator delete(p, std::nothrow); });
	pairs(
		10008, [](size_t n) { return ::operator new[](n, std::nothrow); },
		[](void *p) { ::operator delete[](p, size_t(10008)); });
	pairs(
		12008, [=](size_t n) { return ::operator new(n, align); },
		[=](void *p) { ::operator delete(p, align); });
	pairs(
		14008, [=](size_t n) { return ::operator new[](n, align); },
		[=](void *p) { ::operator delete[](p, size_t(14008), align); });
	if (argc > 1 && std::strcmp(argv[1], "refused") == 0)
		refused(18008);
	for (int i = 0; i < kept; i++)
		last = ::operator new(22008);
	std::printf("22008=%d\n", kept);
	return 0;
}
