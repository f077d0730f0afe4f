/* SPDX-License-Identifier: MIT */
/* Prologues as .NET's compiler makes them, and others. */
#include "tests/kit/suite.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/unwind/unwind_compiled.h"
#include "probe/unwind/unwind_set.h"

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
	{ CODE("\x48\x83\xec\x48\x48\x89\x6c\x24\x08"), 9, 8, 0 }, /* Mono: mov [rsp + 8], rbp */
	{ CODE("\x48\x83\xec\x18\x48\x89\x2c\x24"), 3, 3, 0 },     /* at rsp */
	{ CODE("\x48\x83\xec\x18\x48\x89\x1c\x24\x48\x89\x6c\x24\x08"), 3, 2, 0 }, /* after rbx */
	{ CODE("\x48\x83\xec\x18\x48\x89\x6c\x24\x20"), 0, 0, 0 },      /* above its frame */
	{ CODE("\x4c\x8b\xdc\x48\x81\xec\x08\x02\x00\x00"), 65, 0, 0 }, /* mov r11, rsp first */
	{ CODE("\x31\xc0\xc3"), 0, 0, 0 },                              /* a leaf */
	{ CODE("\x55\x55\x50"), 0, 0, 0 },                              /* none of a compiler */
	{ CODE("\x48\x81\xec\xff\xff\xff\x7f"), 0, 0, 0 },              /* too large */
	/* Pages are touched before they are taken: lea r11, [rsp - ...]; call; mov rsp, r11. */
	{ CODE("\x53\x4c\x8d\x9c\x24\x00\xe0\xff\xff\xe8\x01\x02\x03\x04\x49\x8b\xe3"), 0, 0, 0 },
	/* test [rsp - ...], rax; sub rsp, ... */
	{ CODE("\x53\x48\x85\x84\x24\x00\xf0\xff\xff\x48\x81\xec\x00\x11\x00\x00"), 0, 0, 0 },
	/* Mono: sub rsp, 4096; test [rsp], rsp; sub rsp, ... */
	{ CODE("\x48\x81\xec\x00\x10\x00\x00\x48\x85\x24\x24\x48\x81\xec\x00\x02\x00\x00"), 0, 0,
		0 },
	/* Nearly a page: test [rsp], eax, then lea rbp. */
	{ CODE("\x55\x48\x81\xec\xf0\x0f\0\0\x85\x04\x24\x48\x8d\xac\x24\xf0\x0f\0\0"), 0, 0, 0 },
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

	/* By a thread that stands in them. */
	ck_assert(pvp_unwind_learn_caller(own, (uintptr_t)code + SMALL));
	ck_assert(pvp_unwind_learn_caller(patch, (uintptr_t)code + FRAMED));
	ck_assert(pvp_unwind_learned(own, &f) && !f.replaced && !f.saved);
	ck_assert_uint_eq(f.words, 3);
	ck_assert(pvp_unwind_learned(patch, &f) && f.replaced && !f.words);
	ck_assert_uint_eq(f.saved, 5);
	ck_assert(!pvp_unwind_learned(own + 1, &f));
	ck_assert(!pvp_unwind_learn_caller(own, (uintptr_t)code + STUB));
	ck_assert(!pvp_unwind_learned(own, &f));

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

/* A place in the table is another address's that left its frame: it is taken all the same. */
START_TEST(displaced)
{
	enum { SIZE = 1 << 17, SMALL = 64, FIRST = 128 };
	uintptr_t runtime = (uintptr_t)dlsym(RTLD_DEFAULT, "puts");
	uint8_t *code =
		mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pvp_compiled_frame f;
	ck_assert(code != MAP_FAILED && runtime);
	memcpy(code, "\x48\xb8", 2); /* mov rax, runtime; jmp rax */
	memcpy(code + 2, &runtime, sizeof runtime);
	memcpy(code + 10, "\xff\xe0", 2);
	memcpy(code + SMALL, "\x48\x83\xec\x18", 4);
	put_call(code + FIRST, code);
	uintptr_t first = (uintptr_t)code + FIRST + 5;
	pvp_unwind_refresh();
	pvp_unwind_runtime(runtime);
	ck_assert(pvp_unwind_compiled(pvp_unwind_enter(), first).replaced);
	pvp_unwind_leave();
	pvp_unwind_runtime(0); /* no other call is looked at */
	for (uintptr_t pc = first + 1; pc < (uintptr_t)code + SIZE; pc++) {
		ck_assert(pvp_unwind_learn_caller(pc, (uintptr_t)code + SMALL));
		ck_assert(pvp_unwind_learned(pc, &f) && !f.replaced);
	}
	pvp_unwind_unlearn();
	munmap(code, SIZE);
	pvp_unwind_finish();
}
END_TEST

/* Filled with instructions that do nothing. */
static uint8_t *page_of_code(void)
{
	uint8_t *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(at, MAP_FAILED);
	memset(at, NOP, 4096);
	return at;
}

static const struct {
	const char *code;
	size_t n;
	bool call;
} ends[] = {
	{ CODE("\xe8\x10\x20\x30\x40"), true },         /* call rel32 */
	{ CODE("\xff\xd0"), true },                     /* call rax */
	{ CODE("\x41\xff\xd2"), true },                 /* call r10 */
	{ CODE("\xff\x15\x01\x02\x03\x04"), true },     /* call [rip+...] */
	{ CODE("\xff\x50\x18"), true },                 /* call [rax+24] */
	{ CODE("\xff\x90\x00\x01\x00\x00"), true },     /* call [rax+256] */
	{ CODE("\xff\x54\x24\x08"), true },             /* call [rsp+8] */
	{ CODE("\xff\x94\xc8\x00\x01\x00\x00"), true }, /* call [rax+8*rcx+256] */
	{ CODE("\xff\xe0"), false },                    /* jmp rax */
	{ CODE("\xff\x25\x01\x02\x03\x04"), false },    /* jmp [rip+...] */
	{ CODE("\xe9\x10\x20\x30\x40"), false },        /* jmp rel32 */
	{ CODE("\x48\x89\xc3"), false },                /* mov rbx, rax */
	{ CODE("\xff\x30"), false },                    /* push [rax] */
};

START_TEST(return_addresses_follow_calls)
{
	uint8_t *at = page_of_code();
	memcpy(at + 100, ends[_i].code, ends[_i].n);
	ck_assert_int_eq(pvp_unwind_follows_call((uintptr_t)at + 100 + ends[_i].n), ends[_i].call);
	munmap(at, 4096);
	ck_assert(!pvp_unwind_follows_call((uintptr_t)at + 100)); /* nothing is there */
}
END_TEST

START_TEST(stubs_by_page)
{
	uint8_t *at = page_of_code();
	uintptr_t pc = (uintptr_t)at;
	ck_assert(!pvp_unwind_is_stub(pc + 80));
	pvp_unwind_stub(pc + 80);
	ck_assert(pvp_unwind_is_stub(pc + 4000) && !pvp_unwind_is_stub(pc + 4096));
	ck_assert_str_eq(pvp_unwind_stub_name(pc + 80), "[.NET stub]");
	memcpy(at + 46, "\x48\x89\x37\xc3", 4);
	ck_assert_str_eq(pvp_unwind_stub_name(pc + 80), "[.NET write barrier]");
	ck_assert_str_eq(pvp_unwind_stub_name(pc + 2000), "[.NET stub]");
	pvp_unwind_unlearn();
	ck_assert(!pvp_unwind_is_stub(pc + 80));
	munmap(at, 4096);
	ck_assert_str_eq(pvp_unwind_stub_name(pc + 80), "[.NET stub]");
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
	tcase_add_test(c, displaced);
	tcase_add_loop_test(c, return_addresses_follow_calls, 0, sizeof ends / sizeof *ends);
	tcase_add_test(c, stubs_by_page);
	suite_add_tcase(s, c);
	return run_suite(s);
}
