/* SPDX-License-Identifier: MIT */
/* Parses the lines of perf script, of folded stacks and of summed-up calls. */
#include "common/format/stacks/stack_line.h"

#include <string.h>

#include "common/base/text/merged_text.h"

/* Limits of one line, lest sums overflow. */
#define MOST_CALLS   UINT64_C(1000000000000)
#define MOST_SELF_NS (UINT64_C(1) << 60)

enum { MOST_DIGITS = 19, FRACTION_DIGITS = 9 };

struct words {
	const char *at, *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	static const bool hex[256] = { ['0'] = true,
		['1'] = true,
		['2'] = true,
		['3'] = true,
		['4'] = true,
		['5'] = true,
		['6'] = true,
		['7'] = true,
		['8'] = true,
		['9'] = true,
		['a'] = true,
		['b'] = true,
		['c'] = true,
		['d'] = true,
		['e'] = true,
		['f'] = true,
		['A'] = true,
		['B'] = true,
		['C'] = true,
		['D'] = true,
		['E'] = true,
		['F'] = true };
	return hex[(unsigned char)c];
}

static bool next_field(struct words *w, struct pv_text *ret)
{
	while (w->at < w->end && is_blank(*w->at))
		w->at++;
	ret->at = w->at;
	while (w->at < w->end && !is_blank(*w->at))
		w->at++;
	ret->len = (size_t)(w->at - ret->at);
	return ret->len > 0;
}

static bool take_decimal(const char *at, size_t n, uint64_t *ret)
{
	*ret = 0;
	if (n == 0 || n > MOST_DIGITS)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_digit(at[i]))
			return false;
		*ret = *ret * 10 + (uint64_t)(at[i] - '0');
	}
	return true;
}

/* "6544038.708352:" in ns. */
static bool take_time(struct pv_text word, uint64_t *ret)
{
	const char *dot = memchr(word.at, '.', word.len);
	uint64_t seconds, fraction;
	if (!dot || word.at[word.len - 1] != ':')
		return false;
	size_t whole = (size_t)(dot - word.at), digits = word.len - whole - 2;
	if (digits == 0 || digits > FRACTION_DIGITS || !take_decimal(word.at, whole, &seconds) ||
		!take_decimal(dot + 1, digits, &fraction))
		return false;
	while (digits++ < FRACTION_DIGITS)
		fraction *= 10;
	return !__builtin_mul_overflow(seconds, UINT64_C(1000000000), ret) &&
	       !__builtin_add_overflow(*ret, fraction, ret) && *ret <= INT64_MAX;
}

/* "123", or "120/123": process and thread. perf writes -1 for an unknown one. */
static bool thread_of(struct pv_text word, uint64_t *ret)
{
	const char *slash = memchr(word.at, '/', word.len);
	uint64_t pid;
	if (word.len >= 2 && memcmp(word.at + word.len - 2, "-1", 2) == 0 &&
		(word.len == 2 || (slash && slash + 3 == word.at + word.len))) {
		*ret = UINT32_MAX;
		return true;
	}
	if (!slash)
		return take_decimal(word.at, word.len, ret);
	size_t n = (size_t)(slash - word.at);
	return take_decimal(word.at, n, &pid) && take_decimal(slash + 1, word.len - n - 1, ret);
}

static bool is_cpu(struct pv_text word)
{
	uint64_t cpu;
	return word.len > 2 && word.at[0] == '[' && word.at[word.len - 1] == ']' &&
	       take_decimal(word.at + 1, word.len - 2, &cpu);
}

/* "PERF_RECORD_LOST lost 52", "PERF_RECORD_FORK(7:8):(1:1)" */
static bool read_record(struct words *w, struct pv_text word, struct pv_stack_head *ret)
{
	static const char record[] = "PERF_RECORD_", lost[] = "PERF_RECORD_LOST";
	if (word.len < sizeof record || memcmp(word.at, record, sizeof record - 1) != 0)
		return false;
	ret->record = true;
	ret->lost = 0;
	struct pv_text count;
	if (word.len >= sizeof lost - 1 && memcmp(word.at, lost, sizeof lost - 1) == 0 &&
		next_field(w, &count) && next_field(w, &count) &&
		!take_decimal(count.at, count.len, &ret->lost))
		ret->lost = 0;
	return true;
}

/* [PERIOD] EVENT: [the rest]. The name of an event may contain colons. */
static bool read_event(struct words *w, struct pv_stack_head *ret)
{
	struct pv_text word;
	ret->period = 0;
	ret->record = false;
	if (!next_field(w, &word) ||
		(take_decimal(word.at, word.len, &ret->period) && !next_field(w, &word)))
		return false;
	if (*word.at == 'P' && read_record(w, word, ret))
		return true;
	if (word.len < 2 || word.at[word.len - 1] != ':')
		return false;
	ret->event = (struct pv_text){ word.at, word.len - 1 };
	while (w->at < w->end && is_blank(*w->at))
		w->at++;
	ret->frame = (struct pv_text){ w->at, (size_t)(w->end - w->at) };
	return true;
}

static void take_comm(const char *line, const char *end, struct pv_stack_head *ret)
{
	while (end > line && is_blank(end[-1]))
		end--;
	ret->comm = (struct pv_text){ line, (size_t)(end - line) };
}

bool pv_stack_head(const char *line, size_t n, struct pv_stack_head *ret)
{
	struct words w = { line, line + n };
	struct pv_text word, before = { 0 };
	if (n == 0 || *line == '\t')
		return false;
	while (n && *line == ' ') { /* samples without callers are in columns */
		line++;
		n--;
	}
	while (next_field(&w, &word)) {
		if (word.at[word.len - 1] == ':' && before.len && take_time(word, &ret->time_ns)) {
			if (!thread_of(before, &ret->tid)) {
				before = word; /* part of the thread's name */
				continue;
			}
			take_comm(line, before.at, ret);
			return read_event(&w, ret);
		}
		if (!is_cpu(word) || !before.len)
			before = word;
	}
	return false;
}

bool pv_stack_head_untimed(const char *line, size_t n, struct pv_stack_head *ret)
{
	struct words w = { line, line + n };
	struct pv_text word;
	struct pv_stack_frame frame;
	if (n == 0 || *line == '\t')
		return false;
	while (n && *line == ' ') {
		line++;
		n--;
	}
	if (!next_field(&w, &word))
		return false;
	while (next_field(&w, &word)) {
		struct words rest = w;
		struct pv_text cpu;
		if (!thread_of(word, &ret->tid))
			continue;
		if (next_field(&rest, &cpu) && !is_cpu(cpu))
			rest = w;
		ret->time_ns = 0;
		take_comm(line, word.at, ret);
		if (read_event(&rest, ret) && (ret->record || ret->frame.len == 0 ||
						      pv_stack_frame_last(ret->frame, &frame)))
			return true;
	}
	return false;
}

/* --- frames */

static const char *last(const char *at, size_t n, char c)
{
	return memrchr(at, c, n);
}

/* The start of the last bracket, which closes at the last byte and follows a blank; NULL: none. */
static const char *object_from(const struct pv_text *rest)
{
	const char *at = last(rest->at, rest->len, '(');
	size_t depth = 0;
	if (!at)
		return NULL;
	if ((at[1] == '/' || at[1] == '[') && at > rest->at && is_blank(at[-1]))
		return at; /* nearly always: a path without brackets */
	for (at = rest->at + rest->len; at > rest->at;) {
		depth += *--at == ')';
		if (*at == '(' && --depth == 0)
			return at > rest->at && is_blank(at[-1]) ? at : NULL;
	}
	return NULL;
}

/* Takes " (/usr/lib/libc.so.6)" off the end: the symbol remains. */
static struct pv_text take_object(struct pv_text *rest)
{
	static const char deleted[] = " (deleted)", inlined[] = "inlined";
	const size_t gone = sizeof deleted - 1;
	if (rest->len < 3 || rest->at[rest->len - 1] != ')')
		return (struct pv_text){ "", 0 };
	const char *open = object_from(rest);
	if (!open)
		return (struct pv_text){ "", 0 };
	struct pv_text object = { open + 1, (size_t)(rest->at + rest->len - 1 - (open + 1)) };
	rest->len = (size_t)(open - rest->at);
	while (rest->len && is_blank(rest->at[rest->len - 1]))
		rest->len--;
	if (object.len > gone && memcmp(object.at + object.len - gone, deleted, gone) == 0)
		object.len -= gone;
	if (object.len == sizeof inlined - 1 && memcmp(object.at, inlined, object.len) == 0)
		object.len = 0;
	return object;
}

static void take_offset(struct pv_text *symbol)
{
	const char *plus = last(symbol->at, symbol->len, '+');
	size_t n = plus ? (size_t)(symbol->at + symbol->len - plus) : 0;
	if (!plus || plus == symbol->at || n < 4 || plus[1] != '0' || plus[2] != 'x')
		return;
	for (size_t i = 3; i < n; i++)
		if (!is_hex(plus[i]))
			return;
	symbol->len -= n;
}

static struct pv_text base_name(struct pv_text path)
{
	const char *slash = last(path.at, path.len, '/');
	if (!slash || slash + 1 == path.at + path.len)
		return path;
	return (struct pv_text){ slash + 1, (size_t)(path.at + path.len - slash - 1) };
}

static bool is_address(struct pv_text word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!is_hex(word.at[i]))
			return false;
	return word.len > 0;
}

static void read_frame(struct words *w, struct pv_text address, struct pv_stack_frame *ret)
{
	static const char unknown[] = "[unknown]";
	while (w->at < w->end && is_blank(*w->at))
		w->at++;
	while (w->end > w->at && is_blank(w->end[-1]))
		w->end--;
	struct pv_text symbol = { w->at, (size_t)(w->end - w->at) };
	ret->object = take_object(&symbol);
	take_offset(&symbol);
	ret->known = symbol.len && !(symbol.len == sizeof unknown - 1 &&
					   memcmp(symbol.at, unknown, symbol.len) == 0);
	ret->name = ret->known ? symbol : ret->object.len ? base_name(ret->object) : address;
}

/* Skips a tab, and the blanks that align addresses. */
static void skip_margin(struct words *w)
{
	uint64_t eight;
	w->at += w->at < w->end && *w->at == '\t';
	for (; w->end - w->at >= 8; w->at += 8) {
		memcpy(&eight, w->at, sizeof eight);
		if (eight != UINT64_C(0x2020202020202020))
			break;
	}
	while (w->at < w->end && is_blank(*w->at))
		w->at++;
}

bool pv_stack_frame(const char *line, size_t n, struct pv_stack_frame *ret)
{
	struct words w = { line, line + n };
	skip_margin(&w);
	struct pv_text address = { w.at, 0 };
	while (w.at < w.end && is_hex(*w.at))
		w.at++;
	address.len = (size_t)(w.at - address.at);
	if (!address.len || (w.at < w.end && !is_blank(*w.at)))
		return false;
	read_frame(&w, address, ret);
	return true;
}

/*
 * The last word that is an address; a short one ("add", "100", "dead") counts only as the first
 * word, and before an object.
 */
bool pv_stack_frame_last(struct pv_text text, struct pv_stack_frame *ret)
{
	enum { SURE = 8 /* digits */ };
	struct words w = { text.at, text.at + text.len };
	struct pv_text word;
	bool found = false;
	while (next_field(&w, &word)) {
		bool first = word.at == text.at;
		if ((word.len < SURE && !first) || !is_address(word))
			continue;
		struct words rest = w;
		struct pv_stack_frame frame;
		read_frame(&rest, word, &frame);
		if (word.len < SURE &&
			!(frame.object.len && (*frame.object.at == '/' || *frame.object.at == '[')))
			continue;
		*ret = frame;
		found = true;
	}
	return found;
}

/* "  work.c:12", "  ld.so[11634]" */
bool pv_stack_is_place(const char *line, size_t n)
{
	struct pv_text word = { line, n };
	while (word.len && is_blank(*word.at)) {
		word.at++;
		word.len--;
	}
	if (word.len == n || word.len < 3)
		return false;
	bool closed = word.at[word.len - 1] == ']';
	const char *from = last(word.at, word.len, closed ? '[' : ':');
	const char *end = word.at + word.len - closed;
	return from && from > word.at && from + 1 < end &&
	       is_address((struct pv_text){ from + 1, (size_t)(end - from - 1) });
}

/* --- folded */

bool pv_stack_folded(const char *line, size_t n, struct pv_stack_folded *ret)
{
	while (n && is_blank(line[n - 1]))
		n--;
	const char *blank = n ? last(line, n, ' ') : NULL;
	if (!blank || blank == line)
		return false;
	ret->stack = (struct pv_text){ line, (size_t)(blank - line) };
	return pv_stack_number(blank + 1, (size_t)(line + n - (blank + 1)), &ret->count);
}

bool pv_stack_call(const char *line, size_t n, struct pv_stack_call *ret)
{
	static const char word[] = PV_MERGED_CALL;
	const size_t head = sizeof word - 1;
	if (n <= head || memcmp(line, word, head) != 0)
		return false;
	const char *calls = line + head, *end = line + n;
	const char *self = memchr(calls, ' ', (size_t)(end - calls));
	const char *stack = self ? memchr(self + 1, ' ', (size_t)(end - self - 1)) : NULL;
	if (!stack || stack + 1 == end ||
		!take_decimal(calls, (size_t)(self - calls), &ret->calls) ||
		!take_decimal(self + 1, (size_t)(stack - self - 1), &ret->self_ns))
		return false;
	ret->stack = (struct pv_text){ stack + 1, (size_t)(end - stack - 1) };
	return ret->calls <= MOST_CALLS && ret->self_ns <= MOST_SELF_NS;
}
