/* SPDX-License-Identifier: MIT */
// Calls at full speed, in THREADS threads: fib(DEPTH) each. Prints how many calls each makes.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

struct Fib {
	unsigned long calls = 0;
	__attribute__((noinline)) int even(int n)
	{
		calls++;
		return n < 2 ? n : odd(n - 1) + odd(n - 2);
	}
	__attribute__((noinline)) int odd(int n)
	{
		calls++;
		return n < 2 ? n : even(n - 1) + even(n - 2);
	}
};

static void work(int depth, unsigned long *ret)
{
	Fib fib;
	fib.even(depth);
	*ret = fib.calls;
}

int main(int argc, char **argv)
{
	const size_t threads = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
	const int depth = argc > 2 ? std::atoi(argv[2]) : 20;
	std::vector<unsigned long> calls(threads);
	std::vector<std::thread> running;
	for (size_t i = 0; i < threads; i++)
		running.emplace_back(work, depth, &calls[i]);
	for (auto &t : running)
		t.join();
	unsigned long all = 0;
	for (unsigned long n : calls)
		all += n;
	std::printf("calls=%lu\n", all);
	std::fflush(stdout); // who reads it has then something to wait for
}
