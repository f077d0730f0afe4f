/* Prologues as .NET's compiler makes them, and others. */
#include "tests/kit/suite.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/code/unwind_compiled.h"
#include "probe/code/unwind_set.h"

enum { BYTES = 48, NOP = 0x90 };

#define CODE(s) s, sizeof s - 1
static const struct {
	const char *code;
	size_t n;
	unsigned words, rbp, saved; /* all 0: nothing is seen */
} prologues[] = {
	{ CODE("\x50"), 1, 0, 0 },                          /* push rax */
	{ CODE("\x48\x83\xec\x08"), 1, 0, 0 },              /* sub rsp, 8 */
	{ CODE("\x48\x83\xec\x28"), 5, 0, 0 },              /* 40 */
	{ CODE("\x48\x81\xec\x10\x01\x00\x00"), 34, 0, 0 }, /* 272 */
	{ CODE("\x53\x48\x83\xec\x10"), 3, 0, 0 },          /* push rbx */
	{ CODE("\x41\x57\x41\x56\x53"), 3, 0, 0 },          /* r15 r14 rbx */
	{ CODE("\x41\x57\x55\x53\x50"), 4, 2, 0 },          /* r15 rbp rbx rax */
	{ CODE("\x55\x53\x50"), 3, 1, 0 },                  /* rbp in use otherwise */
	{ CODE("\xc5\xf8\x77\x48\x83\xec\x18"), 3, 0, 0 },  /* vzeroupper first */
	{ CODE("\x55\x48\x8b\xec"), 0, 0, 1 },              /* mov rbp, rsp */
	{ CODE("\x55\x48\x89\xe5"), 0, 0, 1 },              /* the other way */
	{ CODE("\x55\x41\x57\x53\x48\x83\xec\x18\x48\x8d\x6c\x24\x28"), 0, 0, 6 }, /* lea rbp */
	{ CODE("\x55\x48\x83\xec\x40\xc5\xf8\x77\x48\x8d\x6c\x24\x40"), 0, 0, 9 }, /* after it */
	{ CODE("\x55\x48\x81\xec\x90\x00\x00\x00\x48\x8d\xac\x24\x90\0\0\0"), 0, 0, 19 }, /* far */
	{ CODE("\x31\xc0\xc3"), 0, 0, 0 },                 /* a leaf */
	{ CODE("\x55\x55\x50"), 0, 0, 0 },                 /* none of a compiler */
	{ CODE("\x48\x81\xec\xff\xff\xff\x7f"), 0, 0, 0 }, /* too large */
};

START_TEST(prologue)
{
	uint8_t code[BYTES];
	struct pvp_compiled_frame f = { true, 9, 9, 9 };
	memset(code, NOP, sizeof code);
	memcpy(code, prologues[_i].code, prologues[_i].n);
	bool seen = pvp_unwind_prologue(code, sizeof code, &f);
	ck_assert_int_eq(seen, prologues[_i].words || prologues[_i].saved);
	ck_assert_uint_eq(f.saved, prologues[_i].saved);
	ck_assert_uint_eq(f.words, prologues[_i].words);
	ck_assert_uint_eq(f.rbp, prologues[_i].rbp);
	ck_assert(!f.replaced);
}
END_TEST

/* Nothing but pushes, to the last byte: read no further. */
START_TEST(endless)
{
	struct pvp_compiled_frame f;
	for (unsigned n = 16; n <= BYTES; n++) {
		uint8_t *code = malloc(n);
		memset(code, 0x53, n);
		ck_assert(!pvp_unwind_prologue(code, n, &f));
		memset(code, 0x41, n);
		ck_assert(!pvp_unwind_prologue(code, n, &f));
		free(code);
	}
}
END_TEST

/* Without a runtime nothing is compiled, and what no walk met is not asked for. */
START_TEST(not_asked)
{
	struct pvp_compiled_frame f = pvp_unwind_compiled(NULL, 0x7f0000001000);
	ck_assert(!f.replaced && !f.words && !f.rbp);
	ck_assert(!pvp_unwind_asks(0x7f0000001000));
}
END_TEST

static void put_call(uint8_t *at, const uint8_t *to)
{
	int32_t distance = (int32_t)(to - (at + 5));
	*at = 0xe8;
	memcpy(at + 1, &distance, sizeof distance);
}

/* Code that the compiler made, in memory of no file; "the runtime" is libc. */
START_TEST(calls)
{
	enum { SIZE = 4096, STUB = 64, OWN = 128, FRAMED = 192, SMALL = 256 };
	uintptr_t runtime = (uintptr_t)dlsym(RTLD_DEFAULT, "puts");
	uint8_t *code =
		mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(code != MAP_FAILED && runtime);
	put_call(code, code + STUB);
	memcpy(code + STUB, "\x48\xb8", 2); /* mov rax, runtime; jmp rax */
	memcpy(code + STUB + 2, &runtime, sizeof runtime);
	memcpy(code + STUB + 10, "\xff\xe0", 2);
	put_call(code + OWN, code + STUB + 32);
	memcpy(code + FRAMED, "\x55\x48\x83\xec\x20\x48\x8d\x6c\x24\x20", 10);
	memcpy(code + SMALL, "\x48\x83\xec\x18", 4);
	uintptr_t patch = (uintptr_t)code + 5, own = (uintptr_t)code + OWN + 5;

	pvp_unwind_refresh();
	pvp_unwind_runtime(runtime);
	const struct pvp_unwind_set *set = pvp_unwind_enter();
	ck_assert_ptr_nonnull(set);
	ck_assert(!pvp_unwind_asks(patch));
	struct pvp_compiled_frame f = pvp_unwind_compiled(set, patch);
	ck_assert(f.replaced && !f.saved && pvp_unwind_asks(patch));
	ck_assert(!pvp_unwind_compiled(set, own).replaced && pvp_unwind_asks(own));
	pvp_unwind_learn(patch, (uintptr_t)code + FRAMED);
	pvp_unwind_learn(own, (uintptr_t)code + SMALL);
	f = pvp_unwind_compiled(set, patch);
	ck_assert(f.replaced && !f.words && !pvp_unwind_asks(patch));
	ck_assert_uint_eq(f.saved, 5);
	f = pvp_unwind_compiled(set, own);
	ck_assert(!f.replaced && !f.saved);
	ck_assert_uint_eq(f.words, 3);

	/* Gone: nothing is known of it, and nothing is read. */
	pvp_unwind_unlearn();
	munmap(code, SIZE);
	f = pvp_unwind_compiled(set, own);
	ck_assert(!f.replaced && !f.words && !pvp_unwind_asks(own));
	pvp_unwind_leave();
	pvp_unwind_runtime(0);
	pvp_unwind_finish();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("unwind compiled");
	TCase *c = tcase_create("unwind compiled");
	tcase_add_loop_test(c, prologue, 0, sizeof prologues / sizeof *prologues);
	tcase_add_test(c, endless);
	tcase_add_test(c, not_asked);
	tcase_add_test(c, calls);
	suite_add_tcase(s, c);
	return run_suite(s);
}
