#include "common/query/belongs.h"

#include <string.h>

#include "common/model/model.h"

static struct pv_slice slice(const char *text)
{
	return (struct pv_slice){ text, strlen(text) };
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool pv_slice_has(struct pv_slice s, const char *part)
{
	size_t n = strlen(part);
	for (size_t at = 0; at + n <= s.len; at++) {
		size_t i = 0;
		while (i < n && lower(s.at[at + i]) == lower(part[i]))
			i++;
		if (i == n)
			return true;
	}
	return false;
}

/* Of the name without type arguments: "List`1<int>" and "List<T>" are one. */
static uint64_t hash_of(struct pv_slice name)
{
	uint64_t h = 1;
	int depth = 0;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];
		if (c == '`') {
			while (i + 1 < name.len && name.at[i + 1] >= '0' && name.at[i + 1] <= '9')
				i++;
			continue;
		}
		depth += c == '<' && i > 0; /* <Module> is a name */
		if (depth == 0)
			h = pv_hash(h ^ (unsigned char)c);
		depth -= c == '>' && depth > 0;
	}
	return h;
}

bool pv_belongs_init(struct pv_belongs *x, const struct pv_model *m)
{
	const struct pv_names *n = &m->names;
	bool ok = true;
	*x = (struct pv_belongs){ .m = m };
	for (uint32_t i = 1; ok && i < n->entity[PV_ENTITY_CLASS].n; i++) {
		const char *name = pv_intern_text(&n->text, n->entity[PV_ENTITY_CLASS].v[i].name);
		ok = !name[0] || pv_map_set(&x->class_of, hash_of(slice(name)), i);
	}
	for (uint32_t i = 1; ok && i < n->entity[PV_ENTITY_ASSEMBLY].n; i++)
		ok = pv_map_set(&x->assembly_of, n->entity[PV_ENTITY_ASSEMBLY].v[i].owner, i);
	return ok;
}

void pv_belongs_finish(struct pv_belongs *x)
{
	pv_map_finish(&x->class_of);
	pv_map_finish(&x->assembly_of);
}

/* Mono writes the C# names of these. */
static struct pv_slice known_as(struct pv_slice class)
{
	static const char *const full[][2] = { { "bool", "System.Boolean" },
		{ "byte", "System.Byte" }, { "char", "System.Char" }, { "double", "System.Double" },
		{ "int", "System.Int32" }, { "intptr", "System.IntPtr" },
		{ "long", "System.Int64" }, { "object", "System.Object" },
		{ "sbyte", "System.SByte" }, { "short", "System.Int16" },
		{ "single", "System.Single" }, { "string", "System.String" },
		{ "uint", "System.UInt32" }, { "uintptr", "System.UIntPtr" },
		{ "ulong", "System.UInt64" }, { "ushort", "System.UInt16" } };
	for (size_t i = 0; i < sizeof full / sizeof full[0]; i++)
		if (strlen(full[i][0]) == class.len && memcmp(full[i][0], class.at, class.len) == 0)
			return slice(full[i][1]);
	return class;
}

/* "(wrapper kind) Space.Class:Method (arguments)" */
static struct pv_slice class_part(const char *name)
{
	if (strncmp(name, "(wrapper ", 9) == 0) {
		const char *close = strchr(name, ')');
		name = close && close[1] == ' ' ? close + 2 : name;
	}
	const char *colon = strchr(name, ':');
	return known_as((struct pv_slice){ name, colon ? (size_t)(colon - name) : 0 });
}

static struct pv_slice namespace_part(struct pv_slice class)
{
	size_t dot = 0;
	for (size_t i = 0; i < class.len && !strchr("<`/+", class.at[i]); i++)
		if (class.at[i] == '.')
			dot = i;
	return class.len && dot == 0 ? slice("(no namespace)") : (struct pv_slice){ class.at, dot };
}

static struct pv_slice entity_name(
	const struct pv_belongs *x, enum pv_entity_kind kind, uint32_t id)
{
	const struct pv_names *n = &x->m->names;
	return slice(id ? pv_intern_text(&n->text, n->entity[kind].v[id].name) : "");
}

/* The load context that an assembly was told to be in. */
static struct pv_slice context_of(const struct pv_belongs *x, uint32_t assembly)
{
	const struct pv_names *n = &x->m->names;
	const struct pv_entity *a = &n->entity[PV_ENTITY_ASSEMBLY].v[assembly];
	if (!a->domain)
		return slice("");
	return entity_name(x, PV_ENTITY_CONTEXT,
		pv_names_entity(n, PV_ENTITY_CONTEXT, a->domain, a->load_ns));
}

static struct pv_slice image_or_assembly(const struct pv_belongs *x, uint32_t class, enum pv_by by)
{
	const struct pv_names *n = &x->m->names;
	if (!class)
		return slice("");
	const struct pv_entity *c = &n->entity[PV_ENTITY_CLASS].v[class];
	uint32_t at = pv_map_get(&x->assembly_of, c->owner);
	if (by == PV_BY_CONTEXT)
		return at != PV_MAP_NONE && c->owner ? context_of(x, at) : slice("");
	if (by == PV_BY_ASSEMBLY && at != PV_MAP_NONE && c->owner)
		return entity_name(x, PV_ENTITY_ASSEMBLY, at);
	return entity_name(
		x, PV_ENTITY_IMAGE, pv_names_entity(n, PV_ENTITY_IMAGE, c->owner, c->load_ns));
}

struct pv_slice pv_belongs_method(const struct pv_belongs *x, uint32_t method, enum pv_by by)
{
	const struct pv_names *n = &x->m->names;
	struct pv_slice class =
		class_part(pv_intern_text(&n->text, pv_names_method_name(n, method)));
	if (by == PV_BY_CLASS || class.len == 0)
		return class;
	if (by == PV_BY_NAMESPACE)
		return namespace_part(class);
	if (by == PV_BY_DOMAIN)
		return slice(""); /* methods are compiled for domains that no log names */
	uint32_t id = pv_map_get(&x->class_of, hash_of(class));
	return image_or_assembly(x, id == PV_MAP_NONE ? 0 : id, by);
}

struct pv_slice pv_belongs_class(const struct pv_belongs *x, uint32_t class_use, enum pv_by by)
{
	const struct pv_names *n = &x->m->names;
	struct pv_slice class = slice(pv_intern_text(&n->text, pv_names_class_name(n, class_use)));
	if (by == PV_BY_CLASS)
		return class;
	if (by == PV_BY_NAMESPACE)
		return class.len ? namespace_part(class) : class;
	if (by != PV_BY_DOMAIN)
		return image_or_assembly(x, pv_names_class_entity(n, class_use), by);
	const struct pv_class_use *use = &n->class_use.v[class_use];
	if (!use->by_vtable || !use->entity)
		return slice("");
	const struct pv_entity *vtable = &n->entity[PV_ENTITY_VTABLE].v[use->entity];
	return entity_name(x, PV_ENTITY_DOMAIN,
		pv_names_entity(n, PV_ENTITY_DOMAIN, vtable->domain, vtable->load_ns));
}
