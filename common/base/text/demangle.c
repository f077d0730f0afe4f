/* SPDX-License-Identifier: MIT */
/* Demangles symbols of C++ and Rust by libiberty, with a limit of time for dangerous names. */
#include "common/base/text/demangle.h"

#include <string.h>

#ifdef PV_LIBIBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "common/base/system/cpu_limit.h"

/*
 * MOST_NS: for one name; the slowest of 430,000 real names takes 0.7 ms. All names with a limit
 * share BUDGET_NS, and each adds EACH_NS, six times the average of a name: a log of bad names costs
 * 0.5 s, and afterwards no more per name than good names.
 */
enum { SYMBOL_MAX = 4096, HASH = 16, REFERENCES = 8 };
enum { MOST_NS = 20000000, BUDGET_NS = 500000000, EACH_NS = 20000 };

static _Atomic int64_t budget = BUDGET_NS;

/* Some symbols stand for names longer than any memory: output stops at the room's end. */
struct out {
	char *to;
	size_t n, room;
	jmp_buf full;
};

static void append_demangled(const char *text, size_t len, void *ctx)
{
	struct out *o = ctx;
	if (len > o->room - o->n)
		longjmp(o->full, 1);
	if (len)
		memcpy(o->to + o->n, text, len);
	o->n += len;
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_hash(const char *at)
{
	size_t n = 0;
	while (n < HASH && ((at[n] >= '0' && at[n] <= '9') || (at[n] >= 'a' && at[n] <= 'f')))
		n++;
	return n == HASH && at[n] == 'E';
}

static size_t length_of(const char *at, const char *end, bool dots)
{
	const char *p = at;
	while (p < end && (*p == '_' || *p == '$' || (dots && *p == '.') || is_letter(*p) ||
				  (*p >= '0' && *p <= '9')))
		p++;
	return (size_t)(p - at);
}

/*
 * Symbols of C++ have no dot; suffixes of the compiler begin with a dot. Rust's older symbols may
 * have dots, and end with "17h", 16 digits and "E".
 */
static size_t symbol_length(const char *at, const char *end)
{
	static const char mark[] = "17h";
	size_t n = length_of(at, end, true), tail = sizeof mark - 1 + HASH + 1;
	for (size_t i = 0; at[1] == 'Z' && i + tail <= n; i++)
		if (memcmp(at + i, mark, sizeof mark - 1) == 0 && is_hash(at + i + sizeof mark - 1))
			return i + tail;
	return length_of(at, end, false);
}

/* "_R" and a small letter is a name of C. */
static bool is_symbol(const char *at, size_t len)
{
	return len > 2 && at[0] == '_' &&
	       (at[1] == 'Z' || (at[1] == 'R' && at[2] >= 'A' && at[2] <= 'Z'));
}

/* Start of a mangled symbol in the text; NULL: there is none. */
static const char *find_symbol(const char *name, size_t len)
{
	const char *end = name + len, *at = name;
	while (at && !is_symbol(at, (size_t)(end - at))) {
		at = len ? memchr(at, ' ', (size_t)(end - at)) : NULL;
		at = at ? at + 1 : NULL;
	}
	return at;
}

struct job {
	const char *symbol;
	struct out *out;
	bool done;
};

/* Neither allocates nor locks, except for Rust identifiers beyond ASCII. */
static void demangle(void *ctx)
{
	struct job *j = ctx;
	if (setjmp(j->out->full))
		return;
	j->done = rust_demangle_callback(
			  j->symbol, DMGL_PARAMS | DMGL_ANSI, append_demangled, j->out) ||
		  cplus_demangle_v3_callback(
			  j->symbol, DMGL_PARAMS | DMGL_ANSI, append_demangled, j->out);
}

static const char digits_and_letters[] = "0123456789abcdefghijklmnopqrstuvwxyz"
					 "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* Whether a function's type has lifetimes ("FG", a number, "_"): the library counts one by one. */
static bool has_lifetimes(const char *symbol)
{
	const char *end = symbol; /* of the digits and letters around `at` */
	for (const char *at = symbol; (at = strchr(at, 'G')); at++) {
		if (end <= at)
			end = at + strspn(at, digits_and_letters);
		if (at > symbol && (at[-1] == 'F' || at[-1] == 'D') && end - at > 2 && *end == '_')
			return true;
	}
	return false;
}

static bool has_unicode(const char *symbol)
{
	const char *at = symbol;
	while ((at = strchr(at, 'u')) && !(at[1] >= '0' && at[1] <= '9'))
		at++;
	return at;
}

/* References to what came before and to parameters: the work grows by powers of them. */
static bool has_many_references(const char *symbol)
{
	size_t n = 0;
	for (; *symbol; symbol++)
		n += *symbol == 'S' || *symbol == 'T';
	return n > REFERENCES;
}

static void within_limit(struct job *j)
{
	int64_t took;
	if (atomic_load(&budget) < BUDGET_NS)
		atomic_fetch_add(&budget, EACH_NS);
	if (atomic_load(&budget) <= 0)
		return;
	if (!pv_cpu_limit(MOST_NS, demangle, j, &took))
		j->done = false;
	atomic_fetch_sub(&budget, took);
}

static size_t put_demangled(struct out *o, const char *symbol)
{
	struct job j = { symbol, o, false };
	bool rust = symbol[1] == 'R';
	if (!(rust ? has_lifetimes(symbol) : has_many_references(symbol)))
		demangle(&j);
	else if (!rust || !has_unicode(symbol))
		within_limit(&j);
	return j.done ? o->n : 0;
}

size_t pv_demangle(const char *name, size_t len, char *to, size_t room)
{
	char symbol[SYMBOL_MAX];
	const char *at = find_symbol(name, len), *end = name + len;
	size_t n = at ? symbol_length(at, end) : 0, front = at ? (size_t)(at - name) : 0;
	if (!n || n >= sizeof symbol || front > room)
		return 0;
	memcpy(symbol, at, n);
	symbol[n] = 0;
	memcpy(to, name, front);
	struct out o = { .to = to, .n = front, .room = room };
	size_t done = put_demangled(&o, symbol), tail = len - front - n;
	if (!done || tail > room - done)
		return 0;
	memcpy(to + done, at + n, tail);
	return done + tail;
}

#else

size_t pv_demangle(const char *name, size_t len, char *to, size_t room)
{
	(void)name, (void)len, (void)to, (void)room;
	return 0;
}

#endif
