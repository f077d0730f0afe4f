/* SPDX-License-Identifier: MIT */
/* Names of .NET and Mono as C# writes them: types, members, classes made by compilers. */
#include "common/base/text/readable_name.h"

#include "common/base/text/readable_parts.h"

/* --- types */

static void put_type(struct pv_name_out *o, struct pv_part type, bool space);
static void put_type_class(struct pv_name_out *o, struct pv_part type, bool space);

static void put_types(
	struct pv_name_out *o, struct pv_part list, const char *open, const char *close)
{
	pv_name_text(o, open);
	for (bool first = true; list.len; first = false) {
		size_t end = pv_part_find(list, ",");
		struct pv_part type = pv_part_until(list, end);
		while (type.len && *type.at == ' ')
			type = pv_part_from(type, 1);
		pv_name_text(o, first ? "" : ", ");
		put_type(o, type, false);
		list = pv_part_from(list, end + 1);
	}
	pv_name_text(o, close);
}

/* Suffixes of a type: "[,]", "*"; the part without them. */
static struct pv_part without_suffix(struct pv_part type)
{
	while (type.len && type.at[type.len - 1] == '*')
		type.len--;
	for (size_t i = type.len; i > 1 && type.at[i - 1] == ']';) {
		size_t open = i - 1;
		while (open > 0 && (type.at[open - 1] == ',' || type.at[open - 1] == '*'))
			open--;
		if (open == 0 || type.at[open - 1] != '[')
			break;
		i = type.len = open - 1;
	}
	return type;
}

/* Writes "(int, string)", "int?"; false: neither. */
static bool put_sugar(struct pv_name_out *o, struct pv_part type)
{
	size_t open = pv_part_find(type, "<");
	struct pv_part kind = pv_part_until(type, open), arguments;
	if (open == type.len)
		return false;
	kind.len = pv_part_find(kind, "`");
	if (!pv_part_inside(pv_part_from(type, open), &arguments))
		return false;
	if (pv_part_is(kind, "System.ValueTuple")) {
		put_types(o, arguments, "(", ")");
		return true;
	}
	if (!pv_part_is(kind, "System.Nullable"))
		return false;
	put_type(o, arguments, false);
	pv_name_text(o, "?");
	return true;
}

static void put_type(struct pv_name_out *o, struct pv_part type, bool space)
{
	if (o->depth >= PV_NAME_NESTED) {
		pv_name_put(o, type.at, type.len);
		return;
	}
	o->depth++;
	if (type.len > 1 && type.at[type.len - 1] == '&') {
		pv_name_text(o, "ref ");
		type.len--;
	}
	struct pv_part bare = without_suffix(type);
	const char *alias = pv_name_alias(bare);
	if (alias)
		pv_name_text(o, alias);
	else if (!put_sugar(o, bare))
		put_type_class(o, bare, space);
	pv_name_put(o, bare.at + bare.len, type.len - bare.len);
	o->depth--;
}

/* --- members */

static bool put_accessor(struct pv_name_out *o, struct pv_part name)
{
	struct pv_part of;
	const char *word = pv_name_accessor(name, &of);
	if (!word)
		return false;
	pv_name_put(o, of.at, of.len);
	pv_name_text(o, ".");
	pv_name_text(o, word);
	return true;
}

/* A name without dots and arguments of types. */
static void put_simple(struct pv_name_out *o, struct pv_part name)
{
	if (!pv_name_put_word(o, name) && !put_accessor(o, name))
		pv_name_plain(o, name);
}

/* "Run<int>"; `put` writes Run. */
static void put_generic(struct pv_name_out *o, struct pv_part name,
	void (*put)(struct pv_name_out *, struct pv_part))
{
	size_t open = pv_part_find(name, "<");
	struct pv_part types;
	if (!pv_part_inside(pv_part_from(name, open), &types)) {
		put(o, name);
		return;
	}
	put(o, pv_part_until(name, open));
	put_types(o, types, "<", ">");
}

/* "Space.IThing<int>.Run": implements a method of an interface explicitly. */
static void put_plain_member(struct pv_name_out *o, struct pv_part name)
{
	bool named = name.len && name.at[0] != '.';
	struct pv_part own = named ? pv_name_without_space(name) : name;
	if (name.len - own.len > 1) {
		put_type(o, pv_part_until(name, name.len - own.len - 1), false);
		pv_name_text(o, ".");
	}
	put_generic(o, own, put_simple);
}

static struct pv_part number_of_lambda(struct pv_part tail)
{
	for (size_t i = tail.len; i > 0; i--)
		if (tail.at[i - 1] == '_')
			return pv_part_from(tail, i);
	return tail;
}

static void put_lambda(struct pv_name_out *o, struct pv_part tail)
{
	struct pv_part number = number_of_lambda(tail);
	pv_name_text(o, " > lambda");
	if (!number.len)
		return;
	pv_name_put_in(o, PV_NAME_READABLE, " #", 2);
	pv_name_put_in(o, PV_NAME_READABLE, number.at, number.len);
}

/* The name of a local function ends at '|'. */
static void put_local_name(struct pv_name_out *o, struct pv_part name)
{
	pv_name_put(o, name.at, pv_part_find(name, "|"));
}

static void put_local(struct pv_name_out *o, struct pv_part tail)
{
	pv_name_text(o, " > ");
	put_generic(o, tail, put_local_name);
}

/* In a class's name the compiler has '-' for the dots of an interface. */
static void put_owner_member(struct pv_name_out *o, struct pv_part name)
{
	const char *dash = memchr(name.at, '-', name.len);
	if (!dash) {
		put_plain_member(o, name);
		return;
	}
	size_t class = 0, own = 0; /* their first characters */
	for (size_t i = 0; i < name.len; i++) {
		if (name.at[i] == '-') {
			class = own;
			own = i + 1;
		}
	}
	for (size_t i = 0; i + 1 < own; i++) {
		const char *at = name.at[i] == '-' ? "." : name.at + i;
		pv_name_put_in(o, PV_NAME_CANONICAL, at, 1);
		if (i >= class)
			pv_name_put_in(o, PV_NAME_READABLE, at, 1);
	}
	pv_name_text(o, ".");
	put_simple(o, pv_part_from(name, own));
}

/*
 * Writes a member, whatever a compiler has made: "<<Run>g__Add|8_0>b__1" is "Run > Add > lambda
 * #1". `around` stands for an empty M.
 */
static void put_member(struct pv_name_out *o, struct pv_part name, struct pv_part around)
{
	struct found f = pv_name_method_found(name);
	if (o->depth >= PV_NAME_NESTED) {
		pv_name_put(o, name.at, name.len);
		return;
	}
	if (f.made == MADE_NOTHING) {
		if (pv_part_is(name, "<Main>"))
			pv_name_text(o, "Main > entry");
		else
			put_owner_member(o, name);
		return;
	}
	if (f.made == MADE_MAIN && pv_part_is(f.of, "Clone")) {
		pv_name_text(o, "with");
		return;
	}
	o->depth++;
	if (f.of.len || around.len)
		put_member(o, f.of.len ? f.of : around, (struct pv_part){ name.at, 0 });
	o->depth--;
	if (f.made == MADE_LAMBDA)
		put_lambda(o, f.tail);
	else if (f.made == MADE_LOCAL)
		put_local(o, f.tail);
	else if (f.made == MADE_BASE)
		pv_name_text(o, "base call");
}

/* --- classes */

/* How far the classes around a method have been written. */
struct around {
	enum made last;           /* kind of the innermost class */
	struct pv_part of;        /* M of the innermost class with an M */
	struct pv_part arguments; /* of types, not written yet */
	bool written;             /* M stands there */
};

static unsigned arity_of(struct pv_part name)
{
	const char *tick = memchr(name.at, '`', name.len);
	unsigned n = 0;
	size_t i = tick ? (size_t)(tick - name.at) + 1 : name.len;
	for (; i < name.len && name.at[i] >= '0' && name.at[i] <= '9' && n < 1000; i++)
		n = 10 * n + (unsigned)(name.at[i] - '0');
	return n;
}

/*
 * Writes the next `n` arguments of types; the arguments of all classes stand after the innermost.
 */
static void put_arguments(struct pv_name_out *o, struct pv_part *all, unsigned n)
{
	size_t end = 0;
	if (n == 0 || !all->len)
		return;
	for (; n > 0 && end < all->len; n--)
		end += pv_part_find(pv_part_from(*all, end), ",") + 1;
	put_types(o, pv_part_until(*all, end - 1), "<", ">");
	*all = pv_part_from(*all, end);
}

static void put_file_local(struct pv_name_out *o, struct found f)
{
	const char *at = NULL;
	for (size_t i = 1; i < f.tail.len; i++)
		if (f.tail.at[i - 1] == '_' && f.tail.at[i] == '_') {
			at = f.tail.at + i + 1;
			break;
		}
	if (at)
		pv_name_plain(o, pv_part_from(f.tail, (size_t)(at - f.tail.at)));
	else
		pv_name_plain(o, f.tail);
}

/* Writes the namespace in front of a part, with the dot. */
static void put_space(struct pv_name_out *o, struct pv_part whole, struct pv_part part, bool space)
{
	pv_name_put_in(o, PV_NAME_CANONICAL, whole.at, whole.len - part.len);
	if (space)
		pv_name_put_in(o, PV_NAME_READABLE, whole.at, whole.len - part.len);
}

/* `name` has the namespace; `shown` is the part for the readable form. */
static void put_own_class(struct pv_name_out *o, struct around *a, struct pv_part name,
	struct pv_part shown, bool first)
{
	pv_name_text(o, first ? "" : ".");
	if (pv_part_begins(shown, "<>f__AnonymousType") || pv_part_begins(shown, "<>__AnonType")) {
		pv_name_text(o, "{anonymous}");
		a->arguments.len = 0;
		return;
	}
	pv_name_put_in(o, PV_NAME_CANONICAL, name.at, pv_name_plain_length(name));
	pv_name_put_in(o, PV_NAME_READABLE, shown.at, pv_name_plain_length(shown));
	put_arguments(o, &a->arguments, arity_of(shown));
}

/* A state machine within another, or within a named closure, is a lambda's. */
static void put_machine(struct pv_name_out *o, struct around *a, struct found f)
{
	struct pv_part none = { f.of.at, 0 };
	if (!a->written) {
		pv_name_text(o, ".");
		put_member(o, f.of, none);
	} else if (a->of.len == f.of.len && memcmp(a->of.at, f.of.at, f.of.len) == 0) {
		pv_name_text(o, " > lambda");
	}
	a->written = true;
	a->of = f.of;
}

static void put_class(
	struct pv_name_out *o, struct around *a, struct pv_part name, bool first, bool space)
{
	struct pv_part own = first ? pv_name_without_space(name) : name, bare = own;
	const char *tick = memchr(own.at, '`', own.len);
	bare.len = tick ? (size_t)(tick - own.at) : own.len;
	struct found f = pv_name_class_found(bare);
	a->last = f.made;
	if (f.made == MADE_MACHINE) {
		put_machine(o, a, f);
	} else if (f.made == MADE_CLOSURE) {
		a->of = f.of.len ? f.of : a->of;
	} else if (f.made == MADE_FILE) {
		pv_name_text(o, first ? "" : ".");
		put_space(o, name, own, space);
		put_file_local(o, f);
	} else {
		put_own_class(o, a, name, space ? name : own, first);
	}
}

/* Cuts off the '<...>' at the end, if it holds types and is not a name. */
static struct pv_part split_arguments(struct pv_part type, struct pv_part *ret)
{
	size_t at, open;
	struct pv_part last = type;
	while ((at = pv_part_find(last, "/+")) < last.len)
		last = pv_part_from(last, at + 1);
	last = pv_name_without_space(last);
	at = last.len && last.at[0] == '<' ? pv_part_close(last) + 1 : 0;
	open = at + pv_part_find(pv_part_from(last, at), "<");
	*ret = (struct pv_part){ type.at + type.len, 0 };
	if (open == 0 || !pv_part_inside(pv_part_from(last, open), ret))
		return type;
	return pv_part_until(type, type.len - last.len + open);
}

static struct around put_classes(struct pv_name_out *o, struct pv_part type, bool space)
{
	struct around a = { .last = MADE_NOTHING, .of = { type.at, 0 } };
	if (pv_part_is_plain(type)) { /* most are */
		struct pv_part own = space ? type : pv_name_without_space(type);
		if (!space)
			put_space(o, type, own, space);
		pv_name_put(o, own.at, own.len);
		return a;
	}
	type = split_arguments(type, &a.arguments);
	for (bool first = true; type.len; first = false) {
		size_t end = pv_part_find(type, "/+");
		put_class(o, &a, pv_part_until(type, end), first, space);
		type = pv_part_from(type, end + 1);
	}
	/*
	 * Without arities the class of the arguments is unknown; in a closure or a lambda they are
	 * the method's, or the class's.
	 */
	if (a.arguments.len && a.last != MADE_CLOSURE &&
		!(a.last == MADE_MACHINE && pv_name_method_found(a.of).made == MADE_LAMBDA))
		put_types(o, a.arguments, "<", ">");
	return a;
}

static void put_type_class(struct pv_name_out *o, struct pv_part type, bool space)
{
	const struct around a = put_classes(o, type, space);
	if (a.last == MADE_CLOSURE)
		pv_name_text(o, ".closure");
}

/* --- whole names */

/* Writes "this[int].get" for "get_Item (int)"; false: not an indexer. */
static bool put_indexer(struct pv_name_out *o, struct pv_part name, struct pv_part arguments)
{
	bool get = pv_part_is(name, "get_Item"), set = pv_part_is(name, "set_Item");
	if ((!get && !set) || !arguments.len)
		return false;
	size_t end = 0, next;
	for (struct pv_part rest = arguments; (next = pv_part_find(rest, ",")) < rest.len;
		rest = pv_part_from(rest, next + 1))
		end = (size_t)(rest.at - arguments.at) + next;
	pv_name_text(o, "this");
	put_types(o, set ? pv_part_until(arguments, end) : arguments, "[", "]");
	pv_name_text(o, get ? ".get" : ".set");
	return true;
}

/* Whether two methods of this name can differ in their arguments. */
static bool shows_arguments(struct pv_part name, enum made made)
{
	struct pv_part of;
	return made != MADE_LAMBDA && made != MADE_MAIN && made != MADE_BASE &&
	       !pv_part_is(name, "<Main>") && !pv_part_is(name, ".cctor") &&
	       !(name.len && name.at[0] != '.' &&
		       pv_name_accessor(pv_name_without_space(name), &of));
}

/* Marks members that a compiler has put into a class of its own. */
static void put_machinery(struct pv_name_out *o, enum made of)
{
	if (of == MADE_MACHINE)
		pv_name_text(o, " > state machine");
	else if (of == MADE_CLOSURE)
		pv_name_text(o, " > closure");
}

struct method {
	struct pv_part name, arguments;
	bool has_arguments; /* they may be none; false: the log does not tell */
};

static void put_method_part(struct pv_name_out *o, const struct around *a, struct method m)
{
	struct found f = pv_name_method_found(m.name);
	bool code = f.made == MADE_LAMBDA || f.made == MADE_LOCAL;
	if (a->last == MADE_MACHINE && pv_part_is(m.name, "MoveNext"))
		return;
	if (!code)
		put_machinery(o, a->last);
	if (code && a->written) { /* within what a state machine stands for */
		if (f.made == MADE_LAMBDA)
			put_lambda(o, f.tail);
		else
			put_local(o, f.tail);
	} else {
		pv_name_text(o, ".");
		if (put_indexer(o, m.name, m.arguments))
			return;
		if (pv_part_is(m.name, "Finalize") && m.has_arguments && !m.arguments.len) {
			pv_name_text(o, "finalizer");
			return;
		}
		put_member(o, m.name, a->of);
	}
	if (m.has_arguments && shows_arguments(m.name, f.made))
		put_types(o, m.arguments, "(", ")");
}

static struct pv_name_out begin_name_out(char *const to[PV_NAME_FORMS], size_t room)
{
	struct pv_name_out o = { .to = to, .room = room };
	for (int form = 0; form < PV_NAME_FORMS; form++)
		o.full[form] = room == 0 || !to[form];
	return o;
}

/* Lengths of the forms; 0: incomplete. */
static void finish_name_out(struct pv_name_out *o, size_t ret_len[PV_NAME_FORMS])
{
	for (int form = 0; form < PV_NAME_FORMS; form++) {
		ret_len[form] = o->full[form] ? 0 : o->n[form];
		if (ret_len[form])
			o->to[form][ret_len[form]] = 0;
	}
}

/* False: not a method's name. */
static bool put_whole(struct pv_name_out *o, struct pv_part name)
{
	if (pv_part_begins(name, "(wrapper ")) {
		size_t end = pv_part_close(name) + 2;
		pv_name_put(o, name.at, end < name.len ? end : name.len);
		name = pv_part_from(name, end);
	}
	size_t colon = pv_part_find(name, ":");
	struct pv_part method = pv_part_from(name, colon + 1);
	if (colon == 0 || !method.len || method.at[0] == ':')
		return false;
	size_t space = pv_part_find(method, " ");
	struct pv_part rest = pv_part_from(method, space + 1);
	struct method m = { .name = pv_part_until(method, space) };
	m.has_arguments = rest.len >= 2 && rest.at[0] == '(' && pv_part_close(rest) == rest.len - 1;
	if (m.has_arguments)
		m.arguments = pv_part_until(pv_part_from(rest, 1), rest.len - 2);
	else if (space < method.len)
		return false;
	const struct around a = put_classes(o, pv_part_until(name, colon), true);
	put_method_part(o, &a, m);
	return true;
}

void pv_readable_forms(bool class, const char *raw, size_t len, char *const to[PV_NAME_FORMS],
	size_t room, size_t ret_len[PV_NAME_FORMS])
{
	const struct pv_part name = { raw, len };
	struct pv_name_out o = begin_name_out(to, room);
	if (class)
		put_type(&o, name, true);
	else if (!put_whole(&o, name))
		o.full[PV_NAME_READABLE] = o.full[PV_NAME_CANONICAL] = true;
	finish_name_out(&o, ret_len);
}

static size_t one_form(
	bool class, const char *raw, size_t len, enum pv_name_form form, char *to, size_t room)
{
	char *forms[PV_NAME_FORMS] = { NULL };
	size_t n[PV_NAME_FORMS];
	forms[form] = to;
	pv_readable_forms(class, raw, len, forms, room, n);
	return n[form];
}

size_t pv_readable_method(
	const char *raw, size_t len, enum pv_name_form form, char *to, size_t room)
{
	return one_form(false, raw, len, form, to, room);
}

size_t pv_readable_class(const char *raw, size_t len, enum pv_name_form form, char *to, size_t room)
{
	return one_form(true, raw, len, form, to, room);
}
