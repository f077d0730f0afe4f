/* SPDX-License-Identifier: MIT */
/*
 * Writes a log of any size to standard output, as fast as a pipe takes it or at a given rate: for
 * what must stay bounded however large a log is, and for the delay of a live one's figures.
 *
 * usage: biglog KIND MEGABYTES [--rate MB_PER_S] [--marks FILE]
 *
 * With a rate, event times are those of the machine's monotonic clock, and what came within 50 ms is
 * written at once, as probes do it. With marks, twenty
 * exceptions a second are thrown; FILE gets a line for each: how many so far, when it was about to
 * be written (ns), how long the longest write() has taken until then (ns).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cursor.h"
#include "common/base/status.h"
#include "common/format/mlpd/mlpd.h"

#define SECOND      INT64_C(1000000000)
#define METHOD_BASE UINT64_C(0x40000000)
#define PTR_BASE    UINT64_C(0x10000000)
#define OBJ_BASE    UINT64_C(0x20000000)

enum {
	PAYLOAD = 60 << 10, /* of a buffer */
	EVENT_MAX = 400,
	OUT = 1 << 20,
	OUT_PACED = 200 << 10, /* at a given rate, at most */
	MARK_EVERY = 50000000,
};

struct log {
	uint8_t payload[PAYLOAD + EVENT_MAX], out[OUT + PAYLOAD + 2 * EVENT_MAX];
	size_t used, waiting;
	uint64_t thread, base_ns, now_ns, method;
	uint64_t limit, total;
	uint64_t dice;
	double rate;  /* bytes a ns; 0: as fast as it goes */
	size_t paced; /* bytes of 50 ms at that rate */
	int64_t start_ns, longest_ns, marked_ns;
	unsigned marks;
	FILE *mark_file;
};

static int64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static uint64_t roll(struct log *l, uint64_t sides)
{
	l->dice = l->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (l->dice >> 33) % sides;
}

/* --- bytes --- */

static void write_out(struct log *l)
{
	for (size_t at = 0; at < l->waiting;) {
		int64_t before = clock_ns();
		ssize_t n = write(STDOUT_FILENO, l->out + at, l->waiting - at);
		int64_t took = clock_ns() - before;
		l->longest_ns = took > l->longest_ns ? took : l->longest_ns;
		if (n < 0 && errno != EINTR)
			exit(errno == EPIPE ? 0 : 1);
		at += n > 0 ? (size_t)n : 0;
	}
	l->total += l->waiting;
	l->waiting = 0;
}

static void wait_until(int64_t when)
{
	struct timespec t = { .tv_sec = (time_t)(when / SECOND), .tv_nsec = (long)(when % SECOND) };
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static bool full(const struct log *l)
{
	return l->total + l->waiting + l->used >= l->limit;
}

static void begin(struct log *l, uint64_t thread)
{
	uint64_t now = l->rate > 0 ? (uint64_t)clock_ns() : 0;
	l->thread = thread;
	l->now_ns = now > l->now_ns ? now : l->now_ns;
	l->base_ns = l->now_ns;
	l->method = METHOD_BASE;
}

static void end(struct log *l)
{
	struct mlpd_buffer_header h = { .length = (uint32_t)l->used,
		.time_base = l->base_ns,
		.ptr_base = PTR_BASE,
		.obj_base = OBJ_BASE >> 3,
		.thread = l->thread,
		.method_base = METHOD_BASE };
	if (l->used == 0)
		return;
	l->waiting += mlpd_put_buffer_header(l->out + l->waiting, &h);
	memcpy(l->out + l->waiting, l->payload, l->used);
	l->waiting += l->used;
	l->used = 0;
	if (l->waiting >= (l->rate > 0 ? l->paced : OUT))
		write_out(l);
	if (l->rate > 0)
		wait_until(l->start_ns + (int64_t)((double)(l->total + l->waiting) / l->rate));
}

/* The buffer that has no room for an event is ended, and another of its thread begun. */
static uint8_t *event(struct log *l, uint8_t byte, uint64_t dt)
{
	if (l->used >= (l->rate > 0 && l->paced < PAYLOAD ? l->paced : PAYLOAD)) {
		end(l);
		begin(l, l->thread);
	}
	uint8_t *to = l->payload + l->used;
	*to++ = byte;
	l->now_ns += dt;
	return pv_put_uleb(to, dt);
}

static void done(struct log *l, const uint8_t *to)
{
	l->used = (size_t)(to - l->payload);
}

static uint8_t *put_method(struct log *l, uint8_t *to, uint64_t method)
{
	to = pv_put_sleb(to, (int64_t)(method - l->method));
	l->method = method;
	return to;
}

static uint8_t *put_text(uint8_t *to, const char *text)
{
	size_t n = strlen(text) + 1;
	memcpy(to, text, n);
	return to + n;
}

/* --- events --- */

static uint64_t method_of(uint64_t number)
{
	return METHOD_BASE + number * 16;
}

static void name_method(struct log *l, uint64_t number)
{
	char name[80];
	snprintf(name, sizeof name, "Big.Program.Part%u:Method%u (int,string)",
		(unsigned)(number / 100), (unsigned)number);
	uint8_t *to = put_method(l, event(l, 0x43, 1), method_of(number));
	to = pv_put_sleb(to, (int64_t)(number * 64));
	to = pv_put_uleb(to, 60);
	done(l, put_text(to, name));
}

static void enter(struct log *l, uint64_t number)
{
	done(l, put_method(l, event(l, 0x23, 20), method_of(number)));
}

static void leave(struct log *l, uint64_t number)
{
	done(l, put_method(l, event(l, 0x13, 20), method_of(number)));
}

/* Of class `number`, whose vtable stands 8 after it. */
static void allocate(struct log *l, uint64_t number, const uint64_t *stack, size_t n)
{
	uint8_t *to = event(l, n ? 0x10 : 0x00, 5);
	to = pv_put_sleb(to, (int64_t)(number * 16 + 8));
	to = pv_put_sleb(to, (int64_t)(roll(l, 1 << 20)));
	to = pv_put_uleb(to, 24 + number % 8 * 8);
	if (n)
		to = pv_put_uleb(to, n);
	for (size_t i = 0; i < n; i++)
		to = put_method(l, to, method_of(stack[i]));
	done(l, to);
}

static void name_class(struct log *l, uint64_t number)
{
	char name[80];
	snprintf(name, sizeof name, "Big.Program.Class%u", (unsigned)number);
	uint8_t *to = event(l, 0x22, 1);
	*to++ = 1;
	to = pv_put_sleb(to, (int64_t)(number * 16));
	to = pv_put_sleb(to, 0);
	done(l, put_text(to, name));
	to = event(l, 0x22, 1);
	*to++ = 7;
	to = pv_put_sleb(to, (int64_t)(number * 16 + 8));
	to = pv_put_sleb(to, 0);
	done(l, pv_put_sleb(to, (int64_t)(number * 16)));
}

static void thread_event(struct log *l, uint8_t byte)
{
	uint8_t *to = event(l, byte, 1);
	*to++ = 5;
	done(l, pv_put_sleb(to, (int64_t)(l->thread - PTR_BASE)));
}

static void gc_event(struct log *l, uint8_t step, uint8_t generation)
{
	uint8_t *to = event(l, 0x11, 5000);
	*to++ = step;
	*to++ = generation;
	done(l, to);
}

static void collect(struct log *l, uint8_t generation, uint64_t heap)
{
	gc_event(l, PV_GC_PRE_STOP, generation);
	gc_event(l, PV_GC_START, generation);
	gc_event(l, PV_GC_END, generation);
	done(l, pv_put_uleb(event(l, 0x21, 1), heap));
	gc_event(l, PV_GC_POST_START, generation);
}

static void mark(struct log *l)
{
	int64_t now = clock_ns();
	if (!l->mark_file || now < l->marked_ns + MARK_EVERY)
		return;
	l->marked_ns = now;
	end(l);
	begin(l, 1);
	done(l, pv_put_sleb(event(l, 0x04, 1), 64));
	end(l);
	fprintf(l->mark_file, "%u %lld %lld\n", ++l->marks, (long long)clock_ns(),
		(long long)l->longest_ns);
	fflush(l->mark_file);
	write_out(l);
}

/* --- kinds of logs --- */

/* A call under way: which of its callees comes next, and how often again. */
struct frame {
	uint64_t method, next, again;
};

enum { DEPTH = 11, METHODS = 3000 };

/*
 * One enter or leave of a program that does the same again and again: each method has one to three
 * callees, and those at the leaves are called some times in a row. Some 60,000 call paths.
 */
static void step(struct log *l, struct frame *stack, size_t *depth)
{
	struct frame *f = &stack[*depth - 1];
	if (*depth == DEPTH || f->next > f->method % 3) {
		leave(l, f->method);
		--*depth;
		return;
	}
	uint64_t callee = (f->method * 7 + f->next + 1) % METHODS;
	if (*depth < DEPTH - 1 || f->again++ >= callee % 8) {
		f->next++;
		f->again = 0;
	}
	stack[(*depth)++] = (struct frame){ .method = callee };
	enter(l, callee);
}

/* Work of a program: calls, allocations, collections, on four threads. */
static void write_calls(struct log *l)
{
	enum { CLASSES = 300, TURN = 12000, THREADS = 4, ALLOC_EVERY = 40 };
	static struct frame stack[THREADS][DEPTH];
	size_t depth[THREADS] = { 0 };
	begin(l, 1);
	for (uint64_t i = 0; i < METHODS; i++)
		name_method(l, i);
	for (uint64_t i = 0; i < CLASSES; i++)
		name_class(l, i);
	for (unsigned turn = 0; !full(l); turn++) {
		unsigned t = turn % THREADS;
		mark(l);
		begin(l, t + 1);
		for (int i = 0; i < TURN; i++) {
			if (depth[t] == 0) {
				stack[t][depth[t]++] = (struct frame){ .method = t + 2 };
				enter(l, t + 2);
			}
			step(l, stack[t], &depth[t]);
			if (i % ALLOC_EVERY == 0)
				allocate(l, stack[t][depth[t] ? depth[t] - 1 : 0].method % CLASSES,
					NULL, 0);
		}
		if (turn % 512 == 0)
			collect(l, turn % 4096 == 0, (64 + roll(l, 64)) << 20);
		end(l);
	}
}

static void write_threads(struct log *l)
{
	enum { THREADS = 100000, CALLS = 400 };
	begin(l, PTR_BASE);
	for (uint64_t i = 0; i < 100; i++)
		name_method(l, i);
	end(l);
	for (uint64_t n = 0; !full(l); n++) {
		begin(l, PTR_BASE + n % THREADS * 16);
		thread_event(l, 0x22);
		for (uint64_t i = 0; i < CALLS; i++) {
			enter(l, (n + i) % 100);
			leave(l, (n + i) % 100);
		}
		if (n % 2)
			thread_event(l, 0x42);
		end(l);
	}
}

/* Deeper than a stack can be, after the end of a thread: what comes then is kept for a while. */
static void write_kept(struct log *l)
{
	enum { DEEP = 300000, FEW = 50 };
	begin(l, PTR_BASE);
	for (uint64_t i = 0; i < FEW; i++)
		name_method(l, i);
	end(l);
	begin(l, PTR_BASE + 16);
	thread_event(l, 0x22);
	thread_event(l, 0x42);
	end(l);
	begin(l, PTR_BASE);
	while (!full(l)) {
		for (uint64_t i = 0; i < DEEP; i++)
			enter(l, i % FEW);
		for (uint64_t i = DEEP; i-- > 0;)
			leave(l, i % FEW);
	}
	end(l);
}

static void write_methods(struct log *l)
{
	enum { MANY = 2000000 };
	begin(l, 1);
	for (uint64_t n = 0; !full(l); n++) {
		if (n < MANY)
			name_method(l, n);
		enter(l, n % MANY);
		leave(l, n % MANY);
	}
	end(l);
}

/* 100,000 frames deep, again and again. */
static void write_deep(struct log *l)
{
	enum { DEEP = 100000, FEW = 50 };
	begin(l, 1);
	for (uint64_t i = 0; i < FEW; i++)
		name_method(l, i);
	while (!full(l)) {
		for (uint64_t i = 0; i < DEEP; i++)
			enter(l, i % FEW);
		for (uint64_t i = DEEP; i-- > 0;)
			leave(l, i % FEW);
	}
	end(l);
}

enum { DIGITS = 7 };

static void digits_of(uint64_t number, uint64_t digit[DIGITS])
{
	for (size_t i = DIGITS; i-- > 0; number /= 10)
		digit[i] = i * 10 + number % 10;
}

/* Ten million call paths, each as often as any other: ten methods on each of seven levels. */
static void write_paths(struct log *l)
{
	uint64_t here[DIGITS], next[DIGITS];
	begin(l, 1);
	for (uint64_t i = 0; i < DIGITS * 10; i++)
		name_method(l, i);
	digits_of(0, here);
	for (size_t i = 0; i < DIGITS; i++)
		enter(l, here[i]);
	for (uint64_t n = 1; !full(l); n++) {
		size_t same = 0;
		digits_of(n % 10000000, next);
		while (same < DIGITS && here[same] == next[same])
			same++;
		for (size_t i = DIGITS; i-- > same;)
			leave(l, here[i]);
		for (size_t i = same; i < DIGITS; i++)
			enter(l, next[i]);
		memcpy(here, next, sizeof here);
	}
	end(l);
}

/* The same as stacks of allocations. */
static void write_stacks(struct log *l)
{
	uint64_t stack[DIGITS];
	begin(l, 1);
	for (uint64_t i = 0; i < DIGITS * 10; i++)
		name_method(l, i);
	for (uint64_t i = 0; i < 100; i++)
		name_class(l, i);
	for (uint64_t n = 0; !full(l); n++) {
		digits_of(n * 7919 % 10000000, stack);
		allocate(l, n % 100, stack, DIGITS);
	}
	end(l);
}

static void write_classes(struct log *l)
{
	enum { CLASSES = 5000000 };
	begin(l, 1);
	for (uint64_t n = 0; !full(l); n++) {
		if (n < CLASSES)
			name_class(l, n);
		allocate(l, n % CLASSES, NULL, 0);
	}
	end(l);
}

static const struct {
	const char *name;
	void (*write)(struct log *l);
} kinds[] = {
	{ "calls", write_calls },
	{ "threads", write_threads },
	{ "kept", write_kept },
	{ "methods", write_methods },
	{ "deep", write_deep },
	{ "paths", write_paths },
	{ "stacks", write_stacks },
	{ "classes", write_classes },
};

static void write_header(struct log *l)
{
	static const char args[] = "log:nodefaults,calls,alloc,exception";
	l->start_ns = clock_ns();
	l->now_ns = (uint64_t)l->start_ns;
	struct mlpd_header h = {
		.format = { .data_version = 17, .header_major = 3, .pointer_size = 8 },
		.start_time_ms = (uint64_t)time(NULL) * 1000,
		.startup_ns = l->now_ns,
		.args = { args, sizeof args - 1 },
		.arch = { "x86-64", 6 },
		.os = { "linux", 5 }
	};
	l->waiting = mlpd_put_header(l->out, sizeof l->out, &h);
}

static void set_rate(struct log *l, double megabytes)
{
	const double burst = megabytes * 1e6 * 0.05;
	l->rate = megabytes * 1e6 / 1e9;
	l->paced = burst < OUT_PACED ? (size_t)burst : OUT_PACED;
}

static int complain(void)
{
	fprintf(stderr, "usage: biglog KIND MEGABYTES [--rate MB_PER_S] [--marks FILE]\nkinds:");
	for (size_t i = 0; i < PV_COUNT_OF(kinds); i++)
		fprintf(stderr, " %s", kinds[i].name);
	fputc('\n', stderr);
	return 2;
}

int main(int argc, char *argv[])
{
	static struct log l;
	const char *marks = NULL;
	if (argc < 3 || argc % 2 == 0)
		return complain();
	l.limit = (uint64_t)(strtod(argv[2], NULL) * 1e6);
	for (int i = 3; i < argc; i += 2) {
		if (strcmp(argv[i], "--rate") == 0)
			set_rate(&l, strtod(argv[i + 1], NULL));
		else if (strcmp(argv[i], "--marks") == 0)
			marks = argv[i + 1];
		else
			return complain();
	}
	for (size_t i = 0; i < PV_COUNT_OF(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		if (marks && !(l.mark_file = fopen(marks, "w")))
			return complain();
		write_header(&l);
		kinds[i].write(&l);
		write_out(&l);
		return l.mark_file ? fclose(l.mark_file) : 0;
	}
	return complain();
}
