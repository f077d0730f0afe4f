/* SPDX-License-Identifier: MIT */
// Holds ever more memory in one planted way, and gives the rest back. usage: leaks WAY TIMES
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <time.h>
#include <vector>

struct Node {
	std::shared_ptr<Node> other;
	char room[3000]; /* each of the two places that make one holds most by itself, too */
};

__attribute__((noinline)) void drop_block()
{
	char *volatile block = static_cast<char *>(malloc(3000));
	memset(block, 1, 3000);
}

__attribute__((noinline)) void drop_object()
{
	char *volatile object = new char[3000];
	object[0] = 1;
}

__attribute__((noinline)) void drop_cycle()
{
	auto a = std::make_shared<Node>(), b = std::make_shared<Node>();
	a->other = b;
	b->other = a;
}

static auto &kept = *new std::map<int, std::string>; // no destructor runs at the end

__attribute__((noinline)) void keep_text()
{
	kept.emplace(static_cast<int>(kept.size()), std::string(3000, 'x'));
}

// A way to the leak that is none: only the whole stack tells which caller it was.
__attribute__((noinline)) void request(const char *way)
{
	if (!strcmp(way, "block"))
		drop_block();
	else if (!strcmp(way, "object"))
		drop_object();
	else if (!strcmp(way, "cycle"))
		drop_cycle();
	else if (!strcmp(way, "map"))
		keep_text();
	asm volatile("" ::: "memory");
}

__attribute__((noinline)) void work()
{
	std::vector<std::string> some;
	for (int i = 0; i < 20; i++)
		some.push_back(std::string(100 + static_cast<size_t>(i), 'y'));
	asm volatile("" ::"r"(some.data()) : "memory");
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 200;
	const timespec nap = { 0, 10000000 };
	for (int i = 0; i < times; i++) {
		request(argc > 1 ? argv[1] : "none");
		work();
		nanosleep(&nap, nullptr);
	}
	return puts("done") < 0;
}
