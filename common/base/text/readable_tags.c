/* SPDX-License-Identifier: MIT */
/* Tables: tags in names made by compilers, and C#'s words for names of runtimes and metadata. */
#include "common/base/text/readable_parts.h"

/* --- names made by compilers: "<M>" followed by a tag */

struct tag {
	const char *text;
	enum made made;
	bool nameless; /* M is empty */
	bool whole;    /* nothing may follow but digits and '_' */
};

/* The longest match stands first. C#'s compiler (Roslyn), then Mono's (mcs). */
static const struct tag class_tags[] = {
	{ "d__", MADE_MACHINE, false, true },
	{ "c__DisplayClass", MADE_CLOSURE, true, true },
	{ "c__async", MADE_MACHINE, false, true },
	{ "c__Iterator", MADE_MACHINE, false, true },
	{ "c__AnonStorey", MADE_CLOSURE, false, true },
	{ "c", MADE_CLOSURE, true, true },
	{ "d", MADE_MACHINE, false, true }, /* of a lambda or local function */
	{ "F", MADE_FILE, false, false },
};
static const struct tag method_tags[] = {
	{ "b__", MADE_LAMBDA, false, true },
	{ "g__", MADE_LOCAL, false, false },
	{ "n__", MADE_BASE, true, true },
	{ "m__", MADE_LAMBDA, false, true },
	{ "m__", MADE_LAMBDA, true, true }, /* M is the M of the class around */
	{ "$", MADE_MAIN, false, true },
};

static bool is_number_part(struct pv_part p)
{
	for (size_t i = 0; i < p.len; i++)
		if ((p.at[i] < '0' || p.at[i] > '9') && p.at[i] != '_')
			return false;
	return true;
}

/* Whether the tail is a number; Mono's compiler numbers classes in hexadecimal. */
static bool is_of_number(const char *tag, struct pv_part tail)
{
	if (!pv_part_begins((struct pv_part){ tag, strlen(tag) }, "c__"))
		return is_number_part(tail);
	for (size_t i = 0; i < tail.len; i++)
		if (!strchr("0123456789ABCDEF_", tail.at[i]))
			return false;
	return true;
}

static struct found find_tag(struct pv_part name, const struct tag *tags, size_t n)
{
	struct found f = { .made = MADE_NOTHING };
	size_t close = name.len && name.at[0] == '<' ? pv_part_close(name) : name.len;
	if (close == name.len)
		return f;
	f.of = pv_part_until(pv_part_from(name, 1), close - 1);
	struct pv_part tail = pv_part_from(name, close + 1);
	for (size_t i = 0; i < n && !f.made; i++) {
		f.tail = pv_part_from(tail, strlen(tags[i].text));
		if (pv_part_begins(tail, tags[i].text) && tags[i].nameless == (f.of.len == 0) &&
			(!tags[i].whole || is_of_number(tags[i].text, f.tail)))
			f.made = tags[i].made;
	}
	return f;
}

struct found pv_name_class_found(struct pv_part name)
{
	return find_tag(name, class_tags, sizeof class_tags / sizeof *class_tags);
}

struct found pv_name_method_found(struct pv_part name)
{
	return find_tag(name, method_tags, sizeof method_tags / sizeof *method_tags);
}

/* --- words of the language */

static const char *const operators[][2] = { { "op_Addition", "+" }, { "op_Subtraction", "-" },
	{ "op_Multiply", "*" }, { "op_Division", "/" }, { "op_Modulus", "%" },
	{ "op_BitwiseAnd", "&" }, { "op_BitwiseOr", "|" }, { "op_ExclusiveOr", "^" },
	{ "op_LeftShift", "<<" }, { "op_RightShift", ">>" }, { "op_UnsignedRightShift", ">>>" },
	{ "op_Equality", "==" }, { "op_Inequality", "!=" }, { "op_LessThan", "<" },
	{ "op_GreaterThan", ">" }, { "op_LessThanOrEqual", "<=" },
	{ "op_GreaterThanOrEqual", ">=" }, { "op_UnaryNegation", "-" }, { "op_UnaryPlus", "+" },
	{ "op_LogicalNot", "!" }, { "op_OnesComplement", "~" }, { "op_Increment", "++" },
	{ "op_Decrement", "--" }, { "op_True", "true" }, { "op_False", "false" } };
static const char *const words[][2] = { { ".ctor", "new" }, { ".cctor", "static constructor" },
	{ "op_Implicit", "implicit operator" }, { "op_Explicit", "explicit operator" } };
static const char *const accessors[][2] = { { "get_", "get" }, { "set_", "set" }, { "add_", "add" },
	{ "remove_", "remove" } };

bool pv_name_put_word(struct pv_name_out *o, struct pv_part name)
{
	if (!pv_part_begins(name, ".") && !pv_part_begins(name, "op_"))
		return false; /* most names, without a look at each word */
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (pv_part_is(name, words[i][0])) {
			pv_name_text(o, words[i][1]);
			return true;
		}
	}
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		if (pv_part_is(name, operators[i][0])) {
			pv_name_text(o, "operator ");
			pv_name_text(o, operators[i][1]);
			return true;
		}
	}
	return false;
}

const char *pv_name_accessor(struct pv_part name, struct pv_part *ret_of)
{
	for (size_t i = 0; i < sizeof accessors / sizeof *accessors; i++) {
		*ret_of = pv_part_from(name, strlen(accessors[i][0]));
		if (pv_part_begins(name, accessors[i][0]) && ret_of->len)
			return accessors[i][1];
	}
	return NULL;
}

/* The runtimes' names: Mono writes C#'s words, .NET the words of metadata. */
const char *pv_name_alias(struct pv_part type)
{
	static const struct {
		const char *raw;
		size_t len;
		const char *name;
	} alias[] = {
#define ALIAS(raw, name) { raw, sizeof raw - 1, name },
		/* clang-format off */
		ALIAS("System.Boolean", "bool") ALIAS("System.Byte", "byte")
		ALIAS("System.SByte", "sbyte") ALIAS("System.Char", "char")
		ALIAS("System.Int16", "short") ALIAS("System.UInt16", "ushort")
		ALIAS("System.Int32", "int") ALIAS("System.UInt32", "uint") ALIAS("System.Int64", "long")
		ALIAS("System.UInt64", "ulong") ALIAS("System.Single", "float")
		ALIAS("System.Double", "double") ALIAS("System.Decimal", "decimal")
		ALIAS("System.IntPtr", "nint") ALIAS("System.UIntPtr", "nuint")
		ALIAS("System.Object", "object") ALIAS("System.String", "string")
		ALIAS("System.Void", "void") ALIAS("int8", "sbyte") ALIAS("uint8", "byte")
		ALIAS("int16", "short") ALIAS("uint16", "ushort") ALIAS("int32", "int")
		ALIAS("uint32", "uint") ALIAS("int64", "long") ALIAS("uint64", "ulong")
		ALIAS("float32", "float") ALIAS("float64", "double") ALIAS("single", "float")
		ALIAS("intptr", "nint") ALIAS("uintptr", "nuint")
		/* stand for any reference type in shared code */
		ALIAS("System.__Canon", "_") ALIAS("T_REF", "_")
	/* clang-format on */
#undef ALIAS
	};
	for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
		if (type.len == alias[i].len && memcmp(type.at, alias[i].raw, type.len) == 0)
			return alias[i].name;
	return NULL;
}
