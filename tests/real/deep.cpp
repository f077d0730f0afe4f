/* SPDX-License-Identifier: MIT */
// With "sort" only the first. With "down" and a number work below so many functions more. Work below frames without frame pointers: sorting in libc, exceptions, a signal's handler, an aligned frame.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

volatile long sink;

int compare(const void *a, const void *b)
{
	return std::memcmp(a, b, 16);
}

__attribute__((noinline)) void sort(char *bytes, size_t n)
{
	for (size_t i = 0; i < n * 16; i++)
		bytes[i] = static_cast<char>(i * 2654435761U >> 7);
	std::qsort(bytes, n, 16, compare);
}

__attribute__((noinline)) int fall(int depth)
{
	std::string text(static_cast<size_t>(depth) + 20, 'a');
	sink = sink + static_cast<long>(text.size());
	if (depth == 0)
		throw std::runtime_error(text);
	return fall(depth - 1) + static_cast<int>(text.size());
}

__attribute__((noinline)) void spin(long n)
{
	alignas(64) volatile char room[64] = {};
	for (long i = 0; i < n; i++)
		room[i % 64] = static_cast<char>(i);
	sink = sink + room[3];
}

__attribute__((noipa)) void down(int depth)
{
	if (depth > 0)
		down(depth - 1);
	else
		spin(400000000);
	sink = sink + depth;
}

void handler(int)
{
	spin(20000000);
}

__attribute__((noinline)) void work()
{
	constexpr size_t n = 20000;
	char *bytes = static_cast<char *>(std::malloc(n * 16));
	for (int i = 0; i < 30; i++)
		sort(bytes, n);
	std::free(bytes);
	for (int i = 0; i < 20000; i++) {
		try {
			fall(8);
		} catch (const std::exception &e) {
			sink = sink + e.what()[0];
		}
	}
	std::raise(SIGUSR1);
}

}

int main(int n, char **args)
{
	if (n > 1 && std::strcmp(args[1], "sort") == 0) {
		char *bytes = static_cast<char *>(std::malloc(20000 * 16));
		for (int i = 0; i < 1200; i++)
			sort(bytes, 20000);
		std::free(bytes);
		return 0;
	}
	if (n > 2 && std::strcmp(args[1], "down") == 0) {
		down(std::atoi(args[2]));
		return 0;
	}
	std::signal(SIGUSR1, handler);
	std::thread other(work);
	work();
	other.join();
	return 0;
}
