/* SPDX-License-Identifier: MIT */
/*
 * Version 6 of .nettrace from streams written by hand: threads by number, labels, rows that describe
 * events, sequence points, and what is said of damage. Expected lines are worked out from the
 * description of the format.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kit/nt_kit.h"
#include "tests/kit/suite.h"

#define B(bytes) bytes, sizeof bytes - 1

static struct nt_kit k;

static void start(void)
{
	memset(&k, 0, sizeof k);
	nt_kit_start(&k);
}

static void end(void)
{
	nt_kit_open(&k, NT_KIT_END);
	nt_kit_close(&k);
}

/* The stream as it is, byte by byte and at once: the same. */
static struct nt_read read_all(void)
{
	struct nt_read r = nt_kit_read(k.bytes, k.n, k.n), slow = nt_kit_read(k.bytes, k.n, 1);
	ck_assert_str_eq(r.text, slow.text);
	ck_assert_uint_eq(r.damages, slow.damages);
	ck_assert_uint_eq(r.lost, slow.lost);
	free(slow.text);
	return r;
}

static void expect(const char *text)
{
	struct nt_read r = read_all();
	ck_assert_str_eq(r.text, text);
	ck_assert_uint_eq(r.damages, 0);
	ck_assert_int_eq(r.failed, PV_OK);
	ck_assert(r.over);
	free(r.text);
}

/* One event of thread 1, whose id is 501. */
static void one(const char *fields, size_t fields_n, const char *payload, size_t n)
{
	start();
	nt_kit_describe(&k, 9, "Own", 4, "It", fields, fields_n);
	nt_kit_thread(&k, 1, 77, 501, "");
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 1, 0, payload, n);
	nt_kit_close(&k);
	end();
}

START_TEST(every_type_is_read)
{
	/* size of the field, name, type */
	one(B("\x0c\0"
	      "\4\0\2bo\3"
	      "\4\0\2i8\5"
	      "\4\0\2u8\6"
	      "\5\0\3i16\7"
	      "\5\0\3u32\x0a"
	      "\5\0\3i64\x0b"
	      "\3\0\1f\x0d"
	      "\3\0\1d\x0e"
	      "\3\0\1s\x12"
	      "\3\0\1v\x14"
	      "\3\0\1w\x15"
	      "\4\0\2b8\x1a"),
		B("\1\0\0\0"
		  "\xff"
		  "\xff"
		  "\xfe\xff"
		  "\xff\xff\xff\xff"
		  "\xfd\xff\xff\xff\xff\xff\xff\xff"
		  "\0\0\xc0\x3f"
		  "\0\0\0\0\0\0\x04\xc0"
		  "h\0i\0\0\0"
		  "\x05"
		  "\xac\x02"
		  "\0"));
	expect("501 ext.unknown Own/It bo=true i8=-1 u8=255 i16=-2 u32=4294967295 i64=-3 f=1.5 d=-2.5 "
	       "s=\"hi\" v=-3 w=300 b8=false\n");
}
END_TEST

START_TEST(arrays_and_objects_are_read)
{
	/* of varuints; two i8, twice; UTF-8; an object of a byte and an array of u16 */
	one(B("\4\0"
	      "\4\0\1a\x13\x15"
	      "\x09\0\1f\x16\x16\x05\2\0\2\0"
	      "\4\0\1t\x13\x17"
	      "\x10\0\1o\1\2\0"
	      "\3\0\1x\6"
	      "\4\0\1y\x13\x08"),
		B("\3\0\1\2\x80\1"
		  "\1\2\3\4"
		  "\5\0hello"
		  "\7"
		  "\2\0\1\0\2\0"));
	expect("501 ext.unknown Own/It a=[1,2,128] f=[[1,2],[3,4]] t=\"hello\" o={x=7,y=[1,2]}\n");
}
END_TEST

START_TEST(arrays_elsewhere_are_read)
{
	/* RelLoc of UTF-8 units, after a field 4 bytes on; DataLoc of u16 at byte 11 */
	one(B("\3\0"
	      "\4\0\1r\x18\x17"
	      "\4\0\1d\x19\x08"
	      "\3\0\1b\6"),
		B("\5\0\3\0" /* 3 bytes, 5 on: after d and b */
		  "\x0c\0\4\0"
		  "\x2a"
		  "abc"
		  "\1\0\2\0"));
	expect("501 ext.unknown Own/It r=\"abc\" d=[1,2] b=42\n");
	one(B("\1\0"
	      "\4\0\1r\x18\x17"),
		B("\5\0\3\0"));
	expect("501 ext.unknown Own/It r= (its fields do not fit)\n");
}
END_TEST

START_TEST(elements_without_bytes_end)
{
	/* an array of arrays of objects without fields: 65535 of 65535 */
	one(B("\1\0"
	      "\x0c\0\1a\x13\x16\x16\1\0\0\xff\xff\xff\xff"),
		B("\xff\xff"));
	struct nt_read r = read_all();
	ck_assert_uint_eq(r.damages, 0);
	ck_assert_uint_lt(r.len, 1200);
	free(r.text);
}
END_TEST

START_TEST(threads_have_names_and_processes)
{
	start();
	nt_kit_describe(&k, 9, "Own", 4, "It", B("\0\0"));
	nt_kit_thread(&k, 1, 77, 501, "main");
	nt_kit_thread(&k, 2, 80, 502, "other");
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 1, 0, B(""));
	nt_kit_event(&k, 9, 1, 2, 0, B(""));
	nt_kit_event(&k, 9, 2, 1, 0, B(""));
	nt_kit_event(&k, 9, 3, 1, 0, B("")); /* a number that was never said */
	nt_kit_close(&k);
	end();
	expect("3 ext.unknown Own/It\n"
	       "501 thread.name main\n"
	       "501 ext.unknown Own/It\n"
	       "501 ext.unknown Own/It\n"
	       "502 ext.mark.mark\n"
	       "0 ext.mark.mark\n");
	struct nt_read r = read_all();
	ck_assert_uint_eq(r.pid, 77);
	free(r.text);
}
END_TEST

START_TEST(labels_stand_with_their_events)
{
	start();
	nt_kit_describe(&k, 9, "Own", 4, "It", B("\0\0"));
	nt_kit_open(&k, NT_KIT_LABELS);
	nt_kit_u32(&k, 5);
	nt_kit_u32(&k, 2);
	nt_kit_u8(&k, 5);
	nt_kit_text(&k, "shop");
	nt_kit_text(&k, "12");
	nt_kit_u8(&k, 6 | 0x80);
	nt_kit_text(&k, "n");
	nt_kit_var(&k, 9); /* -5 */
	nt_kit_u8(&k, 4 | 0x80);
	nt_kit_u64(&k, 0x1122334455667788);
	nt_kit_close(&k);
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 1, 5, B(""));
	nt_kit_event(&k, 9, 1, 2, 6, B(""));
	nt_kit_event(&k, 9, 1, 3, 7, B("")); /* there is none */
	nt_kit_close(&k);
	nt_kit_point(&k, 0, 1, 3);
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 4, 5, B("")); /* a point makes them forgotten */
	nt_kit_close(&k);
	end();
	expect("1 ext.unknown Own/It shop=12 n=-5\n"
	       "1 ext.unknown Own/It span=1122334455667788\n"
	       "1 ext.unknown Own/It\n"
	       "1 ext.unknown Own/It\n");
}
END_TEST

static void losses(uint32_t flags, uint64_t gone)
{
	start();
	nt_kit_describe(&k, 9, "Own", 4, "It", B("\0\0"));
	nt_kit_thread(&k, 1, 77, 501, "");
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 3, 0, B("")); /* 2 before it */
	nt_kit_event(&k, 9, 1, 4, 0, B(""));
	nt_kit_event(&k, 9, 1, 8, 0, B("")); /* 3 */
	nt_kit_close(&k);
	nt_kit_point(&k, flags, 1, 10); /* 2 */
	if (gone) {
		nt_kit_open(&k, NT_KIT_GONE);
		nt_kit_var(&k, 1);
		nt_kit_var(&k, gone);
		nt_kit_close(&k);
		nt_kit_thread(&k, 1, 77, 502, "");
		nt_kit_open(&k, NT_KIT_EVENTS);
		nt_kit_event(&k, 9, 1, 1, 0, B("")); /* another one begins anew */
		nt_kit_close(&k);
	}
	end();
}

START_TEST(losses_are_counted)
{
	losses(0, 0);
	struct nt_read r = read_all();
	ck_assert_uint_eq(r.lost, 7);
	free(r.text);
	losses(0, 11); /* 1 more when it went */
	r = read_all();
	ck_assert_uint_eq(r.lost, 8);
	ck_assert(strstr(r.text, "502 ext.unknown"));
	free(r.text);
}
END_TEST

START_TEST(points_forget)
{
	start();
	nt_kit_describe(&k, 9, "Own", 4, "It", B("\0\0"));
	nt_kit_thread(&k, 1, 77, 501, "");
	nt_kit_point(&k, 1 | 2, 1, 0);
	nt_kit_describe(&k, 9, "Own", 5, "Other", B("\0\0"));
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 1, 0, B(""));
	nt_kit_close(&k);
	end();
	expect("1 ext.unknown Own/Other\n");
}
END_TEST

/* Texts with a zero after each, as UTF-16; then what follows. */
static size_t wide(char *to, const char *texts, size_t n, const char *rest, size_t rest_n)
{
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		to[at++] = texts[i];
		to[at++] = 0;
	}
	memcpy(to + at, rest, rest_n);
	return at + rest_n;
}

static void meter(uint32_t event, const char *texts, size_t n, const char *rest, size_t rest_n)
{
	char payload[1024];
	size_t all = wide(payload, texts, n, rest, rest_n);
	start();
	nt_kit_describe(&k, 9, "System.Diagnostics.Metrics", event, "", B("\0\0"));
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 1, 0, payload, all);
	nt_kit_event(&k, 9, 1, 2, 0, payload, all);
	nt_kit_close(&k);
	end();
}

/* The sum of 100.5 and a count of 7 add up; before .NET 8 there are neither these nor totals. */
START_TEST(meters_are_counters)
{
	static const char spread[] = "s\0Shop\0"
				     "1\0took\0ms\0a=b\0"
				     "0.5=3;0.95=9.5;0.99=10\0";
	static const char no_total[] = "s\0Shop\0"
				       "1\0placed\0\0\0"
				       "4\0";
	static const char broken[] = "s\0Shop\0"
				     "1\0took\0ms\0a=b\0"
				     "x=;=;0.5\0";
	static const char nothing[] = "s\0Shop\0"
				      "1\0placed\0\0\0"
				      "NaN\0many\0";
	meter(6, B(spread), B("\7\0\0\0\0\0\0\0\0\x20\x59\x40"));
	expect("1 counters.describe\n1 counters.sample 3\n1 counters.describe\n1 counters.sample 9.5\n"
	       "1 counters.describe\n1 counters.sample 10\n1 counters.describe\n1 counters.sample 100.5\n"
	       "1 counters.describe\n1 counters.sample 7\n"
	       "1 counters.sample 3\n1 counters.sample 9.5\n1 counters.sample 10\n"
	       "1 counters.sample 201\n1 counters.sample 14\n");
	meter(6, B(spread), B(""));
	struct nt_read r = read_all();
	ck_assert(strstr(r.text, "counters.sample 9.5"));
	ck_assert(!strstr(r.text, "counters.sample 7"));
	free(r.text);
	meter(4, B(no_total), B(""));
	expect("1 counters.describe\n1 counters.sample 4\n1 counters.describe\n1 counters.sample 4\n"
	       "1 counters.sample 8\n1 counters.sample 4\n");
	meter(6, B(broken), B(""));
	expect("");
	meter(4, B(nothing), B(""));
	expect("");
	meter(12, B("s\0"), B(""));
	expect("1 ext.mark.mark\n1 ext.mark.mark\n");
}
END_TEST

START_TEST(the_pool_says_why_it_changes)
{
	start();
	nt_kit_describe(&k, 9, "Microsoft-Windows-DotNETRuntime", 55, "", B("\0\0"));
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 1, 0, B("\0\0\0\0\0\0\0\0\5\0\0\0\6\0\0\0\0\0"));
	nt_kit_event(&k, 9, 1, 2, 0, B("\0\0\0\0\0\0\0\0\7\0\0\0\6\0\0\0\0\0"));
	nt_kit_event(&k, 9, 1, 3, 0, B("\0\0\0\0\0\0\0\0\6\0\0\0\x63\0\0\0\0\0"));
	nt_kit_event(&k, 9, 1, 4, 0, B("\0\0\0\0\0\0\0\0\7\0\0\0\6\0")); /* cut off */
	nt_kit_close(&k);
	end();
	expect("1 counters.describe\n1 counters.sample 5\n1 counters.sample 7\n"
	       "1 counters.describe\n1 counters.sample 6\n");
}
END_TEST

START_TEST(workers_of_the_pool_are_counted)
{
	start();
	nt_kit_describe(&k, 9, "Microsoft-Windows-DotNETRuntime", 50, "", B("\0\0"));
	nt_kit_describe(&k, 8, "Microsoft-Windows-DotNETRuntime", 51, "", B("\0\0"));
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 1, 0, B("\3\0\0\0\0\0\0\0\0\0"));
	nt_kit_event(&k, 8, 1, 2, 0, B("\2\0\0\0\0\0\0\0\0\0"));
	nt_kit_event(&k, 8, 1, 3, 0, B("\1\0\0"));
	nt_kit_close(&k);
	end();
	expect("1 counters.describe\n1 counters.sample 3\n1 counters.sample 2\n");
}
END_TEST

/* The limit of the heap, where there is one, is a counter; the event says how things stood already. */
START_TEST(the_heap_has_a_limit)
{
	start();
	nt_kit_describe(&k, 9, "Microsoft-Windows-DotNETRuntimeRundown", 10, "", B("\0\0"));
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 1, 0, B("\0\0\0\0\0\0\0\0\1\0"));
	nt_kit_event(&k, 9, 1, 2, 0, B("\0\0\6\0\0\0\0\0\1\0"));
	nt_kit_event(&k, 9, 1, 3, 0, B("\0\0\0"));
	nt_kit_close(&k);
	end();
	expect("1 counters.describe\n1 counters.sample 393216\n");
}
END_TEST

#define THROWN "\0\0\0\0\0\0\0\0\0\0\0\0"

/*
 * The first is thrown and caught, and in the handler the second, which ends; the first is thrown again,
 * once with an event for that and once without. Once that handler has ended nothing is known.
 */
START_TEST(handlers_know_what_they_catch)
{
	static const char own[] = "O\0w\0n\0\0\0N\0U\0L\0L\0\0\0" THROWN "\0\0\0\0";
	static const char again[] = "O\0w\0n\0\0\0N\0U\0L\0L\0\0\0" THROWN "\4\0\0\0";
	static const char other[] = "O\0\0\0x\0\0\0" THROWN "\0\0\0\0";
	static const char in[] = "\1\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0M\0\0\0\0\0";
	static const struct {
		unsigned kind;
		const char *bytes;
		size_t n;
	} event[] = { { 1, B(own) }, { 3, B(in) }, { 2, B(in) }, { 1, B(other) }, { 2, B(in) },
		{ 1, B(again) }, { 2, B(in) }, { 2, B(in) }, { 4, B("") }, { 2, B(in) },
		{ 2, in, 12 } };
	start();
	nt_kit_describe(&k, 1, "Microsoft-Windows-DotNETRuntime", 80, "", B("\0\0"));
	nt_kit_describe(&k, 2, "Microsoft-Windows-DotNETRuntime", 250, "", B("\0\0"));
	nt_kit_describe(&k, 3, "Microsoft-Windows-DotNETRuntime", 252, "", B("\0\0"));
	nt_kit_describe(&k, 4, "Microsoft-Windows-DotNETRuntime", 251, "", B("\0\0"));
	nt_kit_thread(&k, 1, 77, 501, "");
	nt_kit_open(&k, NT_KIT_EVENTS);
	for (unsigned i = 0; i < PV_COUNT_OF(event); i++)
		nt_kit_event(&k, event[i].kind, 1, i + 1, 0, event[i].bytes, event[i].n);
	nt_kit_close(&k);
	end();
	expect("501 class.load\n501 vtable.load\n501 ext.strings.class_of 1 is 2\n501 exception.throw\n"
	       "501 exception.clause 2 in 1 of 1\n"
	       "501 ext.strings.class_of 1 is 2\n501 exception.clause 0 in 1 of 1\n"
	       "501 class.load\n501 vtable.load\n501 ext.strings.class_of 2 is 3\n"
	       "501 ext.strings.message\n501 exception.throw\n"
	       "501 ext.strings.class_of 2 is 3\n501 exception.clause 0 in 1 of 2\n"
	       "501 ext.strings.class_of 3 is 2\n501 exception.clause 0 in 1 of 3\n"
	       "501 ext.strings.class_of 3 is 2\n501 exception.clause 0 in 1 of 3\n"
	       "501 exception.clause 0 in 1 of 0\n");
}
END_TEST

START_TEST(series_are_bounded)
{
	char payload[256], texts[128];
	static char fields[] = "\0\0";
	start();
	nt_kit_describe(&k, 9, "System.Diagnostics.Metrics", 5, "", fields, 2);
	struct pv_stream s = { .want_offsets = true };
	ck_assert(pv_stream_start(&s, &pv_reader_nettrace));
	unsigned marks = 0, described = 0;
	for (int i = 0; i < 20000; i += 100) { /* one block of 100 series at a time */
		if (i)
			k.n = 0;
		nt_kit_open(&k, NT_KIT_EVENTS);
		for (int j = i; j < i + 100; j++) {
			int n = snprintf(texts, sizeof texts, "s%cM%c%cload%c%cn=%d%c1", 0, 0, 0, 0,
				0, j, 0);
			ck_assert_int_gt(n, 0);
			nt_kit_event(&k, 9, 1, (uint32_t)j + 1, 0, payload,
				wide(payload, texts, (size_t)n + 1, "", 0));
		}
		nt_kit_close(&k);
		size_t room;
		uint8_t *to = pv_stream_room(&s, &room);
		ck_assert(to && room >= k.n);
		memcpy(to, k.bytes, k.n);
		pv_stream_filled(&s, k.n);
		for (enum pv_piece p; (p = pv_stream_next(&s)) != PV_PIECE_MORE;) {
			ck_assert_int_ne(p, PV_PIECE_FAILED);
			for (size_t e = 0; p == PV_PIECE_BATCH && e < s.batch.n; e++) {
				marks += s.batch.kind[e] == PV_KIND_EXT_MARK;
				described += s.batch.kind[e] == PV_KIND_COUNTERS_DESCRIBE;
			}
		}
	}
	ck_assert_uint_eq(described, 16384);
	ck_assert_uint_eq(marks, 1); /* said once */
	pv_stream_finish(&s);
}
END_TEST

START_TEST(damage_is_where_it_is)
{
	start();
	nt_kit_describe(&k, 9, "Own", 4, "It", B("\0\0"));
	size_t at = k.n;
	nt_kit_open(&k, NT_KIT_STACKS); /* a stack that is longer than its block */
	nt_kit_u32(&k, 1);
	nt_kit_u32(&k, 1);
	nt_kit_u32(&k, 800);
	nt_kit_u64(&k, 0x1000);
	nt_kit_close(&k);
	size_t bytes = k.n - at;
	nt_kit_open(&k, NT_KIT_EVENTS);
	nt_kit_event(&k, 9, 1, 1, 0, B(""));
	nt_kit_close(&k);
	end();
	struct nt_read r = read_all();
	ck_assert_uint_eq(r.damages, 1);
	ck_assert_uint_eq(r.damage_offset, at);
	ck_assert_uint_eq(r.damage_bytes, bytes);
	ck_assert_str_eq(r.reason, "a stack that goes beyond its block");
	ck_assert_str_eq(r.text, "1 ext.unknown Own/It\n");
	free(r.text);
}
END_TEST

START_TEST(rows_that_are_cut_are_damage)
{
	static const struct {
		enum nt_kit_block kind;
		const char *body;
		size_t n;
		const char *reason;
	} bad[] = {
		{ NT_KIT_METADATA, B("\0\0\x09\0\1\1"),
			"a description that goes beyond its block" },
		{ NT_KIT_THREADS, B("\1\0\1\x05\0\1"), "a thread that goes beyond its block" },
		{ NT_KIT_GONE, B("\1"), "a thread's number that goes beyond its block" },
		{ NT_KIT_LABELS, B("\1\0\0\0\1\0\0\0\x05\7"),
			"a list of labels that goes beyond its block" },
		{ NT_KIT_LABELS, B("\0\0\0\0\1\0\0\0\x89\7"),
			"a list of labels that has the empty one's number" },
		{ NT_KIT_LABELS, B("\1\0\0\0\1\0\0\0\xe3\7"),
			"a list of labels that goes beyond its block" },
	};
	start();
	size_t at = k.n;
	for (size_t i = 0; i < PV_COUNT_OF(bad); i++) {
		k.n = at;
		nt_kit_open(&k, bad[i].kind);
		k.n = k.body;
		for (size_t j = 0; j < bad[i].n; j++)
			nt_kit_u8(&k, (unsigned char)bad[i].body[j]);
		nt_kit_close(&k);
		end();
		struct nt_read r = read_all();
		ck_assert_uint_eq(r.damages, 1);
		ck_assert_str_eq(r.reason, bad[i].reason);
		free(r.text);
	}
}
END_TEST

static unsigned words_of(const char *line)
{
	unsigned n = 0;
	for (; *line && *line != '\n'; line++)
		n += *line == ' ';
	return n;
}

/* The runtime ends at 100 frames, other tools have no such limit, the reader ends at 1,024. */
START_TEST(stacks_that_are_cut_are_marked)
{
	static const unsigned frames[] = { 99, 100, 101, 300, 1024, 1100 };
	static const unsigned shown[] = { 99, 101, 101, 300, 1024, 1025 };
	static const bool marked[] = { false, true, false, false, false, true };
	enum { STACKS = sizeof frames / sizeof *frames };
	start();
	nt_kit_describe(&k, 9, "Microsoft-DotNETCore-SampleProfiler", 0, "Sample", B("\0\0"));
	nt_kit_thread(&k, 1, 77, 501, "");
	nt_kit_open(&k, NT_KIT_STACKS);
	nt_kit_u32(&k, 1);
	nt_kit_u32(&k, STACKS);
	for (unsigned i = 0; i < STACKS; i++) {
		nt_kit_u32(&k, 8 * frames[i]);
		for (unsigned f = 0; f < frames[i]; f++)
			nt_kit_u64(&k, 0x1000 + f);
	}
	nt_kit_close(&k);
	nt_kit_open(&k, NT_KIT_EVENTS);
	for (k.stack = 1; k.stack <= STACKS; k.stack++, k.time = 0)
		nt_kit_event(&k, 9, 1, k.stack, 0, B("\2\0\0\0"));
	nt_kit_close(&k);
	end();
	struct nt_read r = read_all();
	unsigned i = 0;
	for (const char *at = r.text; (at = strstr(at, "sample.hit ")); at++, i++) {
		ck_assert_uint_lt(i, STACKS);
		ck_assert_uint_eq(words_of(at), 1 + shown[i]);
		const char *outer = strstr(at, " 2000000000000000");
		ck_assert_int_eq(outer && outer < strchr(at, '\n'), marked[i]);
	}
	ck_assert_uint_eq(i, STACKS);
	ck_assert_ptr_nonnull(strstr(r.text, "(frames that were cut off)"));
	free(r.text);
}
END_TEST

START_TEST(other_versions_are_refused)
{
	start();
	k.bytes[12] = 7;
	struct nt_read r = read_all();
	ck_assert_int_eq(r.failed, PV_EVERSION);
	free(r.text);
	k.bytes[12] = 5; /* which begins otherwise */
	r = read_all();
	ck_assert_int_eq(r.failed, PV_EVERSION);
	free(r.text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("nettrace_six");
	TCase *t = tcase_create("all");
	suite_add_tcase(s, t);
	tcase_add_test(t, every_type_is_read);
	tcase_add_test(t, arrays_and_objects_are_read);
	tcase_add_test(t, arrays_elsewhere_are_read);
	tcase_add_test(t, elements_without_bytes_end);
	tcase_add_test(t, threads_have_names_and_processes);
	tcase_add_test(t, labels_stand_with_their_events);
	tcase_add_test(t, losses_are_counted);
	tcase_add_test(t, points_forget);
	tcase_add_test(t, meters_are_counters);
	tcase_add_test(t, the_pool_says_why_it_changes);
	tcase_add_test(t, workers_of_the_pool_are_counted);
	tcase_add_test(t, the_heap_has_a_limit);
	tcase_add_test(t, handlers_know_what_they_catch);
	tcase_add_test(t, series_are_bounded);
	tcase_add_test(t, damage_is_where_it_is);
	tcase_add_test(t, rows_that_are_cut_are_damage);
	tcase_add_test(t, stacks_that_are_cut_are_marked);
	tcase_add_test(t, other_versions_are_refused);
	return run_suite(s);
}
