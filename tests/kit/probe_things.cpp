/* SPDX-License-Identifier: MIT */
/*
 * A C++ program that counts what it does itself: calls that end by exceptions, in threads, and
 * blocks that it asks for, keeps and gives back. Compiled with -finstrument-functions.
 *
 * usage: probe_things calls|blocks|burn|churn|leave|exec
 *
 * Prints NAME=NUMBER lines: how often each function was called, how many blocks it asked for; and
 * for those it kept NAME.alive=NUMBER, NAME.bytes=BYTES.
 */
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <malloc.h>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

#define QUIET __attribute__((no_instrument_function))
#define KEPT __attribute__((noinline))

static std::atomic<long> thrower_n, passes_n, catcher_n, jumper_n, member_n;

namespace shop
{
template <class T> class Counter
{
public:
	KEPT T add(T by)
	{
		member_n++;
		return value += by;
	}

private:
	T value = T();
};
}

static KEPT int thrower(int depth)
{
	thrower_n++;
	if (depth % 3 == 0)
		throw std::runtime_error("three");
	return depth;
}

static KEPT int passes(int depth)
{
	passes_n++;
	std::vector<int> cleaned(3, depth); /* something to clean up on the way */
	return depth > 5 ? thrower(depth) + cleaned[0] : passes(depth + 1) + cleaned[1];
}

static KEPT int catcher(int n)
{
	catcher_n++;
	try {
		return passes(n % 4);
	} catch (const std::exception &) {
		try {
			return thrower(3);
		} catch (...) {
			return 0;
		}
	}
}

static thread_local std::jmp_buf back;

static KEPT void jumper(int n)
{
	jumper_n++;
	if (n % 2)
		std::longjmp(back, 1);
}

static KEPT void jumps(int n)
{
	for (volatile int i = 0; i < n; i++)
		if (!setjmp(back))
			jumper(i);
}

QUIET static void call_all()
{
	shop::Counter<long> counter;
	for (int i = 0; i < 500; i++) {
		catcher(i);
		counter.add(i);
	}
	jumps(100);
}

QUIET static void calls()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back(call_all);
	for (auto &t : threads)
		t.join();
	std::printf("thrower=%ld\npasses=%ld\ncatcher=%ld\njumper=%ld\nmember=%ld\n",
		thrower_n.load(), passes_n.load(), catcher_n.load(), jumper_n.load(),
		member_n.load());
}

/* ---- blocks */

static std::vector<void *> kept;

extern "C" {
KEPT void *by_malloc(size_t n)
{
	void *volatile p = malloc(n);
	return p;
}

KEPT void *by_calloc(size_t n)
{
	void *volatile p = calloc(n / 8, 8);
	return p;
}

KEPT void *by_realloc(void *before, size_t n)
{
	void *volatile p = realloc(before, n);
	return p;
}

KEPT void *by_aligned(size_t n)
{
	void *volatile p = aligned_alloc(64, n);
	return p;
}

KEPT void *by_posix(size_t n)
{
	void *p = NULL;
	return posix_memalign(&p, 128, n) == 0 ? p : NULL;
}

KEPT void *by_memalign(size_t n)
{
	void *volatile p = memalign(256, n);
	return p;
}

KEPT void *by_new(size_t n)
{
	void *volatile p = ::operator new(n);
	return p;
}

KEPT void *by_new_array(size_t n)
{
	char *volatile p = new char[n];
	return p;
}
}

QUIET static void use_blocks(int n)
{
	for (int i = 0; i < n; i++) {
		free(by_malloc(48));
		free(by_calloc(64));
		free(by_realloc(by_realloc(NULL, 100), 20000));
		free(by_aligned(128));
		free(by_posix(256));
		free(by_memalign(512));
		::operator delete(by_new(40));
		delete[] (char *)by_new_array(80);
	}
}

QUIET static void blocks()
{
	enum { N = 2000, THREADS = 3, KEPT_N = 300 };
	kept.reserve(4 * KEPT_N);
	std::vector<std::thread> threads;
	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(use_blocks, N);
	for (auto &t : threads)
		t.join();
	for (int i = 0; i < KEPT_N; i++) {
		kept.push_back(by_malloc(1000));
		kept.push_back(by_new((size_t)i + 1));
		kept.push_back(by_realloc(by_realloc(NULL, 10), 700));
	}
	errno = 77;
	void *volatile none = realloc(kept[0], (size_t)1 << 60); /* fails: the block stays */
	if (none || errno != ENOMEM)
		std::abort();
	const long each = (long)N * THREADS;
	std::printf("by_malloc=%ld\nby_calloc=%ld\nby_realloc=%ld\nby_aligned=%ld\nby_posix=%ld\n",
		each + KEPT_N, each, 2 * each + 2 * KEPT_N, each, each);
	std::printf("by_memalign=%ld\nby_new=%ld\nby_new_array=%ld\n", each, each + KEPT_N, each);
	std::printf("by_malloc.alive=%d\nby_malloc.bytes=%d\n", KEPT_N, KEPT_N * 1000);
	std::printf("by_new.alive=%d\nby_new.bytes=%d\n", KEPT_N, KEPT_N * (KEPT_N + 1) / 2);
	std::printf("by_realloc.alive=%d\nby_realloc.bytes=%d\n", KEPT_N, KEPT_N * 700);
}

/* ---- work for samples */

static volatile double burnt = 1;

extern "C" {
KEPT void hot(long n)
{
	for (long i = 0; i < n; i++)
		burnt *= 1.0000001;
	burnt += 1;
}

KEPT void outer(long n)
{
	hot(n);
	burnt += 1;
}
}

/* A second of processor time on each of two threads, whatever the machine does besides. */
QUIET static void burn_here()
{
	timespec t;
	do {
		outer(200000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec < 1);
}

QUIET static void burn()
{
	std::thread other([] {
		pthread_setname_np(pthread_self(), "burner");
		burn_here();
	});
	burn_here();
	other.join();
}

/* Threads that come and go, blocks that change hands, for as long as it is let. */
QUIET static void churn()
{
	for (int round = 0; round < 40; round++) {
		std::vector<std::thread> threads;
		for (int i = 0; i < 8; i++)
			threads.emplace_back([i] {
				use_blocks(40 + i);
				outer(2000);
				catcher(i);
			});
		for (auto &t : threads)
			t.join();
	}
}

/* The end of the process, called by one of several busy threads. */
QUIET static void leave()
{
	for (int i = 0; i < 4; i++)
		std::thread([i] {
			for (int n = 0;; n++) {
				use_blocks(5);
				catcher(i);
				if (i == 2 && n == 200)
					std::exit(7);
			}
		}).detach();
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "calls"))
		calls();
	else if (!strcmp(what, "blocks"))
		blocks();
	else if (!strcmp(what, "burn"))
		burn();
	else if (!strcmp(what, "churn"))
		churn();
	else if (!strcmp(what, "leave"))
		leave();
	else if (!strcmp(what, "exec")) {
		churn();
		execl(argv[0], argv[0], "calls", (char *)NULL);
	} else
		return 2;
	std::fflush(stdout);
	return 0;
}
