/* SPDX-License-Identifier: MIT */
/* Finds the class, image, assembly and so on of methods and classes. */
#include "common/query/membership.h"

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

static size_t digits(struct pv_slice s, size_t at)
{
	size_t n = 0;
	while (at + n < s.len && s.at[at + n] >= '0' && s.at[at + n] <= '9')
		n++;
	return n;
}

enum { PART = 7 }; /* characters, as many as a part of a hash has room for */

/* `h` with the next `n` characters, PART at most. */
static uint64_t hash_more(uint64_t h, const char *at, size_t n)
{
	uint64_t part = 0;
	memcpy(&part, at, n);
	return n ? pv_hash_part(h, part) : h;
}

/* The index of the '>' for the '<' at `at`; the length where it does not close. */
static size_t close_of(struct pv_slice name, size_t at)
{
	size_t depth = 0;
	for (; at < name.len; at++) {
		depth += name.at[at] == '<';
		if (name.at[at] == '>' && --depth == 0)
			break;
	}
	return at;
}

/*
 * Hash of a class name without type arguments: "List`1<int>" and "List<T>" are the same. Nested
 * classes have a dot in loads, and a slash in names of methods.
 */
static uint64_t class_name_hash(struct pv_slice name)
{
	char own[PV_INTERN_MOST]; /* without type arguments */
	size_t n = 0;
	uint64_t h = 1;
	for (size_t i = 0; i < name.len && n < sizeof own; i++) {
		const char c = name.at[i];
		if (c > '>' && c != '`') /* most are letters */
			own[n++] = c;
		else if (c == '`')
			i += digits(name, i + 1);
		else if (c == '<' && i > 0) /* <Module> is a name */
			i = close_of(name, i);
		else
			own[n++] = (char)(c == '/' || c == '+' ? '.' : c);
	}
	size_t at = 0;
	for (; n - at >= PART; at += PART)
		h = hash_more(h, own + at, PART);
	return hash_more(h, own + at, n - at);
}

static bool name_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Native code files: notes of binaries, symbols that are paths, and the kernel's vdso. */
static bool add_files(struct pv_membership *x)
{
	const struct pv_notes *notes = &x->m->notes;
	bool ok = true;
	for (size_t i = 0; ok && i < notes->native.n; i++) {
		const struct pv_native *n = &notes->native.v[i];
		const char *name = pv_intern_text(&x->m->names.text, n->name);
		if (n->name && (n->binary || name[0] == '/' || name_begins(name, "linux-vdso")))
			ok = pv_ranges_add(&x->files, n->address, n->size, n->name);
	}
	return ok;
}

bool pv_membership_init(struct pv_membership *x, const struct pv_model *m)
{
	const struct pv_names *n = &m->names;
	bool ok = true;
	*x = (struct pv_membership){ .m = m };
	for (uint32_t i = 1; ok && i < n->entity[PV_ENTITY_CLASS].n; i++) {
		const char *name = pv_intern_text(&n->text, n->entity[PV_ENTITY_CLASS].v[i].name);
		ok = !name[0] || pv_map_set(&x->class_of, class_name_hash(slice(name)), i);
	}
	for (uint32_t i = 1; ok && i < n->entity[PV_ENTITY_ASSEMBLY].n; i++)
		ok = pv_map_set(&x->assembly_of, n->entity[PV_ENTITY_ASSEMBLY].v[i].owner, i);
	return ok && add_files(x);
}

void pv_membership_finish(struct pv_membership *x)
{
	pv_map_finish(&x->class_of);
	pv_map_finish(&x->assembly_of);
	pv_ranges_finish(&x->files);
}

/* Mono writes these classes by their C# names. */
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

struct pv_slice pv_membership_class_in(const char *name)
{
	return class_part(name);
}

struct pv_slice pv_membership_namespace_in(const char *name, bool method)
{
	struct pv_slice class = method ? class_part(name) : slice(name);
	return class.len ? namespace_part(class) : class;
}

static struct pv_slice entity_name(
	const struct pv_membership *x, enum pv_entity_kind kind, uint32_t id)
{
	const struct pv_names *n = &x->m->names;
	return slice(id ? pv_intern_text(&n->text, n->entity[kind].v[id].name) : "");
}

/* The load context of an assembly. */
static struct pv_slice context_of(const struct pv_membership *x, uint32_t assembly)
{
	const struct pv_names *n = &x->m->names;
	const struct pv_entity *a = &n->entity[PV_ENTITY_ASSEMBLY].v[assembly];
	if (!a->domain)
		return slice("");
	return entity_name(
		x, PV_ENTITY_CONTEXT, pv_names_entity(n, PV_ENTITY_CONTEXT, a->domain, a->load_ns));
}

static struct pv_slice image_or_assembly(
	const struct pv_membership *x, uint32_t class, enum pv_by by)
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

/* The loaded class of that name, else the nearest enclosing class; PV_MAP_NONE: none. */
static uint32_t class_called(const struct pv_membership *x, struct pv_slice name)
{
	uint32_t id = PV_MAP_NONE;
	while (name.len && (id = pv_map_get(&x->class_of, class_name_hash(name))) == PV_MAP_NONE) {
		while (name.len && name.at[name.len - 1] != '/')
			name.len--;
		name.len -= name.len > 0;
	}
	return id;
}

/* --- code in no assembly */

static struct pv_slice file_name(struct pv_slice path)
{
	size_t from = path.len;
	while (from > 0 && path.at[from - 1] != '/')
		from--;
	return (struct pv_slice){ path.at + from, path.len - from };
}

/* "memcpy [libc.so.6]", "[libc.so.6]": the text in the brackets. */
static struct pv_slice file_in_brackets(const char *name)
{
	const char *open = strrchr(name, '[');
	size_t n = strlen(name);
	if (!open || name[n - 1] != ']' || (open > name && open[-1] != ' ') ||
		open + 2 > name + n - 1)
		return slice("");
	return (struct pv_slice){ open + 1, (size_t)(name + n - 1 - (open + 1)) };
}

static struct pv_slice path_at(const struct pv_membership *x, uint32_t method)
{
	const struct pv_names *n = &x->m->names;
	const struct pv_method *m = &n->method.v[method];
	uint64_t at = m->native || !m->code ? m->key : m->code; /* texts of stacks: by keys */
	uint32_t path = at ? pv_ranges_find(&x->files, at) : 0;
	return slice(path ? pv_intern_text(&n->text, path) : "");
}

static struct pv_slice native_file(const struct pv_membership *x, uint32_t method, const char *name)
{
	struct pv_slice file = file_in_brackets(name);
	if (file.len)
		return file_name(file);
	struct pv_slice path = path_at(x, method);
	return path.len || name[0] != '/' ? file_name(path) : file_name(slice(name));
}

static struct pv_slice not_managed(const struct pv_membership *x, uint32_t method, const char *name)
{
	if (strcmp(name, "[unknown code]") == 0)
		return slice("(unknown code)");
	struct pv_slice file = native_file(x, method, name);
	if (file.len || !x->m->names.method.v[method].native)
		return file;
	return slice(name[0] ? "(native code)" : "(unknown code)");
}

/* Methods made by the program or the runtime, of no loaded class. */
static bool is_dynamic(const char *name)
{
	return name_begins(name, "(dynamic)") || name_begins(name, "(wrapper dynamic-method)");
}

struct pv_slice pv_membership_method(const struct pv_membership *x, uint32_t method, enum pv_by by)
{
	const struct pv_names *n = &x->m->names;
	const char *name = pv_intern_text(&n->text, pv_names_method_name(n, method));
	struct pv_slice class = class_part(name);
	bool placed = by == PV_BY_IMAGE || by == PV_BY_ASSEMBLY;
	if (placed && is_dynamic(name))
		return slice("(dynamic)");
	if (by == PV_BY_CLASS || (class.len == 0 && !placed))
		return class;
	if (by == PV_BY_NAMESPACE)
		return namespace_part(class);
	if (by == PV_BY_DOMAIN)
		return slice(""); /* methods are compiled for domains that no log names */
	uint32_t id = class_called(x, class);
	if (placed && id == PV_MAP_NONE)
		return not_managed(x, method, name);
	return image_or_assembly(x, id == PV_MAP_NONE ? 0 : id, by);
}

struct pv_slice pv_membership_file(
	const struct pv_membership *x, uint32_t method, bool *ret_of_class)
{
	const struct pv_names *n = &x->m->names;
	const char *name = pv_intern_text(&n->text, pv_names_method_name(n, method));
	uint32_t class = class_called(x, class_part(name));
	*ret_of_class = class != PV_MAP_NONE;
	if (*ret_of_class)
		return image_or_assembly(x, class, PV_BY_IMAGE);
	struct pv_slice path = path_at(x, method);
	return path.len ? path : native_file(x, method, name);
}

struct pv_slice pv_membership_class(
	const struct pv_membership *x, uint32_t class_use, enum pv_by by)
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
