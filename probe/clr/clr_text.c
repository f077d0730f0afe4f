/* SPDX-License-Identifier: MIT */
/* Names of types and methods, as the Mono runtime writes them: `Space.Outer/Inner<A>:Do (int)`. */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "probe/clr/clr_resolve.h"
#include "probe/clr/host_clr.h"

enum {
	DEPTH = 8,      /* of types within types */
	ARGUMENTS = 16, /* of a generic type or method */
	NAME = 512,     /* UTF-16 units of a name */
	NESTED = 2,     /* of a type's visibility, least */
	REF_TABLE = 0x01,
	DEF_TABLE = 0x02,
};

static const struct pvp_guid metadata_iid = { 0x7dac8207, 0xd3ae, 0x4c75,
	{ 0x9b, 0x67, 0x92, 0x80, 0x1a, 0x49, 0x7d, 0x44 } };

struct text {
	char *to;
	size_t n, room; /* room for the final 0 is kept */
};

/* A signature: the module, and the types of its variables (0: unknown). */
struct place {
	struct pvp_clr_metadata *m;
	uint64_t of_type[ARGUMENTS], of_method[ARGUMENTS];
	uint32_t type_n, method_n;
};

static void put_chars(struct text *t, const char *s)
{
	size_t len = strlen(s);
	if (len >= t->room - t->n)
		len = t->room - t->n - 1;
	memcpy(t->to + t->n, s, len);
	t->n += len;
	t->to[t->n] = 0;
}

size_t pvp_clr_utf8(const pvp_char *from, uint32_t n, char *to, size_t room)
{
	size_t len = 0;
	for (uint32_t i = 0; i < n && from[i] && len + 5 <= room; i++) {
		uint32_t c = from[i];
		if (c >= 0xd800 && c < 0xdc00 && i + 1 < n && from[i + 1] >= 0xdc00 &&
			from[i + 1] < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) + (from[++i] - UINT32_C(0xdc00));
		if (c < 0x80) {
			to[len++] = (char)c;
			continue;
		}
		int tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
		static const uint8_t first[] = { 0, 0xc0, 0xe0, 0xf0 };
		to[len++] = (char)(first[tail] | c >> (6 * tail));
		while (tail--)
			to[len++] = (char)(0x80 | (c >> (6 * tail) & 0x3f));
	}
	if (room)
		to[len] = 0;
	return len;
}

struct pvp_clr_metadata *pvp_clr_metadata(uint64_t module)
{
	void *found = NULL;
	struct pvp_clr_info *info = pvp_clr.info;
	if (!module || info->is->module_metadata(info, module, 0, &metadata_iid, &found) != 0)
		return NULL;
	return found;
}

/* Without the number of type parameters, as these are written out. */
static void put_bare_name(struct text *t, const pvp_char *name, uint32_t n)
{
	char utf8[3 * NAME];
	pvp_clr_utf8(name, n < NAME ? n : NAME, utf8, sizeof utf8);
	char *tick = strrchr(utf8, '`');
	if (tick && tick[1 + strspn(tick + 1, "0123456789")] == 0)
		*tick = 0;
	put_chars(t, utf8);
}

static void put_def(struct text *t, struct pvp_clr_metadata *m, uint32_t token, unsigned depth)
{
	pvp_char name[NAME];
	uint32_t n = 0, flags = 0, extends, around = 0;
	if (m->is->type(m, token, name, NAME, &n, &flags, &extends) < 0)
		return;
	if ((flags & 7) >= NESTED && depth && m->is->nested(m, token, &around) >= 0) {
		put_def(t, m, around, depth - 1);
		put_chars(t, "/");
	}
	put_bare_name(t, name, n);
}

static void put_ref(struct text *t, struct pvp_clr_metadata *m, uint32_t token, unsigned depth)
{
	pvp_char name[NAME];
	uint32_t n = 0, scope = 0;
	if (m->is->type_ref(m, token, &scope, name, NAME, &n) < 0)
		return;
	if (scope >> 24 == REF_TABLE && depth) {
		put_ref(t, m, scope, depth - 1);
		put_chars(t, "/");
	}
	put_bare_name(t, name, n);
}

static void put_class(struct text *t, uint64_t type, unsigned depth);

static void put_arguments(struct text *t, const uint64_t *types, uint32_t n, unsigned depth)
{
	for (uint32_t i = 0; i < n && i < ARGUMENTS && depth; i++) {
		put_chars(t, i ? "," : "<");
		put_class(t, types[i], depth - 1);
	}
	if (n && depth)
		put_chars(t, ">");
}

static void put_array(struct text *t, uint64_t base, uint32_t rank, unsigned depth)
{
	if (depth)
		put_class(t, base, depth - 1);
	put_chars(t, "[");
	for (uint32_t i = 1; i < rank && i < 32; i++)
		put_chars(t, ",");
	put_chars(t, "]");
}

static void put_class(struct text *t, uint64_t type, unsigned depth)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t module = 0, parent, base = 0, types[ARGUMENTS];
	uint32_t token = 0, n = 0, rank = 0, element;
	if (!type)
		return;
	if (info->is->array_class(info, type, &element, &base, &rank) == 0) {
		put_array(t, base, rank, depth);
		return;
	}
	if (info->is->class_info(info, type, &module, &token, &parent, ARGUMENTS, &n, types) < 0)
		return;
	struct pvp_clr_metadata *m = pvp_clr_metadata(module);
	if (!m)
		return;
	put_def(t, m, token, DEPTH);
	m->is->unknown.release(m);
	put_arguments(t, types, n, depth);
}

size_t pvp_clr_class_name(uint64_t type, char name[PVP_CLR_NAME])
{
	struct text t = { name, 0, PVP_CLR_NAME };
	name[0] = 0;
	put_class(&t, type, DEPTH);
	return t.n;
}

/* --- signatures */

static const char *const simple[] = { "", "void", "bool", "char", "sbyte", "byte", "int16",
	"uint16", "int", "uint", "long", "ulong", "single", "double",
	"string", [0x16] = "typedbyref", [0x18] = "intptr", [0x19] = "uintptr", [0x1c] = "object" };

static void put_type(struct text *t, const struct place *p, struct pvp_sig *s, unsigned depth);

static void put_token(struct text *t, const struct place *p, struct pvp_sig *s)
{
	uint32_t coded = pvp_sig_number(s), row = coded >> 2;
	if ((coded & 3) == 0)
		put_def(t, p->m, (uint32_t)DEF_TABLE << 24 | row, DEPTH);
	else if ((coded & 3) == 1)
		put_ref(t, p->m, (uint32_t)REF_TABLE << 24 | row, DEPTH);
	else
		put_chars(t, "?");
}

static void put_generic(struct text *t, const struct place *p, struct pvp_sig *s, unsigned depth)
{
	pvp_sig_number(s); /* class or value */
	put_token(t, p, s);
	uint32_t n = pvp_sig_number(s);
	for (uint32_t i = 0; i < n && s->at < s->end; i++) {
		put_chars(t, i ? "," : "<");
		put_type(t, p, s, depth);
	}
	put_chars(t, ">");
}

static void put_shape(struct text *t, struct pvp_sig *s)
{
	uint32_t rank = pvp_sig_number(s);
	for (int list = 0; list < 2; list++)
		for (uint32_t n = pvp_sig_number(s); n && s->at < s->end; n--)
			pvp_sig_number(s);
	put_chars(t, "[");
	for (uint32_t i = 1; i < rank && i < 32; i++)
		put_chars(t, ",");
	put_chars(t, "]");
}

/* A pointer to a function: skips the types. */
static void put_function(struct text *t, const struct place *p, struct pvp_sig *s, unsigned depth)
{
	char none[64];
	struct text nowhere = { none, 0, sizeof none };
	uint32_t how = pvp_sig_number(s);
	if (how & 0x10)
		pvp_sig_number(s);
	for (uint32_t n = pvp_sig_number(s) + 1; n && s->at < s->end; n--)
		put_type(&nowhere, p, s, depth);
	put_chars(t, "method*");
}

/* As in signatures: "int" for System.Int32. */
static void put_short(struct text *t, uint64_t type, unsigned depth)
{
	static const char *const full[] = { "", "Void", "Boolean", "Char", "SByte", "Byte", "Int16",
		"UInt16", "Int32", "UInt32", "Int64", "UInt64", "Single", "Double",
		"String", [0x18] = "IntPtr", [0x19] = "UIntPtr", [0x1c] = "Object" };
	size_t from = t->n;
	put_class(t, type, depth);
	if (strncmp(t->to + from, "System.", 7) != 0)
		return;
	for (size_t i = 1; i < PV_COUNT_OF(full); i++) {
		if (full[i] && strcmp(t->to + from + 7, full[i]) == 0) {
			t->n = from;
			put_chars(t, simple[i]);
			return;
		}
	}
}

static void put_variable(struct text *t, const struct place *p, bool of_type, uint32_t n)
{
	char text[16];
	uint32_t known = of_type ? p->type_n : p->method_n;
	uint64_t id = n >= known || n >= ARGUMENTS ? 0 : of_type ? p->of_type[n] : p->of_method[n];
	if (id) {
		put_short(t, id, DEPTH);
		return;
	}
	snprintf(text, sizeof text, "%s%u", of_type ? "!" : "!!", n);
	put_chars(t, text);
}

static void put_type(struct text *t, const struct place *p, struct pvp_sig *s, unsigned depth)
{
	if (!depth || s->at == s->end) {
		s->at = s->end;
		return;
	}
	uint32_t kind = pvp_sig_number(s);
	if (kind < PV_COUNT_OF(simple) && simple[kind]) {
		put_chars(t, simple[kind]);
		return;
	}
	switch (kind) {
	case PVP_SIG_REQUIRED:
	case PVP_SIG_OPTIONAL:
		pvp_sig_number(s);
		/* fall through */
	case PVP_SIG_PINNED:
	case PVP_SIG_SENTINEL:
		put_type(t, p, s, depth - 1);
		break;
	case PVP_SIG_POINTER:
	case PVP_SIG_REFERENCE:
	case PVP_SIG_VECTOR:
		put_type(t, p, s, depth - 1);
		put_chars(t, kind == PVP_SIG_POINTER     ? "*"
			     : kind == PVP_SIG_REFERENCE ? "&"
							 : "[]");
		break;
	case PVP_SIG_VALUE:
	case PVP_SIG_CLASS:
		put_token(t, p, s);
		break;
	case PVP_SIG_TYPE_VAR:
	case PVP_SIG_METHOD_VAR:
		put_variable(t, p, kind == PVP_SIG_TYPE_VAR, pvp_sig_number(s));
		break;
	case PVP_SIG_ARRAY:
		put_type(t, p, s, depth - 1);
		put_shape(t, s);
		break;
	case PVP_SIG_GENERIC:
		put_generic(t, p, s, depth - 1);
		break;
	case PVP_SIG_FUNCTION:
		put_function(t, p, s, depth - 1);
		break;
	default:
		put_chars(t, "?");
		s->at = s->end;
	}
}

static void put_parameters(struct text *t, const struct place *p, struct pvp_sig s)
{
	char none[64];
	struct text nowhere = { none, 0, sizeof none };
	uint32_t how = pvp_sig_number(&s);
	if (how & 0x10)
		pvp_sig_number(&s);
	uint32_t n = pvp_sig_number(&s);
	put_type(&nowhere, p, &s, DEPTH); /* return type */
	put_chars(t, " (");
	for (uint32_t i = 0; i < n && s.at < s.end; i++) {
		if (i)
			put_chars(t, ",");
		put_type(t, p, &s, DEPTH);
	}
	put_chars(t, ")");
}

/* --- methods */

/* Methods without metadata: stubs, and code made at run time. */
static size_t dynamic_name(uint64_t function, char name[PVP_CLR_NAME])
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct text t = { name, 0, PVP_CLR_NAME };
	uint64_t module;
	const uint8_t *sig;
	uint32_t sig_n, n = 0;
	pvp_char text[NAME];
	name[0] = 0;
	if (pvp_clr.version < 8 ||
		info->is->dynamic_info(info, function, &module, &sig, &sig_n, NAME, &n, text) < 0)
		return 0;
	put_chars(&t, "(dynamic):");
	put_bare_name(&t, text, n);
	return t.n;
}

static void put_method_name(struct text *t, const struct place *p, uint64_t type, uint32_t token)
{
	struct pvp_sig s = { NULL, NULL };
	uint32_t owner = 0, len = 0, n = 0, ignored;
	pvp_char text[NAME];
	if (p->m->is->method(p->m, token, &owner, text, NAME, &len, &ignored, &s.at, &n, &ignored,
		    &ignored) < 0)
		return;
	if (type)
		put_class(t, type, DEPTH);
	if (!t->n)
		put_def(t, p->m, owner, DEPTH);
	put_chars(t, ":");
	put_bare_name(t, text, len);
	for (uint32_t i = 0; i < p->method_n && i < ARGUMENTS; i++) {
		put_chars(t, i ? "," : "<");
		put_short(t, p->of_method[i], DEPTH);
	}
	put_chars(t, p->method_n ? ">" : "");
	s.end = s.at + n;
	put_parameters(t, p, s);
}

size_t pvp_clr_method_name(uint64_t function, char name[PVP_CLR_NAME])
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct text t = { name, 0, PVP_CLR_NAME };
	struct place p = { .m = NULL };
	uint64_t type = 0, module = 0, parent;
	uint32_t token = 0, ignored;
	name[0] = 0;
	if (info->is->function_info(info, function, 0, &type, &module, &token, ARGUMENTS,
		    &p.method_n, p.of_method) < 0 ||
		!(token & 0xffffff))
		return dynamic_name(function, name);
	if (type && info->is->class_info(info, type, &module, &ignored, &parent, ARGUMENTS,
			    &p.type_n, p.of_type) < 0)
		p.type_n = 0;
	p.m = pvp_clr_metadata(module);
	if (!p.m)
		return dynamic_name(function, name);
	put_method_name(&t, &p, type, token);
	p.m->is->unknown.release(p.m);
	return t.n;
}

size_t pvp_clr_owner_name(
	uint64_t module, uint32_t method, uint32_t *ret_type, char name[PVP_CLR_NAME])
{
	struct text t = { name, 0, PVP_CLR_NAME };
	struct pvp_clr_metadata *m = method & 0xffffff ? pvp_clr_metadata(module) : NULL;
	const uint8_t *sig;
	uint32_t n, ignored;
	*ret_type = 0;
	name[0] = 0;
	if (m &&
		m->is->method(m, method, ret_type, NULL, 0, &n, &ignored, &sig, &ignored, &ignored,
			&ignored) >= 0 &&
		*ret_type)
		put_def(&t, m, *ret_type, DEPTH);
	if (m)
		m->is->unknown.release(m);
	return t.n;
}

/* --- fields */

size_t pvp_clr_field_type(
	const struct pvp_clr_type *in, const uint8_t *sig, uint32_t n, char name[PVP_CLR_NAME])
{
	struct text t = { name, 0, PVP_CLR_NAME };
	struct place p = { .m = pvp_clr_metadata(in->module), .type_n = in->n };
	struct pvp_sig s = { sig, sig + n };
	name[0] = 0;
	for (uint32_t i = 0; i < in->n && i < ARGUMENTS; i++)
		p.of_type[i] = in->of[i].id;
	if (p.m && n) {
		pvp_sig_number(&s); /* the mark of a field */
		put_type(&t, &p, &s, DEPTH);
	}
	if (p.m)
		p.m->is->unknown.release(p.m);
	return t.n;
}
