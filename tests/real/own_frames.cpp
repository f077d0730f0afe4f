/* SPDX-License-Identifier: MIT */
// Allocates and calls as fast as it can, in two threads. usage: own-frames TIMES
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

__attribute__((noinline)) size_t program_step(size_t i)
{
	std::string text(40 + i % 100, 'x');
	auto number = std::make_unique<size_t>(i);
	return text.size() + *number;
}

__attribute__((noinline)) void program_work(size_t times, size_t *ret)
{
	std::vector<std::string> kept(100);
	for (size_t i = 0; i < times; i++) {
		kept[i % kept.size()] = std::string(60, 'y');
		*ret += program_step(i);
	}
}

int main(int argc, char **argv)
{
	const size_t times = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
	size_t a = 0, b = 0;
	std::thread other(program_work, times, &a);
	program_work(times, &b);
	other.join();
	std::printf("%zu\n", a + b);
}
