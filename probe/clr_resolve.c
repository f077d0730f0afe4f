/*
 * From signatures to ids. A structure that a loaded class holds is loaded with it, so asking for it
 * by its definition and arguments finds what is there. References to other modules go by name, the
 * core library first; a name that two of the others have is nobody's. None of the runtime is called
 * under the lock.
 */
#include "probe/clr_resolve.h"

#include <pthread.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "probe/host_clr.h"

enum {
	DEPTH = 8,
	ARGUMENTS = 16,
	NAME = 512, /* UTF-16 units */
	PATH = 512,
	MODULES = 1024,
	REF = 0x01, /* tables that tokens are of */
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
static struct pv_map known_at; /* a hash of it -> its place in `known` + 1 */
static uint64_t simple_ids[PVP_SIG_SIMPLE];
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

/* Those that there are, from the oldest on; how many. */
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

uint64_t pvp_clr_core_library(void)
{
	uint64_t all[16], found = atomic_load(&library);
	if (found)
		return found;
	uint32_t n = modules(all, PV_COUNT_OF(all)); /* it is the first of all */
	for (uint32_t i = 0; i < n && !found; i++)
		if (is_core_library(all[i]))
			found = all[i];
	atomic_store(&library, found);
	return found;
}

/* --- names */

static uint32_t find(uint64_t module, const pvp_char *name, uint32_t around)
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
	uint64_t all[MODULES], core = pvp_clr_core_library();
	struct home found = { core, core ? find(core, name, 0) : 0 };
	uint32_t n = found.token ? 0 : modules(all, MODULES);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t token = all[i] == core ? 0 : find(all[i], name, 0);
		if (token && found.token && found.module != all[i])
			return (struct home){ 0, 0 };
		if (token)
			found = (struct home){ all[i], token };
	}
	return found;
}

static uint64_t hash_of(struct home ref)
{
	return pv_hash(ref.module ^ pv_hash(ref.token));
}

static bool look_up(struct home ref, struct home *ret)
{
	pthread_mutex_lock(&lock);
	uint32_t at = pv_map_get(&known_at, hash_of(ref));
	const struct reference *r = at != PV_MAP_NONE && at ? &known.v[at - 1] : NULL;
	bool found = r && r->of.module == ref.module && r->of.token == ref.token;
	if (found)
		*ret = r->is;
	pthread_mutex_unlock(&lock);
	return found;
}

static void remember(struct home ref, struct home is)
{
	pthread_mutex_lock(&lock);
	if (known.n < KNOWN && pv_reserve(&known, 1) &&
		pv_map_set(&known_at, hash_of(ref), (uint32_t)known.n + 1))
		known.v[known.n++] = (struct reference){ ref, is };
	pthread_mutex_unlock(&lock);
}

/* What a reference of a module refers to. */
static struct home referred(struct pvp_clr_metadata *m, struct home ref, unsigned depth)
{
	pvp_char name[NAME];
	uint32_t n = 0, scope = 0;
	struct home is = { 0, 0 };
	if (!depth || look_up(ref, &is))
		return is;
	if (m->is->type_ref(m, ref.token, &scope, name, NAME, &n) < 0 || n > NAME)
		return is;
	if (scope >> 24 == REF) {
		is = referred(m, (struct home){ ref.module, scope }, depth - 1);
		is.token = is.token ? find(is.module, name, is.token) : 0;
	} else if (scope >> 24 == MODULE) {
		is = (struct home){ ref.module, find(ref.module, name, 0) };
	} else {
		is = find_anywhere(name);
	}
	remember(ref, is);
	return is;
}

/* --- signatures */

/* Where a signature stands, and what its variables stand for. */
struct place {
	struct pvp_clr_metadata *m;
	uint64_t module;
	uint64_t of_type[ARGUMENTS];
	uint32_t type_n;
	bool stands; /* object does, for some class */
};

static const char *const simple[PVP_SIG_SIMPLE] = { "", "", "Boolean", "Char", "SByte", "Byte",
	"Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Single", "Double",
	"String", [0x18] = "IntPtr", [0x19] = "UIntPtr", [PVP_SIG_OBJECT] = "Object" };

static bool is_simple(uint32_t kind)
{
	return kind < PVP_SIG_SIMPLE && simple[kind] && *simple[kind];
}

static uint64_t simple_type(uint32_t kind)
{
	struct pvp_clr_info *info = pvp_clr.info;
	pvp_char name[32] = { 'S', 'y', 's', 't', 'e', 'm', '.' };
	uint64_t core = pvp_clr_core_library(), id = 0;
	pthread_mutex_lock(&lock);
	id = simple_ids[kind];
	pthread_mutex_unlock(&lock);
	if (id || !core)
		return id;
	for (size_t i = 0; i <= strlen(simple[kind]); i++)
		name[7 + i] = (pvp_char)simple[kind][i];
	uint32_t token = find(core, name, 0);
	if (!token || info->is->class_of_token(info, core, token, &id) < 0)
		return 0;
	pthread_mutex_lock(&lock);
	simple_ids[kind] = id;
	pthread_mutex_unlock(&lock);
	return id;
}

static struct home definition(const struct place *p, struct pvp_sig *s)
{
	uint32_t coded = pvp_sig_number(s), row = coded >> 2;
	if ((coded & 3) == 0 && row)
		return (struct home){ p->module, (uint32_t)DEF << 24 | row };
	if ((coded & 3) == 1)
		return referred(p->m, (struct home){ p->module, (uint32_t)REF << 24 | row }, DEPTH);
	return (struct home){ 0, 0 };
}

static uint64_t stand_in(struct place *p)
{
	p->stands = true;
	return simple_type(PVP_SIG_OBJECT);
}

static uint64_t argument(struct place *p, struct pvp_sig *s, unsigned depth);

/* A class that takes one which is stood for is stood for itself. */
static uint64_t instance(struct place *p, struct pvp_sig *s, uint32_t kind, unsigned depth)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t types[ARGUMENTS], id = 0;
	bool before = p->stands;
	p->stands = false;
	struct home of = definition(p, s);
	uint32_t n = pvp_sig_number(s);
	bool whole = of.token && n && n <= ARGUMENTS;
	for (uint32_t i = 0; i < n && s->at < s->end; i++) {
		uint64_t one = argument(p, s, depth);
		whole &= one != 0;
		if (i < ARGUMENTS)
			types[i] = one;
	}
	whole &= kind == PVP_SIG_VALUE || !p->stands;
	p->stands |= before;
	if (!whole || info->is->class_of_arguments(info, of.module, of.token, n, types, &id) < 0)
		return 0;
	return id;
}

static void skip_shape(struct pvp_sig *s)
{
	pvp_sig_number(s);
	for (int list = 0; list < 2; list++)
		for (uint32_t n = pvp_sig_number(s); n && s->at < s->end; n--)
			pvp_sig_number(s);
}

/* The type that a generic one is made of; a class that cannot be had is stood for. 0: none. */
static uint64_t argument(struct place *p, struct pvp_sig *s, unsigned depth)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint32_t kind = depth ? pvp_sig_number(s) : 0, index;
	uint64_t id = 0;
	struct home of;
	if (is_simple(kind))
		return simple_type(kind);
	switch (kind) {
	case PVP_SIG_VALUE:
	case PVP_SIG_CLASS:
		of = definition(p, s);
		if (!of.token || info->is->class_of_token(info, of.module, of.token, &id) < 0)
			id = 0;
		break;
	case PVP_SIG_TYPE_VAR:
		index = pvp_sig_number(s);
		return index < p->type_n && index < ARGUMENTS ? p->of_type[index] : 0;
	case PVP_SIG_GENERIC:
		kind = pvp_sig_number(s);
		id = instance(p, s, kind, depth - 1);
		break;
	case PVP_SIG_ARRAY:
	case PVP_SIG_VECTOR: {
		bool before = p->stands; /* whatever its elements are */
		argument(p, s, depth - 1);
		p->stands = before;
		if (kind == PVP_SIG_ARRAY)
			skip_shape(s);
		return stand_in(p);
	}
	default:
		s->at = s->end;
	}
	return id || kind != PVP_SIG_CLASS ? id : stand_in(p);
}

static bool is_structure(uint64_t type)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint32_t head;
	bool simple_one = false;
	if (info->is->box_layout(info, type, &head) < 0)
		return false;
	for (uint32_t kind = 0; kind < PVP_SIG_SIMPLE && !simple_one; kind++)
		simple_one = is_simple(kind) && simple_type(kind) == type;
	return !simple_one;
}

uint64_t pvp_clr_structure(uint64_t module, uint64_t type, struct pvp_sig s, bool *ret_stands)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct place p = { .module = module };
	uint64_t home, parent, found = 0;
	uint32_t token;
	if (s.end - s.at < 3 || pvp_sig_number(&s) != FIELD)
		return 0;
	uint8_t kind = *s.at;
	if (kind != PVP_SIG_VALUE && kind != PVP_SIG_TYPE_VAR &&
		(kind != PVP_SIG_GENERIC || s.at[1] != PVP_SIG_VALUE))
		return 0;
	p.m = pvp_clr_metadata(module);
	if (!p.m)
		return 0;
	if (!type || info->is->class_info(info, type, &home, &token, &parent, ARGUMENTS, &p.type_n,
			     p.of_type) < 0)
		p.type_n = 0;
	found = argument(&p, &s, DEPTH);
	p.m->is->unknown.release(p.m);
	*ret_stands = p.stands;
	return found && is_structure(found) ? found : 0;
}

void pvp_clr_resolve_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_array_finish(&known);
	pv_map_finish(&known_at);
	memset(simple_ids, 0, sizeof simple_ids);
	pthread_mutex_unlock(&lock);
	atomic_store(&library, 0);
}
