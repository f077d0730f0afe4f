/* SPDX-License-Identifier: MIT */
/* The language of filters: what a text means, where it is wrong, what it lets through, what it costs. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/filter/filter.h"
#include "common/base/filter/pattern.h"
#include "tests/kit/suite.h"

static const struct pv_filter_column columns[] = {
	{ "self_percent", PV_FILTER_PERCENT, 0 },
	{ "self_ns", PV_FILTER_NS, 1 },
	{ "calls", PV_FILTER_PLAIN, 2 },
	{ "bytes", PV_FILTER_BYTES, 3 },
	{ "share_percent", PV_FILTER_PERCENT, 4 },
	{ "last", PV_FILTER_ALL_UNITS, 5 },
	{ "max_ns", PV_FILTER_NS, 6 },
	{ "max", PV_FILTER_PLAIN, 7 },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static struct pv_filter *made(const char *text)
{
	struct pv_filter_error err;
	struct pv_filter *f = pv_filter_make(text, PV_FILTER_CAPITALS, columns, COLUMNS, &err);
	ck_assert_msg(f != NULL, "%s: %s at %zu", text, err.what, err.at);
	return f;
}

START_TEST(a_text_has_one_meaning)
{
	static const struct {
		const char *text, *tree;
	} rows[] = {
		{ "", "" },
		{ "  ", "" },
		{ "cart", "cart" },
		{ "a b", "(and a b)" },
		{ "a b c", "(and (and a b) c)" },
		{ "a|b", "(or a b)" },
		{ "a b | c d", "(or (and a b) (and c d))" },
		{ "a (b|c) d", "(and (and a (or b c)) d)" },
		{ "a(b", "a(b" },
		{ "!a", "(not a)" },
		{ "! a", "(not a)" },
		{ "!!a", "a" },
		{ "!!!a b", "(and (not a) b)" },
		{ "!(a|b)", "(not (or a b))" },
		{ "\"a b\"", "a b" },
		{ "\"a \\\"b\\\\ \\c\"", "a \"b\\ \\c" },
		{ "\"operator|\"", "operator|" },
		{ "a\"b", "a\"b" },
		{ "/a|b/", "/" },
		{ "!/a b/ c", "(and (not /) c)" },
		{ "/usr/lib", "/usr/lib" },
		{ "//x", "//x" },
		{ "http://x", "http://x" },
		/* Names as they stand. */
		{ "Class:Method", "Class:Method'" },
		{ "a::b", "a::b" },
		{ "thread::id", "thread::id" },
		{ "List<int>", "List<int>'" },
		{ "Main ()", "(and Main' ())" },
		{ "f(int,char) g", "(and f(int,char) g)" },
		{ "(f(int) | x)", "(or f(int) x)" },
		{ "a) b", "(and a) b)" },
		{ "kernel32.dll!Sleep", "kernel32.dll!Sleep'" },
		{ "word:x", "word:x" },
		/* Fields. */
		{ "class:Cart", "class:Cart'" },
		{ "ns:a asm:b module:c", "(and (and ns:a asm:b) module:c)" },
		{ "thread:t method:m | stack:s kind:k site:i",
			"(or (and thread:t method:m) (and (and stack:s kind:k) site:i))" },
		{ "class:\"a b\"", "class:a b" },
		{ "!method:/x/", "(not method:/)" },
		{ "class:a:b", "class:a:b" },
		/* Comparisons: of a column and a number only. */
		{ "self>10ms", "#1>10000000" },
		{ "self_ns>=10", "#1>=10" },
		{ "self>5%", "#0>5" },
		{ "self<10", "#1<10" },
		{ "max=5", "#7=5" },
		{ "max>5ms", "#6>5000000" },
		{ "bytes>=1MiB calls=1 share>0.5%", "(and (and #3>=1048576 #2=1) #4>0.5)" },
		{ "bytes>1M calls>1M", "(and #3>1048576 #2>1000000)" },
		{ "bytes<2kB", "#3<2048" },
		{ "calls!=3", "#2<>3" },
		{ "calls==3", "#2=3" },
		{ "calls<=3", "#2<=3" },
		{ "calls > 3", "#2>3" },
		{ "calls >3 x", "(and #2>3 x)" },
		{ "(calls>3)", "#2>3" },
		{ "!calls>3", "(not #2>3)" },
		{ "last>1.5us", "#5>1500" },
		{ "calls>0x10", "#2>16" },
		{ "calls>-1", "#2>-1" },
		{ "calls", "calls" },
		{ "calls>many", "calls>many" },
		{ "calls>1e3", "calls>1e3" },
		{ "Calls>3", "Calls>3'" },
		{ "other>3", "other>3" },
		{ "self_n>3", "self_n>3" },
		{ "a<b", "a<b" },
		{ "=3", "=3" },
	};
	char tree[400];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pv_filter *f = made(rows[i].text);
		const char *want = rows[i].tree;
		ck_assert_str_eq(pv_filter_tree(f, tree, sizeof tree), want);
		ck_assert_int_eq(pv_filter_leaves(f) == 0, !*want);
		pv_filter_free(f);
	}
}
END_TEST

START_TEST(an_error_names_the_character)
{
	static const struct {
		const char *text;
		size_t at;
		const char *what;
	} rows[] = {
		{ "a |", 2, "nothing after |" },
		{ "| a", 0, "nothing before |" },
		{ "a | | b", 2, "nothing after |" },
		{ "a || b", 2, "nothing after |" },
		{ "(a", 0, "this ( is never closed" },
		{ "x (a (b)", 2, "this ( is never closed" },
		{ "a )", 2, "no ( is open that this ) could close" },
		{ "( )", 2, "nothing within ( )" },
		{ "a !", 2, "nothing after !" },
		{ "(!)", 1, "nothing after !" },
		{ "a \"b", 2, "this \" is never closed" },
		{ "a \"\"", 2, "nothing between the quotes" },
		{ "class:", 0, "nothing after class:" },
		{ "a ns: b", 2, "nothing after ns:" },
		{ "a ns:= b", 2, "nothing after ns:=" },
		{ "calls>10ms", 6, "calls is a number, not a time" },
		{ "calls>", 5, "nothing after >" },
		{ "a self >=", 7, "nothing after >=" },
		{ "x self > 3MiB", 9, "self_percent is a share, not a size" },
		{ "bytes>3%", 6, "bytes is a size, not a share" },
		{ "self>3k", 5, "self_percent is a share, not a number" },
		{ "/a(b/", 2, "this ( is never closed" },
		{ "/a[b/", 0, "this / is never closed" },
		{ "x /[b-a]/", 6, "this range of [...] is empty" },
		{ "/[[:wrong:]]/", 4, "no such [:class:]" },
		{ "/[\xc3\xa4]/", 2, "[...] takes ASCII only" },
		{ "/*a/", 1, "nothing to repeat" },
		{ "/a{1/", 2, "a repetition is {2}, {2,} or {2,5}" },
		{ "/a{3,2}/", 2, "a repetition is {2}, {2,} or {2,5}" },
		{ "/a{256}/", 3, "a repetition of more than 255" },
		{ "/(a)\\1/", 4, "\\1 and the like are not known" },
		{ "/\\w/", 1, "\\ stands before signs only" },
		{ "/(a{1,255}){1,255}/", 18, "the regex is too long" },
	};
	struct pv_filter_error err;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pv_filter *f =
			pv_filter_make(rows[i].text, PV_FILTER_CAPITALS, columns, COLUMNS, &err);
		ck_assert_msg(!f, "%s is taken", rows[i].text);
		ck_assert_msg(strcmp(err.what, rows[i].what) == 0 && err.at == rows[i].at,
			"%s: %s at %zu", rows[i].text, err.what, err.at);
	}
}
END_TEST

START_TEST(a_filter_has_bounds)
{
	static const struct {
		const char *part;
		size_t times;
		const char *last;
	} rows[] = { { "(", 65, "a" }, { "!(", 40, "a" }, { "a ", 65, "" }, { "x", 1025, "" },
		{ "/a/ ", 9, "" } };
	struct pv_filter_error err;
	char text[4096];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		text[0] = 0;
		for (size_t k = 0; k < rows[i].times; k++)
			strcat(text, rows[i].part);
		strcat(text, rows[i].last);
		ck_assert_ptr_null(pv_filter_make(text, PV_FILTER_CAPITALS, NULL, 0, &err));
		ck_assert_msg(strncmp(err.what, "more than", 9) == 0, "%s", err.what);
	}
	/* As much as is allowed. */
	memset(text, '(', 64);
	text[64] = 'a';
	memset(text + 65, ')', 64);
	text[129] = 0;
	pv_filter_free(made(text));
	memset(text, '!', 64);
	strcpy(text + 64, "a");
	pv_filter_free(made(text));
}
END_TEST

/* --- rows and texts */

struct row {
	const char *text[3];
	long double number[COLUMNS];
};

static bool row_holds(const void *row, const struct pv_filter_leaf *leaf)
{
	const struct row *r = row;
	if (leaf->what == PV_FILTER_COMPARES)
		return pv_filter_number_is(leaf, r->number[leaf->place]);
	for (int i = 0; i < 3; i++)
		if (pv_filter_text_has(leaf, r->text[i], strlen(r->text[i])))
			return true;
	return false;
}

static bool lets(const char *filter, const char *text)
{
	const struct row row = { .text = { text, "", "" } };
	struct pv_filter *f = made(filter);
	bool is = pv_filter_passes(f, row_holds, &row);
	pv_filter_free(f);
	return is;
}

START_TEST(capitals_matter_where_there_are_some)
{
	ck_assert(lets("cart", "Shop.Cart"));
	ck_assert(lets("Cart", "Shop.Cart"));
	ck_assert(!lets("CART", "Shop.Cart"));
	ck_assert(lets("cart Shop", "Shop.Cart"));
	ck_assert(!lets("cart shoP", "Shop.Cart"));
	ck_assert(lets("/^shop.*t$/", "Shop.Cart"));
	ck_assert(!lets("/^SHOP/", "Shop.Cart"));
	ck_assert(lets("\"shop.cart\"", "Shop.Cart"));
	ck_assert(lets("aab", "aaab"));
	ck_assert(lets("abcabd", "abcabcabd"));
	ck_assert(!lets("abcabe", "abcabcabd"));
}
END_TEST

static bool line_holds(const void *line, const struct pv_filter_leaf *leaf)
{
	return pv_filter_line_has(leaf, line, strlen(line));
}

static bool lets_line(const char *filter, const char *line)
{
	struct pv_filter *f = made(filter);
	bool is = pv_filter_passes(f, line_holds, line);
	pv_filter_free(f);
	return is;
}

START_TEST(a_whole_name_and_no_other)
{
	char tree[100];
	ck_assert(lets("class:=System.String", "System.String"));
	ck_assert(!lets("class:=System.String", "System.StringBuilder"));
	ck_assert(!lets("class:=System.String", "My.System.String"));
	ck_assert(!lets("class:=System.String", "System.String[]"));
	ck_assert(!lets("class:=system.string", "System.String"));
	ck_assert(lets("class:=a", "a") && !lets("class:=a", "A"));
	ck_assert(lets("class:System.String", "System.StringBuilder"));
	ck_assert(lets("!class:=A class:A", "AB") && !lets("!class:=A class:A", "A"));
	ck_assert(lets("method:=\"Shop:Sum (int, \\\"x\\\")\"", "Shop:Sum (int, \"x\")"));
	ck_assert(lets("class:=/x/", "/x/") && lets("class:=A|class:=B", "B"));
	ck_assert(lets("class:\"=A\"", "=AB"));
	struct pv_filter *f = made("class:=A.B|ns:c");
	ck_assert_str_eq(pv_filter_tree(f, tree, sizeof tree), "(or class:=A.B' ns:c)");
	pv_filter_free(f);
	ck_assert(lets_line("class:=System.String", "alloc System.String 32 B"));
	ck_assert(lets_line("class:=System.String", "System.String"));
	ck_assert(lets_line("class:=System.String", "of System.StringX (System.String)"));
	ck_assert(lets_line("class:=System.String", "in System.String:Concat ()"));
	ck_assert(!lets_line("class:=System.String", "alloc System.StringBuilder 32 B"));
	ck_assert(!lets_line("class:=System.String", "alloc My.System.String 32 B"));
	ck_assert(!lets_line("class:=System.String", "alloc System.String[] 32 B"));
	ck_assert(lets_line("class:System.String", "alloc System.StringBuilder 32 B"));
}
END_TEST

static const char *lower(const char *text, char *ret)
{
	size_t n = 0;
	for (; text[n]; n++)
		ret[n] = (char)(text[n] >= 'A' && text[n] <= 'Z' ? text[n] + 32 : text[n]);
	ret[n] = 0;
	return ret;
}

START_TEST(what_is_quoted_finds_itself)
{
	static const char *const names[] = { "Shop.Cart", "Shop.Cart:Total (int,string)", "a|b",
		"\"x\"", "a\\b c", "(other)", "!x", "/x/", "class:x", "calls>3", "calls", "x",
		"operator<", "List<int>", "f()", "C:\\x y\\", "\xc3\xa4 b" };
	struct pv_filter_error err;
	char quoted[100];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		pv_filter_quote(names[i], quoted, sizeof quoted);
		struct pv_filter *f = made(quoted), *plain;
		plain = pv_filter_make(names[i], PV_FILTER_AS_IT_IS, NULL, 0, &err);
		char tree[100], other[100];
		ck_assert_ptr_nonnull(plain);
		ck_assert_str_eq(pv_filter_tree(plain, tree, sizeof tree), lower(names[i], other));
		ck_assert_uint_eq(pv_filter_leaves(f), 1);
		ck_assert(lets(quoted, names[i]));
		pv_filter_free(f);
		pv_filter_free(plain);
	}
	ck_assert_str_eq(pv_filter_quote("Shop.Cart", quoted, sizeof quoted), "Shop.Cart");
	ck_assert_str_eq(pv_filter_quote("a b c d e", quoted, 8), "\"a b \"");
	struct pv_filter *f = pv_filter_make("", PV_FILTER_AS_IT_IS, NULL, 0, &err);
	ck_assert_uint_eq(pv_filter_leaves(f), 0);
	pv_filter_free(f);
	f = pv_filter_make("CART Shop class:X \"Y\"", PV_FILTER_WORDS, NULL, 0, &err);
	ck_assert_str_eq(pv_filter_tree(f, quoted, sizeof quoted),
		"(and (and (and cart shop) class:X') Y')");
	pv_filter_free(f);
}
END_TEST

/* --- random expressions against a slow evaluation */

static uint32_t state = 12345;

static unsigned random_below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 16) % n;
}

/* Writes an expression at *to and answers whether the row passes it. */
static bool random_term(char **to, const struct row *row, int deep);

static bool random_either(char **to, const struct row *row, int deep)
{
	bool any = false;
	for (unsigned ors = 1 + random_below(2); ors > 0; ors--) {
		bool all = true;
		for (unsigned ands = 1 + random_below(3); ands > 0; ands--) {
			all &= random_term(to, row, deep);
			*(*to)++ = ' ';
		}
		any |= all;
		if (ors > 1)
			*(*to)++ = '|';
	}
	return any;
}

static bool random_term(char **to, const struct row *row, int deep)
{
	static const char *const parts[] = { "a", "b", "ab", "ba", "aa", "bb", "aba" };
	unsigned what = random_below(deep > 3 ? 3 : 5);
	bool is = false;
	if (what == 3) {
		*(*to)++ = '(';
		is = random_either(to, row, deep + 1);
		*(*to)++ = ')';
		return is;
	}
	if (what == 4) {
		*(*to)++ = '!';
		return !random_term(to, row, deep + 1);
	}
	if (what == 2) {
		static const char *const ops[] = { "<", "<=", "=", "!=", ">=", ">" };
		unsigned op = random_below(6);
		int n = (int)random_below(5), v = (int)row->number[2];
		*to += sprintf(*to, "calls%s%d", ops[op], n);
		return op == 0   ? v < n
		       : op == 1 ? v <= n
		       : op == 2 ? v == n
		       : op == 3 ? v != n
		       : op == 4 ? v >= n
				 : v > n;
	}
	const char *part = parts[random_below(7)];
	*to += sprintf(*to, what ? "\"%s\"" : "%s", part);
	for (int i = 0; i < 3; i++)
		is |= strstr(row->text[i], part) != NULL;
	return is;
}

START_TEST(random_filters_are_what_they_say)
{
	enum { ROUNDS = 4000 };
	size_t passed = 0, taken = 0;
	for (int i = 0; i < ROUNDS; i++) {
		char word[3][8], text[8192], *to = text;
		struct row row = { .text = { word[0], word[1], word[2] } };
		for (int k = 0; k < 3; k++) {
			unsigned n = random_below(6);
			for (unsigned c = 0; c < n; c++)
				word[k][c] = (char)('a' + random_below(2));
			word[k][n] = 0;
		}
		row.number[2] = random_below(5);
		bool want = random_either(&to, &row, 0);
		*to = 0;
		struct pv_filter_error err;
		struct pv_filter *f =
			pv_filter_make(text, PV_FILTER_CAPITALS, columns, COLUMNS, &err);
		if (!f) {
			ck_assert_msg(
				strncmp(err.what, "more than", 9) == 0, "%s: %s", text, err.what);
			continue;
		}
		uint64_t bits = 0;
		for (size_t k = 0; k < pv_filter_leaves(f); k++)
			bits |= (uint64_t)row_holds(&row, pv_filter_leaf(f, k)) << k;
		ck_assert_msg(pv_filter_passes(f, row_holds, &row) == want, "%s", text);
		ck_assert_msg(pv_filter_passes_bits(f, bits) == want, "%s", text);
		passed += want;
		taken++;
		pv_filter_free(f);
	}
	ck_assert_uint_gt(taken, ROUNDS * 9 / 10);
	ck_assert_uint_gt(passed, ROUNDS / 5);
	ck_assert_uint_lt(passed, ROUNDS * 4 / 5);
}
END_TEST

/* --- patterns */

static bool pattern_has(const char *pattern, const char *text)
{
	struct pv_pattern *p = malloc(sizeof *p);
	struct pv_pattern_error err;
	ck_assert_msg(pv_pattern_make(pattern, strlen(pattern), false, p, &err), "%s: %s", pattern,
		err.what);
	bool is = pv_pattern_has(p, text, strlen(text));
	free(p);
	return is;
}

START_TEST(patterns_are_those_of_posix)
{
	static const char *const patterns[] = { "", "a", "^a", "a$", "^$", "a*", "^a*$", "a+b",
		"ab?c", "a|b", "^(a|b)$", "^(ab|cd|ef)+$", "(a|)b", "a{2}", "^a{2}$", "^a{0}$",
		"^a{0,1}$", "^a{2,}$", "^a{0,}$", "^a{1,3}$", "^(ab){1,2}c$", "^(a{1,2}){2}$",
		"[ab]+c", "[^ab]", "^[^ab]+$", "[a-c]$", "[]a]", "[^]a]", "[a-]", "[[:digit:]]",
		"^[[:alpha:]_][[:alnum:]_]*$", "[[:space:]]", "[[:punct:]]", "[[:upper:]]", "a.c",
		"^.$", "^..$", "\\.", "\\(a\\)", "a|^b$|c$", "(^a|b)c", "(a*)*", "^(a*)+$",
		"(a|b)*c", "()", "a**", "x(y|z){2,3}w", "^((a|b)?c){2}$", "[[:xdigit:]]{4}",
		"a)b" };
	static const char *const texts[] = { "", "a", "b", "c", "aa", "ab", "abc", "ac", "aaa",
		"aaaa", "ba", "bc", "cb", "abab", "ababc", "abcd", "cdef", "efab", "a.c", "axc",
		"(a)", "]", "-", "x", "7", "beef", "BEEF", "x y", "_x9", "9x", "xyyw", "xyzyw",
		"xyw", "acbc", "cc", "acc", "\t", "a)b", "!" };
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		regex_t other;
		const char *ours = patterns[i];
		ck_assert_int_eq(regcomp(&other, ours, REG_EXTENDED | REG_NOSUB), 0);
		for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
			bool want = regexec(&other, texts[k], 0, NULL, 0) == 0;
			ck_assert_msg(pattern_has(ours, texts[k]) == want, "/%s/ in \"%s\" is %s",
				ours, texts[k], want ? "found" : "not found");
		}
		regfree(&other);
	}
	ck_assert(pattern_has("^.$", "\xc3\xa4"));
	ck_assert(!pattern_has("^..$", "\xc3\xa4"));
	ck_assert(pattern_has("^[^a]b$", "\xe2\x82\xac"
					 "b"));
	ck_assert(pattern_has("^\xc3\xa4+$", "\xc3\xa4\xc3\xa4"));
}
END_TEST

START_TEST(random_patterns_are_those_of_posix)
{
	static const char *const parts[] = { "a", "b", "a", "b", "(", ")", "|", "*", "?", "+",
		"{1,2}", "{2}", ".", "[ab]", "^", "$", "{0,2}", "{2,}" };
	size_t taken = 0;
	for (int i = 0; i < 20000; i++) {
		char text[64] = "", word[12];
		struct pv_pattern p;
		struct pv_pattern_error err;
		regex_t other;
		for (unsigned n = 1 + random_below(8); n > 0; n--)
			strcat(text, parts[random_below(sizeof parts / sizeof *parts)]);
		/* Of what POSIX leaves open ours has one meaning, or none. */
		if (!pv_pattern_make(text, strlen(text), false, &p, &err) || strstr(text, "^*") ||
			strpbrk(text, "^$)") || regcomp(&other, text, REG_EXTENDED | REG_NOSUB))
			continue;
		unsigned n = random_below(8);
		for (unsigned k = 0; k < n; k++)
			word[k] = (char)('a' + random_below(3));
		word[n] = 0;
		bool want = regexec(&other, word, 0, NULL, 0) == 0;
		ck_assert_msg(pv_pattern_has(&p, word, n) == want, "/%s/ in %s", text, word);
		regfree(&other);
		taken++;
	}
	ck_assert_uint_gt(taken, 3000);
}
END_TEST

/* Others take twice the time for each letter more of some of these. */
START_TEST(hostile_patterns_take_a_bounded_time)
{
	static const char *const patterns[] = { "(a*)*b", "(a|a)*b", "(a|aa)+$b", "a*a*a*a*a*a*a*b",
		"(.*a){11}b", "(a?){99}a{99}b", "(a{1,15}){1,15}b", "((a*)+)*b",
		"[a-b]*a[a-b]{99}c" };
	enum { LONG = 20000 };
	char *text = malloc(LONG);
	struct pv_pattern *p = malloc(sizeof *p);
	struct pv_pattern_error err;
	memset(text, 'a', LONG);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		uint64_t steps = 0;
		ck_assert_msg(pv_pattern_make(patterns[i], strlen(patterns[i]), true, p, &err),
			"%s: %s", patterns[i], err.what);
		ck_assert(!pv_pattern_has_counted(p, text, LONG, &steps));
		ck_assert_uint_le(steps, (uint64_t)(LONG + 1) * 2 * p->steps);
	}
	free(p);
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("filter");
	TCase *c = tcase_create("all");
	tcase_add_test(c, a_text_has_one_meaning);
	tcase_add_test(c, an_error_names_the_character);
	tcase_add_test(c, a_filter_has_bounds);
	tcase_add_test(c, capitals_matter_where_there_are_some);
	tcase_add_test(c, a_whole_name_and_no_other);
	tcase_add_test(c, what_is_quoted_finds_itself);
	tcase_add_test(c, random_filters_are_what_they_say);
	tcase_add_test(c, patterns_are_those_of_posix);
	tcase_add_test(c, random_patterns_are_those_of_posix);
	tcase_add_test(c, hostile_patterns_take_a_bounded_time);
	suite_add_tcase(s, c);
	return run_suite(s);
}
