#include "common/format/stacks/stack_line.h"

#include <string.h>

#include "common/base/merged_text.h"

/* Of one line; so many lines that sums would overflow are no file. */
#define MOST_COUNT   UINT64_C(1000000000000)
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
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool next(struct words *w, struct pv_text *ret)
{
	while (w->at < w->end && is_blank(*w->at))
		w->at++;
	ret->at = w->at;
	while (w->at < w->end && !is_blank(*w->at))
		w->at++;
	ret->len = (size_t)(w->at - ret->at);
	return ret->len > 0;
}

static bool number(const char *at, size_t n, uint64_t *ret)
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
static bool time_of(struct pv_text word, uint64_t *ret)
{
	const char *dot = memchr(word.at, '.', word.len);
	uint64_t seconds, fraction;
	if (!dot || word.at[word.len - 1] != ':')
		return false;
	size_t whole = (size_t)(dot - word.at), digits = word.len - whole - 2;
	if (digits == 0 || digits > FRACTION_DIGITS || !number(word.at, whole, &seconds) ||
		!number(dot + 1, digits, &fraction))
		return false;
	while (digits++ < FRACTION_DIGITS)
		fraction *= 10;
	return !__builtin_mul_overflow(seconds, UINT64_C(1000000000), ret) &&
	       !__builtin_add_overflow(*ret, fraction, ret) && *ret <= INT64_MAX;
}

/* "123", or "120/123": process and thread. */
static bool thread_of(struct pv_text word, uint64_t *ret)
{
	const char *slash = memchr(word.at, '/', word.len);
	uint64_t pid;
	if (!slash)
		return number(word.at, word.len, ret);
	size_t n = (size_t)(slash - word.at);
	return number(word.at, n, &pid) && number(slash + 1, word.len - n - 1, ret);
}

static bool is_cpu(struct pv_text word)
{
	uint64_t cpu;
	return word.len > 2 && word.at[0] == '[' && word.at[word.len - 1] == ']' &&
	       number(word.at + 1, word.len - 2, &cpu);
}

/* [PERIOD] EVENT: [the rest]. An event's name may have colons in it. */
static bool read_event(struct words *w, struct pv_stack_head *ret)
{
	struct pv_text word;
	uint64_t period;
	if (!next(w, &word) || (number(word.at, word.len, &period) && !next(w, &word)))
		return false;
	if (word.at[word.len - 1] != ':')
		return false;
	while (w->at < w->end && is_blank(*w->at))
		w->at++;
	ret->frame = (struct pv_text){ w->at, (size_t)(w->end - w->at) };
	return true;
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
	while (next(&w, &word)) {
		if (time_of(word, &ret->time_ns) && before.len) {
			if (!thread_of(before, &ret->tid)) {
				before =
					word; /* of the thread's own name, in which anything stands */
				continue;
			}
			size_t name = (size_t)(before.at - line);
			while (name && is_blank(line[name - 1]))
				name--;
			ret->comm = (struct pv_text){ line, name };
			return name > 0 && read_event(&w, ret);
		}
		if (!is_cpu(word) || !before.len)
			before = word;
	}
	return false;
}

/* --- frames */

static const char *last(const char *at, size_t n, char c)
{
	return memrchr(at, c, n);
}

/* " (/usr/lib/libc.so.6)": without it what remains is the symbol. */
static struct pv_text take_object(struct pv_text *rest)
{
	if (rest->len < 3 || rest->at[rest->len - 1] != ')')
		return (struct pv_text){ "", 0 };
	const char *open = last(rest->at, rest->len, '(');
	if (!open || open == rest->at || !is_blank(open[-1]))
		return (struct pv_text){ "", 0 };
	struct pv_text object = { open + 1, (size_t)(rest->at + rest->len - 1 - (open + 1)) };
	rest->len = (size_t)(open - rest->at);
	while (rest->len && is_blank(rest->at[rest->len - 1]))
		rest->len--;
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

bool pv_stack_frame(const char *line, size_t n, struct pv_text *ret)
{
	static const char unknown[] = "[unknown]";
	struct words w = { line, line + n };
	struct pv_text word;
	if (!next(&w, &word))
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (!is_hex(word.at[i]))
			return false;
	while (w.at < w.end && is_blank(*w.at))
		w.at++;
	struct pv_text symbol = { w.at, (size_t)(w.end - w.at) };
	struct pv_text object = base_name(take_object(&symbol));
	take_offset(&symbol);
	bool known = symbol.len && !(symbol.len == sizeof unknown - 1 &&
					   memcmp(symbol.at, unknown, symbol.len) == 0);
	*ret = known ? symbol : object.len ? object : word;
	return true;
}

/* --- folded */

bool pv_stack_folded(const char *line, size_t n, struct pv_stack_folded *ret)
{
	while (n && is_blank(line[n - 1]))
		n--;
	const char *blank = n ? last(line, n, ' ') : NULL;
	if (!blank || blank == line)
		return false;
	const char *count = blank + 1, *end = line + n;
	const char *dot = memchr(count, '.', (size_t)(end - count));
	uint64_t fraction = 0;
	if (dot && (dot + 1 == end || !number(dot + 1, (size_t)(end - dot - 1), &fraction)))
		return false;
	if (!number(count, (size_t)((dot ? dot : end) - count), &ret->count))
		return false;
	ret->count += dot && dot[1] >= '5';
	if (ret->count > MOST_COUNT)
		return false;
	ret->stack = (struct pv_text){ line, (size_t)(blank - line) };
	return true;
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
	if (!stack || stack + 1 == end || !number(calls, (size_t)(self - calls), &ret->calls) ||
		!number(self + 1, (size_t)(stack - self - 1), &ret->self_ns))
		return false;
	ret->stack = (struct pv_text){ stack + 1, (size_t)(end - stack - 1) };
	return ret->calls <= MOST_COUNT && ret->self_ns <= MOST_SELF_NS;
}
