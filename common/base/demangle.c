#include "common/base/demangle.h"

#include <string.h>

#ifdef PV_LIBIBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>

enum { SYMBOL_MAX = 4096 };

/* Some symbols stand for names that are longer than any memory: it is left at the room's end. */
struct out {
	char *to;
	size_t n, room;
	jmp_buf full;
};

static void take(const char *text, size_t len, void *ctx)
{
	struct out *o = ctx;
	if (len > o->room - o->n)
		longjmp(o->full, 1);
	memcpy(o->to + o->n, text, len);
	o->n += len;
}

static size_t symbol_length(const char *at, const char *end)
{
	const char *p = at;
	while (p < end && (*p == '_' || *p == '$' || (*p >= '0' && *p <= '9') ||
				  ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z')))
		p++;
	return (size_t)(p - at);
}

/* Start of a mangled symbol in the text; NULL: there is none. */
static const char *find_symbol(const char *name, size_t len)
{
	if (len > 2 && memcmp(name, "_Z", 2) == 0)
		return name;
	const char *at =
		len > 3 ? memmem(name, len, " _Z", 3) : NULL; /* no text may be no address */
	return at ? at + 1 : NULL;
}

static size_t put(struct out *o, const char *symbol)
{
	if (setjmp(o->full))
		return 0;
	return cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI, take, o) ? o->n : 0;
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
	size_t done = put(&o, symbol), tail = len - front - n;
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
