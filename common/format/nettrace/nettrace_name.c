/*
 * Names as the probe for .NET writes them: `Space.Outer/Inner<A>:Do (int)`. The runtime's stream has
 * "Space.Outer+Inner`1[A]", "Do" and "instance void  (int32)".
 */
#include "common/base/utf8.h"
#include "common/format/nettrace/nettrace_parts.h"

enum { ROOM = 4096 /* bytes of a name's parts; what is longer is cut */ };

struct text {
	char *to;
	size_t n, room;
};

static void put(struct text *t, const char *s, size_t n)
{
	if (n > t->room - t->n)
		n = t->room - t->n;
	memcpy(t->to + t->n, s, n);
	t->n += n;
}

/* --- UTF-16 */

static uint16_t unit(struct pv_cursor *c)
{
	return pv_cursor_left(c) >= 2 ? pv_get_u16(c) : 0;
}

void nt_skip_text(struct pv_cursor *c)
{
	while (unit(c))
		;
}

size_t nt_text_into(struct pv_cursor *c, char *to, size_t room)
{
	struct text t = { to, 0, room };
	uint32_t code;
	while ((code = unit(c))) {
		if (code >= 0xd800 && code < 0xdc00 && pv_cursor_left(c) >= 2) {
			uint32_t low = (uint32_t)(c->at[0] | c->at[1] << 8);
			if (low >= 0xdc00 && low < 0xe000) {
				code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
				c->at += 2;
			}
		}
		char utf8[4];
		size_t n = pv_utf8_put(utf8, code >= 0xd800 && code < 0xe000 ? PV_UTF8_BAD : code);
		if (n <= room - t.n)
			put(&t, utf8, n);
		else
			room = t.n; /* nothing more, or it would have a hole */
	}
	return t.n;
}

uint32_t nt_intern(struct nettrace *d, const char *text, size_t len)
{
	uint32_t id = 0;
	if (d->text.text.n >= NT_NAMES || d->text.arena.bytes >= NT_NAME_BYTES)
		return 0;
	d->nomem |= !pv_intern_add(&d->text, text, len, &id);
	return id;
}

uint32_t nt_text(struct nettrace *d, struct pv_cursor *c)
{
	char text[ROOM];
	return nt_intern(d, text, nt_text_into(c, text, sizeof text));
}

/* --- types */

static const struct {
	const char *from, *to;
} simple[] = {
	{ "System.Boolean", "bool" },
	{ "System.Byte", "byte" },
	{ "System.Char", "char" },
	{ "System.Double", "double" },
	{ "System.Int16", "int16" },
	{ "System.Int32", "int" },
	{ "System.Int64", "long" },
	{ "System.IntPtr", "intptr" },
	{ "System.Object", "object" },
	{ "System.SByte", "sbyte" },
	{ "System.Single", "single" },
	{ "System.String", "string" },
	{ "System.UInt16", "uint16" },
	{ "System.UInt32", "uint" },
	{ "System.UInt64", "ulong" },
	{ "System.UIntPtr", "uintptr" },
	{ "System.Void", "void" },
	{ "float32", "single" },
	{ "float64", "double" },
	{ "int32", "int" },
	{ "int64", "long" },
	{ "int8", "sbyte" },
	{ "native int", "intptr" },
	{ "native unsigned int", "uintptr" },
	{ "native uint", "uintptr" },
	{ "unsigned int16", "uint16" },
	{ "unsigned int32", "uint" },
	{ "unsigned int64", "ulong" },
	{ "unsigned int8", "byte" },
	{ "wchar", "char" },
};

static bool is_delimiter(char c)
{
	return c == 0 || (c != ' ' && strchr("<>[],&*()", c));
}

/* Words that say what kind of thing a type is. */
static size_t without_kind(const char **at, size_t n)
{
	static const char *const kind[] = { "class ", "value class ", "valuetype ", "pinned " };
	for (size_t i = 0; i < PV_COUNT_OF(kind); i++) {
		size_t len = strlen(kind[i]);
		if (n < len || memcmp(*at, kind[i], len) != 0)
			continue;
		*at += len;
		n -= len;
		i = SIZE_MAX;
	}
	return n;
}

/* One type's name without its arguments. */
static void put_word(struct text *t, const char *at, size_t n)
{
	while (n && *at == ' ') {
		at++;
		n--;
	}
	while (n && at[n - 1] == ' ')
		n--;
	n = without_kind(&at, n);
	for (size_t i = 0; i < PV_COUNT_OF(simple); i++) {
		if (strlen(simple[i].from) != n || memcmp(at, simple[i].from, n) != 0)
			continue;
		put(t, simple[i].to, strlen(simple[i].to));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (at[i] == '`' && i + 1 < n && at[i + 1] >= '0' && at[i + 1] <= '9') {
			while (i + 1 < n && at[i + 1] >= '0' && at[i + 1] <= '9')
				i++;
		} else {
			put(t, at[i] == '+' ? "/" : &at[i], 1);
		}
	}
}

/* A generic type's n-th argument in "Space.Type`2[A,B[C]]"; empty: it has none. */
static struct pv_text argument(const char *type, size_t len, uint32_t n)
{
	const char *open = memchr(type, '[', len), *end = type + len;
	unsigned depth = 0;
	if (!open)
		return (struct pv_text){ "", 0 };
	const char *from = open + 1;
	for (const char *at = open; at < end; at++) {
		depth += *at == '[';
		depth -= *at == ']';
		if (depth > 1 || (*at != ',' && depth))
			continue;
		if (n == 0 || depth == 0)
			return n ? (struct pv_text){ "", 0 }
				 : (struct pv_text){ from, (size_t)(at - from) };
		n--;
		from = at + 1;
	}
	return (struct pv_text){ "", 0 };
}

static void put_types(struct text *t, const char *at, size_t n);

/* "!0" of a class whose arguments are known. */
static bool put_variable(struct text *t, const char *at, size_t n, const struct pv_text *of)
{
	while (n && *at == ' ') {
		at++;
		n--;
	}
	if (!of || n < 2 || n > 3 || at[0] != '!' || at[1] < '0' || at[1] > '9')
		return false;
	uint32_t index = (uint32_t)(at[1] - '0');
	if (n == 3 && (at[2] < '0' || at[2] > '9'))
		return false;
	index = n == 3 ? index * 10 + (uint32_t)(at[2] - '0') : index;
	struct pv_text a = argument(of->at, of->len, index);
	if (a.len)
		put_types(t, a.at, a.len);
	return a.len != 0;
}

/* Types with what stands between them; `of`: the class whose variables they may name. */
static void put_parameters(struct text *t, const char *at, size_t n, const struct pv_text *of)
{
	for (size_t i = 0; i < n && t->n < t->room;) {
		size_t from = i;
		while (i < n && !is_delimiter(at[i]))
			i++;
		if (i > from && !put_variable(t, at + from, i - from, of))
			put_word(t, at + from, i - from);
		if (i >= n)
			break;
		bool array = at[i] == '[' && i + 1 < n && (at[i + 1] == ']' || at[i + 1] == ',');
		if (array) {
			while (i < n && at[i] != ']')
				put(t, &at[i++], 1);
			if (i < n)
				put(t, &at[i++], 1);
			continue;
		}
		put(t, at[i] == '[' ? "<" : at[i] == ']' ? ">" : &at[i], 1);
		i++;
	}
}

static void put_types(struct text *t, const char *at, size_t n)
{
	put_parameters(t, at, n, NULL);
}

/* --- names */

uint32_t nt_class_name(struct nettrace *d, struct pv_cursor *c)
{
	char raw[ROOM], name[ROOM];
	struct text t = { name, 0, sizeof name };
	put_types(&t, raw, nt_text_into(c, raw, sizeof raw));
	return nt_intern(d, name, t.n);
}

uint32_t nt_method_name(struct nettrace *d, struct pv_cursor *c)
{
	char class[ROOM], method[ROOM], how[ROOM], name[2 * ROOM];
	struct text t = { name, 0, sizeof name };
	const struct pv_text of = { class, nt_text_into(c, class, sizeof class) };
	size_t method_n = nt_text_into(c, method, sizeof method);
	size_t how_n = nt_text_into(c, how, sizeof how);
	put_types(&t, class, of.len);
	if (of.len)
		put(&t, ":", 1);
	put(&t, method, method_n);
	const char *open = memchr(how, '(', how_n);
	if (open) {
		put(&t, " ", 1);
		put_parameters(&t, open, how_n - (size_t)(open - how), &of);
	}
	return nt_intern(d, name, t.n);
}
