#include "common/base/readable_name.h"

#include "common/base/readable_parts.h"

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
		put_type(o, type, o->spaces);
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

/* "(int, string)", "int?"; false: it is neither. */
static bool put_sugar(struct pv_name_out *o, struct pv_part type)
{
	size_t open = pv_part_find(type, "<");
	struct pv_part kind = pv_part_until(type, open), arguments;
	size_t tick = pv_part_find(kind, "`");
	kind.len = tick;
	if (!pv_part_inside(pv_part_from(type, open), &arguments))
		return false;
	if (pv_part_is(kind, "System.ValueTuple")) {
		put_types(o, arguments, "(", ")");
		return true;
	}
	if (!pv_part_is(kind, "System.Nullable"))
		return false;
	put_type(o, arguments, o->spaces);
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

/* "Run<int>", with what is to stand for Run. */
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

/* "Space.IThing<int>.Run": of an interface that is implemented explicitly. */
static void put_plain_member(struct pv_name_out *o, struct pv_part name)
{
	bool named = name.len && name.at[0] != '.';
	struct pv_part own = named ? pv_name_without_space(name) : name;
	if (name.len - own.len > 1) {
		put_type(o, pv_part_until(name, name.len - own.len - 1), o->spaces);
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
	if (!o->numbers || !number.len)
		return;
	pv_name_text(o, " #");
	pv_name_put(o, number.at, number.len);
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
	struct pv_part head = name, own = name;
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] == '-')
			own = pv_part_from(name, i + 1);
	head.len = name.len - own.len - 1;
	for (size_t i = head.len; !o->spaces && i > 0; i--) {
		if (head.at[i - 1] == '-') {
			head = pv_part_from(head, i);
			break;
		}
	}
	for (size_t i = 0; i < head.len; i++)
		pv_name_put(o, head.at[i] == '-' ? "." : head.at + i, 1);
	pv_name_text(o, ".");
	put_simple(o, own);
}

/*
 * A member, whatever a compiler has made of it: "<<Run>g__Add|8_0>b__1" is "Run > Add > lambda #1".
 * around: what an empty M stands for.
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
	enum made last;           /* kind of the innermost one */
	struct pv_part of;        /* M of the innermost that has one */
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

/* So many of the arguments that all classes have together, which stand after the innermost. */
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

static void put_own_class(struct pv_name_out *o, struct around *a, struct pv_part name, bool first)
{
	pv_name_text(o, first ? "" : ".");
	if (pv_part_begins(name, "<>f__AnonymousType") || pv_part_begins(name, "<>__AnonType")) {
		pv_name_text(o, "{anonymous}");
		a->arguments.len = 0;
		return;
	}
	pv_name_plain(o, name);
	put_arguments(o, &a->arguments, arity_of(name));
}

/* A state machine within another, or within a closure that is named, is that of a lambda. */
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

static void put_class(struct pv_name_out *o, struct around *a, struct pv_part name, bool first)
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
		pv_name_put(o, name.at, name.len - own.len);
		put_file_local(o, f);
	} else {
		put_own_class(o, a, name, first);
	}
}

/* Without the '<...>' at its end, if that is of types and no name. */
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
	type = split_arguments(type, &a.arguments);
	size_t outer = pv_part_find(type, "/+");
	if (!space)
		type = pv_part_from(
			type, outer - pv_name_without_space(pv_part_until(type, outer)).len);
	for (bool first = true; type.len; first = false) {
		size_t end = pv_part_find(type, "/+");
		put_class(o, &a, pv_part_until(type, end), first);
		type = pv_part_from(type, end + 1);
	}
	/*
	 * Without arities nothing says whose they are; of a
	 * closure or a lambda they are its method's, or its class's.
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

/* "this[int].get" of "get_Item (int)"; false: it is no indexer's. */
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

/* Whether two of that name can differ in them. */
static bool shows_arguments(struct pv_part name, enum made made)
{
	struct pv_part of;
	return made != MADE_LAMBDA && made != MADE_MAIN && made != MADE_BASE &&
	       !pv_part_is(name, "<Main>") && !pv_part_is(name, ".cctor") &&
	       !(name.len && name.at[0] != '.' &&
		       pv_name_accessor(pv_name_without_space(name), &of));
}

/* Members that a compiler has put into a class of its own. */
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

static void put_method(struct pv_name_out *o, const struct around *a, struct method m)
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

static size_t written(struct pv_name_out *o)
{
	if (o->full || o->room == 0 || o->n == 0)
		return 0;
	o->to[o->n] = 0;
	return o->n;
}

static struct pv_name_out begin(enum pv_name_form form, char *to, size_t room)
{
	return (struct pv_name_out){ .to = to,
		.room = room,
		.full = room == 0,
		.spaces = form == PV_NAME_CANONICAL,
		.numbers = form == PV_NAME_READABLE };
}

size_t pv_readable_method(
	const char *raw, size_t len, enum pv_name_form form, char *to, size_t room)
{
	struct pv_name_out o = begin(form, to, room);
	struct pv_part name = { raw, len };
	if (pv_part_begins(name, "(wrapper ")) {
		size_t end = pv_part_close(name);
		pv_name_put(&o, raw, end + 2 < len ? end + 2 : len);
		name = pv_part_from(name, end + 2);
	}
	size_t colon = pv_part_find(name, ":");
	struct pv_part method = pv_part_from(name, colon + 1);
	if (colon == 0 || !method.len || method.at[0] == ':')
		return 0;
	size_t space = pv_part_find(method, " ");
	struct pv_part rest = pv_part_from(method, space + 1);
	struct method m = { .name = pv_part_until(method, space) };
	m.has_arguments = rest.len >= 2 && rest.at[0] == '(' && pv_part_close(rest) == rest.len - 1;
	if (m.has_arguments)
		m.arguments = pv_part_until(pv_part_from(rest, 1), rest.len - 2);
	else if (space < method.len)
		return 0;
	const struct around a = put_classes(&o, pv_part_until(name, colon), true);
	put_method(&o, &a, m);
	return written(&o);
}

size_t pv_readable_class(const char *raw, size_t len, enum pv_name_form form, char *to, size_t room)
{
	struct pv_name_out o = begin(form, to, room);
	put_type(&o, (struct pv_part){ raw, len }, true);
	return written(&o);
}
