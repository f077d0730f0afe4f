/* SPDX-License-Identifier: MIT */
/*
 * The 2007 family from bytes written by hand: what each block means, and what is said of damage.
 * Expected lines are worked out from the description of the format.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/kit/b07_kit.h"
#include "tests/kit/suite.h"

/* Stage B up: code, size, counter difference; then version 1, "mono", flags, counter 0, 1 s. */
#define INTRO                                                                                      \
	"\1\0\x0b\0\0\0\0\0\0\0"                                                                   \
	"\x81mono\0"                                                                               \
	"\x80"                                                                                     \
	"\x80"                                                                                     \
	"\x40\x04\xbd"
#define INTRO_A                                                                                    \
	"\1\0\x0b\0\0\0"                                                                           \
	"\x81mono\0"                                                                               \
	"\x80"                                                                                     \
	"\x80"                                                                                     \
	"\x40\x04\xbd"
#define TIME(low) low "\x04\xbd" /* 1,000,000 us and a little: 40 04 3d, low group first */

/* directive 4 */
#define STAGE_D                                                                                    \
	"\x0a\0\x0a\0\0\0\0\0\0\0"                                                                 \
	"\x82" TIME("\x42") "\x84\x80"                                                             \
			    "\x83" TIME("\x43")

struct sample {
	const char *bytes;
	size_t n;
	const char *lines;
};

#define SAMPLE(bytes, lines) { bytes, sizeof bytes - 1, lines }

/* clang-format off */
static const struct sample samples[] = {
	/* directives 1 and 3 */
	SAMPLE(INTRO "\x0a\0\x0b\0\0\0\0\0\0\0" "\x82" TIME("\x42") "\x81\x83\x80" "\x83" TIME("\x43"),
		"2 0 meta.directives codes=[1 3]\n"),
	/* thread 7; class 5 "C", method 6 of class 5 "M ()" */
	SAMPLE(INTRO "\3\0\x15\0\0\0\0\0\0\0" "\x82" TIME("\x42") "\x87" "\x85" "C\0" "\x80"
		"\x86\x85" "M ()\0" "\x80" "\x83" TIME("\x43"),
		"2 7 class.name 5 of 0 'C'\n2 7 method.name 6 of 5 'C:M ()'\n"),
	/* a module that loads, from counter 3 to 5 on thread 7; its key is its name's number */
	SAMPLE(INTRO "\4\0\6\0\0\0\0\0\0\0" "\x09" "\x83\x85\x87" "m\0",
		"5 7 image.load 1 of 0 'm' took 2\n"),
	/* the same, unloaded */
	SAMPLE(INTRO "\5\0\6\0\0\0\0\0\0\0" "\x09" "\x83\x85\x87" "m\0",
		"5 7 image.unload 1 of 0 'm' took 2\n"),
	/* thread 7, base 4: enter 38 = 1 << 5 | 6 after 2, leave after 3 more */
	SAMPLE(INTRO "\6\0\x11\0\0\0\0\0\0\0" "\x90" TIME("\x50") "\x87" "\x84"
		"\x31\x81\x82" "\x33\x81\x83" "\0" "\x92" TIME("\x52"),
		"6 7 method.enter 38\n9 7 method.leave 38\n"),
	/* class 2 of 24 bytes; JIT of 3 starts, ends 1 later; class 2 thrown at once; thread 7 ends */
	SAMPLE(INTRO "\6\0\x1a\0\0\0\0\0\0\0" "\x90" TIME("\x50") "\x87" "\x84"
		"\x14\x80\x98" "\x05\x83\x80" "\x85\x83\x81" "\x16\x82\x80" "\x8f\x87\x80"
		"\0" "\x92" TIME("\x52"),
		"4 7 alloc 2 0 24 stack=[]\n4 7 method.jit_start 3\n5 7 method.jit 3 took 1\n"
		"5 7 exception.throw 2 stack=[]\n5 7 thread.end 7 of 0 ''\n"),
	/* stage D: a section of method 2, being compiled (2 << 1 | 1), is that of the allocation
	 * after it, not of the second; then 2 runs and waits for an object 8 of class 5 */
	SAMPLE(INTRO STAGE_D "\6\0\x29\0\0\0\0\0\0\0" "\x90" TIME("\x50") "\x87" "\x84"
		"\x4f\x80\x80" "\x2c\x80\x98"
		"\x4f\x80\x81\x85" "\x2c\x80\x98" "\x2c\x80\x98"
		"\x4f\x80\x81\x84" "\x1e\x85\x81\x81\x88" "\x1e\x85\x82\x82\x88"
		"\0" "\x92" TIME("\x52"),
		"2 0 meta.directives codes=[4]\n4 7 alloc 5 0 24 stack=[]\n"
		"4 7 method.name 800000000000002 of 0 '(method not recorded, being compiled)'\n"
		"4 7 alloc 5 0 24 stack=[800000000000002]\n4 7 alloc 5 0 24 stack=[]\n"
		"5 7 monitor.contention 5 8 stack=[2]\n7 7 monitor.done 5 8 stack=[]\n"),
	/* a hit of method 2 = 2 << 3 | 1 with one caller, method 3 */
	SAMPLE(INTRO "\7\0\x0c\0\0\0\0\0\0\0" "\x82" TIME("\x42") "\x91\x8d\x99\x80" "\x82"
		TIME("\x42"), "2 0 sample.hit 0 ips=[] frames=[2 3]\n"),
	/* job from 1 to 2, collection 9: dead 5 << 2 | 2 of 16; live 0x20 of class 5, 24, > 0x40 */
	SAMPLE(INTRO "\x08\0\x19\0\0\0\0\0\0\0" "\x81" TIME("\x41") "\x82" TIME("\x42") "\x89"
		"\x83" TIME("\x43") "\x96\x90" "\xa1\x85\x98\x81\xc0" "\x80" "\x84" TIME("\x44"),
		"1 0 heap.start 9\n1 0 heap.dead 0 5 16\n1 0 heap.object 20 5 24 refs=[0 40]\n"
		"2 0 heap.end 0\n"),
	/* collection 9, class 5: 2 objects of 48 alive, 1 of 24 not */
	SAMPLE(INTRO "\x09\0\x0f\0\0\0\0\0\0\0" "\x81" TIME("\x41") "\x89" "\x85\x82\xb0\x81\x98"
		"\x80" "\x82" TIME("\x42"),
		"1 0 heap.start 9 summary\n1 0 heap.summary 5: 2 48 1 24\n2 0 heap.end 0 summary\n"),
	/* an end, and nothing after it */
	SAMPLE(INTRO "\2\0\5\0\0\0\0\0\0\0" "\x81\x88" TIME("\x48"), ""),
	/* stage A: hits have two bits of code; the heap has neither classes nor a first clock */
	SAMPLE(INTRO_A "\7\0\x0a\0\0\0" "\x82" TIME("\x42") "\x89\x80" "\x82" TIME("\x42"),
		"2 0 sample.hit 0 ips=[] frames=[2]\n"),
	SAMPLE(INTRO_A "\x08\0\x12\0\0\0" "\x81" TIME("\x41") "\x82" TIME("\x42") "\x96\x90"
		"\xa1\x81\xc0" "\x80" "\x84" TIME("\x44"),
		"1 0 heap.start 0\n1 0 heap.dead 0 5 16\n1 0 heap.object 20 0 0 unsized refs=[0 40]\n"
		"2 0 heap.end 0\n"),
	/* the draft: intro, calls on thread 7 from base 4, a clock */
	SAMPLE("\1\0" "\x81mono\0" "\x80" TIME("\x40") "\6\0" "\x83\x87\x84" "\x20\x86\x82"
		"\x28\x86\x83" "\0" "\x8a" "\2\0" "\x90" TIME("\x50"),
		"6 7 method.enter 6\n9 7 method.leave 6\n"),
	/* the draft, code 7: hits of methods 2 and 3, of function 4 */
	SAMPLE("\1\0" "\x81mono\0" "\x80" TIME("\x40") "\7\0" "\x85\x82\x83\x80\x84\x80\x86" "\x08\0"
		"\x81\x90" TIME("\x50"),
		"5 0 sample.hit 0 ips=[] frames=[2]\n5 0 sample.hit 0 ips=[] frames=[3]\n"
		"5 0 method.name 4000000000000004 of 0 '(unmanaged function 4)'\n"
		"5 0 sample.hit 0 ips=[] frames=[4000000000000004]\n"),
};
/* clang-format on */

START_TEST(by_hand)
{
	const struct sample *s = &samples[_i];
	struct b07_read r = b07_kit_read((const uint8_t *)s->bytes, s->n, s->n, true);
	ck_assert(!r.failed);
	ck_assert_msg(r.damages + r.damaged_batches == 0, "%s", r.reason);
	ck_assert_uint_eq(r.headers, 1);
	ck_assert_uint_eq(r.header.start_us, 1000000);
	ck_assert_str_eq(r.text, s->lines);
	free(r.text);
}
END_TEST

START_TEST(distinguished)
{
	static const struct sample logs[] = {
		SAMPLE(INTRO, "B"),
		SAMPLE(INTRO_A, "A"),
		SAMPLE("\1\0"
		       "\x81mono\0"
		       "\x80" TIME("\x40"),
			"draft"),
		SAMPLE("\1"
		       "\x81mono\0"
		       "\x80" TIME("\x40"),
			"draft"),
	};
	static const char others[][16] = { "MPZM", "\x1f\x8b\x08", "\1\0\0\0\0\0\0\0\0\0\0", "" };
	for (size_t i = 0; i < PV_COUNT_OF(logs); i++) {
		const uint8_t *bytes = (const uint8_t *)logs[i].bytes;
		ck_assert_int_eq(pv_reader_block07.sniff(bytes, 16, false), PV_SNIFF_YES);
		for (size_t n = 0; n < 7; n++)
			ck_assert_int_eq(pv_reader_block07.sniff(bytes, n, false), PV_SNIFF_UNSURE);
		struct b07_read r = b07_kit_read(bytes, logs[i].n, 1, true);
		ck_assert(!r.failed);
		ck_assert_str_eq(r.header.stage, logs[i].lines);
		free(r.text);
	}
	for (size_t i = 0; i < PV_COUNT_OF(others); i++)
		ck_assert_int_eq(pv_reader_block07.sniff((const uint8_t *)others[i], 16, false),
			PV_SNIFF_NO);
}
END_TEST

struct broken {
	const char *bytes;
	size_t n;
	const char *reason;
	uint64_t offset, bytes_lost;
	const char *lines; /* read all the same */
};

#define BROKEN(bytes, ...) { bytes, sizeof bytes - 1, __VA_ARGS__ }
#define CALL                                                                                       \
	"\6\0\x0e\0\0\0\0\0\0\0"                                                                   \
	"\x90" TIME("\x50") "\x87"                                                                 \
			    "\x84"                                                                 \
			    "\x31\x81\x82"
#define GOOD                                                                                       \
	CALL "\0"                                                                                  \
	     "\x92" TIME("\x52")
#define LINE "6 7 method.enter 38\n"
enum { AT = 21 }; /* start of the block after the intro */

/* clang-format off */
static const struct broken broken[] = {
	/* packed code 2 was never written */
	BROKEN(INTRO "\6\0\x0e\0\0\0\0\0\0\0" "\x90" TIME("\x50") "\x87" "\x84" "\x32\x81\x82"
		"\0" "\x92" TIME("\x52") GOOD, "an event code that no profiler has written",
		AT + 16, 8, LINE),
	/* a number of eleven bytes */
	BROKEN(INTRO "\6\0\x19\0\0\0\0\0\0\0" "\x90" TIME("\x50") "\x87" "\x84"
		"\x31\1\1\1\1\1\1\1\1\1\1\1\x81\x82" "\0" "\x92" TIME("\x52") GOOD,
		"a number of more than 10 bytes", AT + 16, 19, LINE),
	/* an unknown block is stepped over */
	BROKEN(INTRO "\x2a\0\3\0\0\0\0\0\0\0" "abc" GOOD, NULL, 0, 0, LINE),
	/* bytes that are no block at all */
	BROKEN(INTRO "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" GOOD,
		"a block header that makes no sense", AT, 11, LINE),
	/* a size that is too large: the block ends before it, and the next begins there */
	BROKEN(INTRO "\6\0\x12\0\0\0\0\0\0\0" "\x90" TIME("\x50") "\x87" "\x84" "\x31\x81\x82"
		"\0" "\x92" TIME("\x52") GOOD, "the block's size is wrong", AT + 24, 0, LINE LINE),
	/* a stack section that leaves two frames of none */
	BROKEN(INTRO "\6\0\x0e\0\0\0\0\0\0\0" "\x90" TIME("\x50") "\x87" "\x84" "\x4f\x82\x80"
		"\0" "\x92" TIME("\x52") GOOD,
		"a stack section that does not fit what was there before", AT + 16, 8, LINE),
	/* a live object with more references than bytes are left */
	BROKEN(INTRO "\x08\0\x17\0\0\0\0\0\0\0" "\x81" TIME("\x41") "\x82" TIME("\x42") "\x89"
		"\x83" TIME("\x43") "\xa1\x85\x98\x7f\xff" "\x80" "\x84" TIME("\x44") GOOD,
		"more references than its block could hold", AT + 23, 10,
		"1 0 heap.start 9\n" LINE),
	/* callers of nothing */
	BROKEN(INTRO "\7\0\x0a\0\0\0\0\0\0\0" "\x82" TIME("\x42") "\x8d\x80" "\x82" TIME("\x42") GOOD,
		"a call chain that belongs to no hit", AT + 14, 6, LINE),
	/* the draft has nothing to go on after damage */
	BROKEN("\1\0" "\x81mono\0" "\x80" TIME("\x40") "\x63\0" "\6\0" "\x83\x87\x84" "\0" "\x8a",
		"a block code that the draft does not have", 14, 7, ""),
};
/* clang-format on */

START_TEST(damage_is_reported)
{
	const struct broken *b = &broken[_i];
	struct b07_read r = b07_kit_read((const uint8_t *)b->bytes, b->n, b->n, true);
	ck_assert(!r.failed);
	ck_assert_str_eq(r.text, b->lines);
	ck_assert_uint_eq(r.damages + r.damaged_batches, b->reason != NULL);
	if (b->reason) {
		ck_assert_str_eq(r.reason, b->reason);
		ck_assert_uint_eq(r.damage_offset, b->offset);
		ck_assert_uint_eq(r.damage_bytes, b->bytes_lost);
	}
	free(r.text);
}
END_TEST

START_TEST(no_such_log)
{
	static const uint8_t zeros[64];
	struct b07_read r = b07_kit_read(zeros, sizeof zeros, 5, true);
	ck_assert(r.failed);
	free(r.text);
	r = b07_kit_read((const uint8_t *)INTRO, 15, 15, true);
	ck_assert(r.failed);
	free(r.text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("block07");
	TCase *t = tcase_create("bytes");
	tcase_add_loop_test(t, by_hand, 0, PV_COUNT_OF(samples));
	tcase_add_loop_test(t, damage_is_reported, 0, PV_COUNT_OF(broken));
	tcase_add_test(t, distinguished);
	tcase_add_test(t, no_such_log);
	suite_add_tcase(s, t);
	return run_suite(s);
}
