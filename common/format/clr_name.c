/* SPDX-License-Identifier: MIT */
/*
 * Names in the notation of the probe for .NET: `Space.Outer/Inner<A>:Do (int)`. The runtime has
 * "Space.Outer+Inner`1[A]", "Do" and "instance void  (int32)".
 */
#include "common/format/clr_name.h"

#include <string.h>

#include "common/base/status.h"

struct text {
	char *to;
	size_t n, room;
};

static void put_name_part(struct text *t, const char *s, size_t n)
{
	if (n > t->room - t->n)
		n = t->room - t->n;
	memcpy(t->to + t->n, s, n);
	t->n += n;
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

/* Skips words for the kind of a type. */
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
		put_name_part(t, simple[i].to, strlen(simple[i].to));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (at[i] == '`' && i + 1 < n && at[i + 1] >= '0' && at[i + 1] <= '9') {
			while (i + 1 < n && at[i + 1] >= '0' && at[i + 1] <= '9')
				i++;
		} else {
			put_name_part(t, at[i] == '+' ? "/" : &at[i], 1);
		}
	}
}

/* A generic type's n-th argument in "Space.Type`2[A,B[C]]"; empty: no such argument. */
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

/* Writes the argument for "!0" of a class with known arguments. */
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

/* Writes types with the characters between them; `of`: the class whose variables may occur. */
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
				put_name_part(t, &at[i++], 1);
			if (i < n)
				put_name_part(t, &at[i++], 1);
			continue;
		}
		put_name_part(t, at[i] == '[' ? "<" : at[i] == ']' ? ">" : &at[i], 1);
		i++;
	}
}

static void put_types(struct text *t, const char *at, size_t n)
{
	put_parameters(t, at, n, NULL);
}

/* --- names */

size_t pv_clr_type_name(struct pv_text type, char *to, size_t room)
{
	struct text t = { to, 0, room };
	put_types(&t, type.at, type.len);
	return t.n;
}

size_t pv_clr_method_name(struct pv_text class, struct pv_text method, struct pv_text signature,
	char *to, size_t room)
{
	struct text t = { to, 0, room };
	/* "lambda_method3(pMT: 0x7f...)": the address differs in each run, and is left out. */
	const char *address = method.len ? memmem(method.at, method.len, "(pMT: ", 6) : NULL;
	method.len = address ? (size_t)(address - method.at) : method.len;
	put_types(&t, class.at, class.len);
	if (class.len)
		put_name_part(&t, ":", 1);
	put_name_part(&t, method.at, method.len);
	const char *open = signature.len ? memchr(signature.at, '(', signature.len) : NULL;
	if (open) {
		put_name_part(&t, " ", 1);
		put_parameters(&t, open, signature.len - (size_t)(open - signature.at), &class);
	}
	return t.n;
}
