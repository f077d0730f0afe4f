/* SPDX-License-Identifier: MIT */
/*
 * From signatures to ids of loaded classes. References to other modules go by name, the core
 * library first; a name found in two other modules is not resolved. The runtime is never called
 * under the lock, and never in a way that could load something.
 */
#include "probe/clr/clr_resolve.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "probe/clr/host_clr.h"

enum {
	DEPTH = 8,
	NAME = 512, /* UTF-16 units */
	PATH = 512,
	MODULES = 1024,
	REF = 0x01, /* tables of tokens */
	DEF = 0x02,
	MODULE = 0x00,
	FIELD = 0x06,    /* a signature of a field begins so */
	KNOWN = 1 << 16, /* references kept */
};

/* A definition; token 0: none. */
struct home {
	uint64_t module;
	uint32_t token;
};

struct reference {
	struct home of, is;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PV_ARRAY(struct reference) known;
static struct pv_map known_at; /* hash of a reference -> place in `known` + 1 */
static uint32_t simple_tokens[PVP_SIG_SIMPLE];
static _Atomic uint64_t library;

uint32_t pvp_sig_number(struct pvp_sig *s)
{
	size_t left = (size_t)(s->end - s->at);
	if (left >= 1 && !(s->at[0] & 0x80))
		return *s->at++;
	if (left >= 2 && !(s->at[0] & 0x40)) {
		s->at += 2;
		return (uint32_t)(s->at[-2] & 0x3f) << 8 | s->at[-1];
	}
	if (left >= 4) {
		s->at += 4;
		return (uint32_t)(s->at[-4] & 0x1f) << 24 | (uint32_t)s->at[-3] << 16 |
		       (uint32_t)s->at[-2] << 8 | s->at[-1];
	}
	s->at = s->end;
	return 0;
}

/* --- modules */

static bool is_core_library(uint64_t module)
{
	static const char end[] = "System.Private.CoreLib.dll";
	struct pvp_clr_info *info = pvp_clr.info;
	pvp_char wide[PATH];
	char name[3 * PATH];
	const uint8_t *base;
	uint64_t assembly;
	uint32_t len = 0;
	if (info->is->module_info(info, module, &base, PATH, &len, wide, &assembly) < 0)
		return false;
	size_t got = pvp_clr_utf8(wide, len < PATH ? len : PATH, name, sizeof name);
	return got >= sizeof end - 1 && strcmp(name + got - (sizeof end - 1), end) == 0;
}

/* Lists the modules, from the oldest on; returns their number. */
static uint32_t modules(uint64_t *ret, uint32_t room)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_enum *e = NULL;
	uint32_t n = 0, got = 0;
	if (info->is->enum_modules(info, &e) < 0 || !e)
		return 0;
	while (n < room && e->is->next(e, 1, &ret[n], &got) >= 0 && got == 1)
		n++;
	e->is->unknown.release(e);
	return n;
}

/* The module of the framework's own types; 0: not loaded yet. */
static uint64_t core_library(void)
{
	uint64_t all[16], found = atomic_load(&library);
	if (found)
		return found;
	uint32_t n = modules(all, PV_COUNT_OF(all)); /* one of the first modules */
	for (uint32_t i = 0; i < n && !found; i++)
		if (is_core_library(all[i]))
			found = all[i];
	atomic_store(&library, found);
	return found;
}

/* --- names */

static uint32_t find_definition(uint64_t module, const pvp_char *name, uint32_t around)
{
	struct pvp_clr_metadata *m = pvp_clr_metadata(module);
	uint32_t token = 0;
	if (!m || m->is->find_type(m, name, around, &token) < 0)
		token = 0;
	if (m)
		m->is->unknown.release(m);
	return token;
}

static struct home find_anywhere(const pvp_char *name)
{
	uint64_t all[MODULES], core = core_library();
	struct home found = { core, core ? find_definition(core, name, 0) : 0 };
	uint32_t n = found.token ? 0 : modules(all, MODULES);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t token = all[i] == core ? 0 : find_definition(all[i], name, 0);
		if (token && found.token && found.module != all[i])
			return (struct home){ 0, 0 };
		if (token)
			found = (struct home){ all[i], token };
	}
	return found;
}

static uint64_t home_hash(struct home ref)
{
	return pv_hash(ref.module ^ pv_hash(ref.token));
}

static bool look_up_reference(struct home ref, struct home *ret)
{
	pthread_mutex_lock(&lock);
	uint32_t at = pv_map_get(&known_at, home_hash(ref));
	const struct reference *r = at != PV_MAP_NONE && at ? &known.v[at - 1] : NULL;
	bool found = r && r->of.module == ref.module && r->of.token == ref.token;
	if (found)
		*ret = r->is;
	pthread_mutex_unlock(&lock);
	return found;
}

static void remember_reference(struct home ref, struct home is)
{
	pthread_mutex_lock(&lock);
	if (known.n < KNOWN && pv_reserve(&known, 1) &&
		pv_map_set(&known_at, home_hash(ref), (uint32_t)known.n + 1))
		known.v[known.n++] = (struct reference){ ref, is };
	pthread_mutex_unlock(&lock);
}

/* Target of a module's reference. */
static struct home referred(struct pvp_clr_metadata *m, struct home ref, unsigned depth)
{
	pvp_char name[NAME];
	uint32_t n = 0, scope = 0;
	struct home is = { 0, 0 };
	if (!depth || look_up_reference(ref, &is))
		return is;
	if (m->is->type_ref(m, ref.token, &scope, name, NAME, &n) < 0 || n > NAME)
		return is;
	if (scope >> 24 == REF) {
		is = referred(m, (struct home){ ref.module, scope }, depth - 1);
		is.token = is.token ? find_definition(is.module, name, is.token) : 0;
	} else if (scope >> 24 == MODULE) {
		is = (struct home){ ref.module, find_definition(ref.module, name, 0) };
	} else {
		is = find_anywhere(name);
	}
	remember_reference(ref, is);
	return is;
}

/* --- signatures */

/* A signature, and the types of its variables. */
struct place {
	struct pvp_clr_metadata *m;
	const struct pvp_clr_type *in;
};

static const char *const simple[PVP_SIG_SIMPLE] = { "", "", "Boolean", "Char", "SByte", "Byte",
	"Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Single", "Double",
	"String", [0x18] = "IntPtr", [0x19] = "UIntPtr", [PVP_SIG_OBJECT] = "Object" };

static bool is_simple(uint32_t kind)
{
	return kind < PVP_SIG_SIMPLE && simple[kind] && *simple[kind];
}

bool pvp_clr_core_type(const char *name, struct pvp_clr_type *ret)
{
	pvp_char wide[64];
	size_t n = strlen(name) + 1;
	uint64_t core = n <= PV_COUNT_OF(wide) ? core_library() : 0;
	for (size_t i = 0; core && i < n; i++)
		wide[i] = (pvp_char)name[i];
	*ret = (struct pvp_clr_type){ .module = core,
		.token = core ? find_definition(core, wide, 0) : 0 };
	return ret->token != 0;
}

static uint32_t simple_token(uint32_t kind)
{
	struct pvp_clr_type t;
	char name[32];
	pthread_mutex_lock(&lock);
	uint32_t token = simple_tokens[kind];
	pthread_mutex_unlock(&lock);
	if (token)
		return token;
	snprintf(name, sizeof name, "System.%s", simple[kind]);
	token = pvp_clr_core_type(name, &t) ? t.token : 0;
	pthread_mutex_lock(&lock);
	simple_tokens[kind] = token;
	pthread_mutex_unlock(&lock);
	return token;
}

static struct pvp_clr_argument unknown(void)
{
	return (struct pvp_clr_argument){ 0, 0 };
}

/* Instance of a definition with arguments; a reference even if not found. */
static struct pvp_clr_argument made_of(const struct pvp_clr_type *t, bool structure)
{
	uint64_t id = t->token ? pvp_clr_class_find(t) : 0;
	if (!structure)
		return (struct pvp_clr_argument){ id, PVP_CLR_REFERENCE };
	return t->token ? (struct pvp_clr_argument){ id, pvp_clr_shape(t) } : unknown();
}

static struct pvp_clr_argument simple_type(uint32_t kind)
{
	struct pvp_clr_type t = { .module = core_library(), .token = simple_token(kind) };
	return made_of(&t, kind != PVP_SIG_STRING && kind != PVP_SIG_OBJECT);
}

static struct home definition(const struct place *p, struct pvp_sig *s)
{
	uint32_t coded = pvp_sig_number(s), row = coded >> 2;
	uint64_t module = p->in->module;
	if ((coded & 3) == 0 && row)
		return (struct home){ module, (uint32_t)DEF << 24 | row };
	if ((coded & 3) == 1)
		return referred(p->m, (struct home){ module, (uint32_t)REF << 24 | row }, DEPTH);
	return (struct home){ 0, 0 };
}

static struct pvp_clr_argument argument(const struct place *p, struct pvp_sig *s, unsigned depth);

/* After the kind: a definition and, if generic, arguments. False: too many arguments. */
static bool whole_type(const struct place *p, struct pvp_sig *s, bool generic, unsigned depth,
	struct pvp_clr_type *ret)
{
	struct home of = definition(p, s);
	*ret = (struct pvp_clr_type){ .module = of.module, .token = of.token };
	uint32_t n = generic ? pvp_sig_number(s) : 0;
	for (uint32_t i = 0; i < n && s->at < s->end; i++) {
		struct pvp_clr_argument one = argument(p, s, depth);
		if (i < PVP_CLR_ARGUMENTS)
			ret->of[ret->n++] = one;
	}
	return of.token && ret->n == n && (n || !generic);
}

static void skip_shape(struct pvp_sig *s)
{
	pvp_sig_number(s);
	for (int list = 0; list < 2; list++)
		for (uint32_t n = pvp_sig_number(s); n && s->at < s->end; n--)
			pvp_sig_number(s);
}

static struct pvp_clr_argument array(
	const struct place *p, struct pvp_sig *s, bool shaped, unsigned depth)
{
	argument(p, s, depth);
	if (shaped)
		skip_shape(s);
	return (struct pvp_clr_argument){ 0, PVP_CLR_REFERENCE };
}

/* An argument of a generic type. */
static struct pvp_clr_argument argument(const struct place *p, struct pvp_sig *s, unsigned depth)
{
	uint32_t kind = depth ? pvp_sig_number(s) : 0, index;
	struct pvp_clr_type t;
	bool generic = kind == PVP_SIG_GENERIC;
	if (is_simple(kind))
		return simple_type(kind);
	switch (kind) {
	case PVP_SIG_VALUE:
	case PVP_SIG_CLASS:
	case PVP_SIG_GENERIC:
		if (generic)
			kind = pvp_sig_number(s);
		if (!whole_type(p, s, generic, depth - 1, &t))
			t.token = 0;
		return made_of(&t, kind != PVP_SIG_CLASS);
	case PVP_SIG_TYPE_VAR:
		index = pvp_sig_number(s);
		return index < p->in->n ? p->in->of[index] : unknown();
	case PVP_SIG_ARRAY:
	case PVP_SIG_VECTOR:
		return array(p, s, kind == PVP_SIG_ARRAY, depth - 1);
	default:
		s->at = s->end;
		return unknown();
	}
}

static bool is_structure(const struct pvp_clr_type *t)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint32_t head;
	bool simple_one = false;
	if (info->is->box_layout(info, t->id, &head) < 0)
		return false;
	for (uint32_t kind = 0; kind < PVP_SIG_SIMPLE && !simple_one; kind++)
		simple_one = is_simple(kind) && t->module == core_library() &&
			     t->token == simple_token(kind);
	return !simple_one;
}

/* Resolves a type variable. */
static bool variable(const struct place *p, struct pvp_sig *s, struct pvp_clr_type *ret)
{
	uint32_t index = pvp_sig_number(s);
	return index < p->in->n && p->in->of[index].shape != PVP_CLR_REFERENCE &&
	       pvp_clr_type_of(p->in->of[index].id, ret);
}

static bool read_structure(const struct place *p, struct pvp_sig *s, struct pvp_clr_type *ret)
{
	uint32_t kind = pvp_sig_number(s);
	bool generic = kind == PVP_SIG_GENERIC;
	if (kind == PVP_SIG_TYPE_VAR)
		return variable(p, s, ret);
	if (generic)
		kind = pvp_sig_number(s);
	if (kind != PVP_SIG_VALUE || !whole_type(p, s, generic, DEPTH - 1, ret))
		return false;
	ret->id = pvp_clr_class_find(ret);
	if (!ret->id)
		ret->id = pvp_clr_class_alike(ret->module, ret->token, pvp_clr_shape(ret));
	return ret->id != 0;
}

bool pvp_clr_structure(const struct pvp_clr_type *in, struct pvp_sig s, struct pvp_clr_type *ret)
{
	struct place p = { .in = in };
	if (s.end - s.at < 3 || pvp_sig_number(&s) != FIELD)
		return false;
	p.m = pvp_clr_metadata(in->module);
	if (!p.m)
		return false;
	bool found = read_structure(&p, &s, ret);
	p.m->is->unknown.release(p.m);
	return found && is_structure(ret);
}

void pvp_clr_resolve_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_array_finish(&known);
	pv_map_finish(&known_at);
	memset(simple_tokens, 0, sizeof simple_tokens);
	pthread_mutex_unlock(&lock);
	atomic_store(&library, 0);
}
