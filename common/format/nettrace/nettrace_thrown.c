/* SPDX-License-Identifier: MIT */
/* Exceptions: throws, and the methods that handle them. */
#include "common/format/nettrace/nettrace_parts.h"

enum { RETHROWN = 4 /* flag of a thrown exception */ };
enum { CATCH = 0, FILTER = 1, FINALLY = 2 /* kinds of clauses as Mono's logs number them */ };

/* --- open on a thread */

static void keep_throw(struct nt_throw *list, unsigned *n, struct nt_throw one)
{
	if (*n == NT_THROWS_OPEN)
		memmove(list, list + 1, --*n * sizeof *list);
	list[(*n)++] = one;
}

static struct nt_throw newest_throw(const struct nt_throws *t)
{
	return t->n ? t->open[t->n - 1] : (struct nt_throw){ 0, 0, 0 };
}

/*
 * The exception for a catch with none open: a handler has rethrown its own (since .NET 9 without an
 * event), a handler no further out than this catch. With several such handlers, none is chosen.
 */
static struct nt_throw thrown_again(const struct nt_throws *t, uint32_t depth)
{
	unsigned n = t->caught_n;
	while (n && t->caught[n - 1].depth >= depth)
		n--;
	return t->caught_n - n == 1 ? t->caught[n] : (struct nt_throw){ 0, 0, 0 };
}

/* Catches the newest exception; handlers no further out have ended. */
static struct nt_throw catch_one(struct nt_throws *t, uint32_t depth)
{
	struct nt_throw one = t->n ? t->open[--t->n] : thrown_again(t, depth);
	while (t->caught_n && t->caught[t->caught_n - 1].depth >= depth)
		t->caught_n--;
	one.depth = depth;
	keep_throw(t->caught, &t->caught_n, one);
	return one;
}

/* --- events */

static void say_class_of(struct pv_stream *s, struct nt_throw one, uint64_t offset)
{
	struct pv_event *e = nt_add(s, PV_KIND_EXT_CLASS_OF, offset);
	if (!e)
		return;
	e->class_of.object = one.object;
	e->class_of.type = one.type;
}

static void say_throw(struct pv_stream *s, const struct nt_blob *b, struct nt_throw one,
	const struct pv_text *message)
{
	struct pv_span stack = nt_stack(s, b, true);
	say_class_of(s, one, b->offset);
	struct pv_event *e = message ? nt_add(s, PV_KIND_EXT_MESSAGE, b->offset) : NULL;
	if (e) {
		e->string.object = one.object;
		e->string.text = *message;
		e->string.length = message->len;
	}
	e = nt_add(s, PV_KIND_EXCEPTION_THROW, b->offset);
	if (e) {
		e->thrown.object = one.object;
		e->thrown.stack = stack;
	}
}

/* A rethrown exception is not a new one, but another handler will catch it. */
void nt_thrown(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	char text[1024];
	uint32_t class = nt_class_name(d, c);
	size_t n = nt_text_into(c, text, sizeof text);
	nt_pointer(d, c);
	pv_get_u32(c); /* HRESULT */
	uint16_t flags = pv_get_u16(c);
	struct nt_thread *t = nt_thread_of(d, b->thread);
	if (!pv_cursor_ok(c))
		return;
	const struct nt_throw one = { NT_OBJECT | ++d->objects, nt_class_key(s, class, b->offset),
		0 };
	if (t)
		keep_throw(t->throws.open, &t->throws.n, one);
	if (flags & RETHROWN)
		return;
	bool none = n == 4 && memcmp(text, "NULL", 4) == 0; /* as written by the runtime */
	struct pv_text message = nt_text_of(d, nt_intern(d, text, none ? 0 : n));
	say_throw(s, b, one, none ? NULL : &message);
}

void nt_handled(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	enum nt_event_kind what = d->kind.v[b->kind].what;
	uint64_t address = nt_pointer(d, c), method = nt_pointer(d, c);
	struct nt_thread *t = nt_thread_of(d, b->thread);
	if (!t || !pv_cursor_ok(c))
		return;
	uint32_t depth = nt_stack_depth(d, b);
	struct nt_throw one =
		what == NT_CATCH ? catch_one(&t->throws, depth) : newest_throw(&t->throws);
	uint64_t key = nt_method_key(s, method, address, b->offset);
	if (what == NT_CATCH && one.type)
		say_class_of(s, one, b->offset);
	struct pv_event *e = nt_add(s, PV_KIND_EXCEPTION_CLAUSE, b->offset);
	if (!e)
		return;
	e->clause.type = what == NT_CATCH ? CATCH : what == NT_FILTER ? FILTER : FINALLY;
	e->clause.method = key;
	e->clause.object = one.object;
}

void nt_catch_ends(struct nettrace *d, const struct nt_blob *b)
{
	struct nt_thread *t = nt_thread_of(d, b->thread);
	if (t)
		t->throws.caught_n -= t->throws.caught_n > 0;
}
