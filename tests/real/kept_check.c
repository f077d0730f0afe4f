/* SPDX-License-Identifier: MIT */
/*
 * The same stacks by libdw: prints how many are equal in every frame, and some that are not.
 *
 * usage: kept_check PID FILE    while the process waits
 */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/unwind/native_walk.h"
#include "tests/kit/kept_stack.h"

enum { SHOWN = 6 };

struct walk {
	const struct kept *k;
	uint64_t pc[KEPT_CALLERS + 1];
	unsigned n;
	pid_t pid;
};

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct walk *w = arg;
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = w;
	return w->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl, (void)tid;
	*thread_arg = arg;
	return true;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *ret, void *arg)
{
	const struct kept *k = ((struct walk *)arg)->k;
	(void)dwfl;
	if (at < k->from || at - k->from > k->bytes - sizeof *ret)
		return false;
	memcpy(ret, k->stack + (at - k->from), sizeof *ret);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	Dwarf_Word r[KEPT_REGISTERS];
	for (int i = 0; i < KEPT_REGISTERS; i++)
		r[i] = ((struct walk *)arg)->k->registers[i];
	return dwfl_thread_state_registers(thread, 0, KEPT_REGISTERS, r);
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct walk *w = arg;
	Dwarf_Addr pc;
	bool exact;
	if (!dwfl_frame_pc(frame, &pc, &exact) || w->n == KEPT_CALLERS + 1)
		return DWARF_CB_ABORT;
	w->pc[w->n] = pc + (exact && w->n); /* as the probe marks what a signal interrupted */
	w->n++;
	return DWARF_CB_OK;
}

static bool equal(const struct walk *w)
{
	return w->n == w->k->n + 1 && memcmp(w->pc + 1, w->k->caller, w->k->n * sizeof *w->pc) == 0;
}

/* An instruction in code of no file, without a frame yet or any more: libdw has only frame pointers. */
static bool is_silent(Dwfl *dwfl, const struct walk *w)
{
	return w->n == 1 && w->k->n > 0 && !dwfl_addrmodule(dwfl, w->pc[0]);
}

static void show(Dwfl *dwfl, const char *who, const uint64_t *pc, unsigned n)
{
	fprintf(stderr, "  %s:", who);
	for (unsigned i = 0; i < n && i < 14; i++) {
		Dwfl_Module *m = dwfl_addrmodule(dwfl, pc[i]);
		Dwarf_Addr start = 0;
		const char *name =
			m ? dwfl_module_info(m, NULL, &start, NULL, NULL, NULL, NULL, NULL) : "?";
		const char *slash = strrchr(name, '/');
		fprintf(stderr, " %s+%" PRIx64, slash ? slash + 1 : name, pc[i] - start);
	}
	fprintf(stderr, " (%u)\n", n);
}

static Dwfl *attach(pid_t pid, struct walk *w)
{
	static const Dwfl_Callbacks files = { .find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo };
	static const Dwfl_Thread_Callbacks threads = { .next_thread = next_thread,
		.get_thread = get_thread,
		.memory_read = read_word,
		.set_initial_registers = set_registers };
	Dwfl *dwfl = dwfl_begin(&files);
	if (!dwfl || dwfl_linux_proc_report(dwfl, pid) != 0 ||
		dwfl_report_end(dwfl, NULL, NULL) != 0 ||
		!dwfl_attach_state(dwfl, NULL, pid, &threads, w)) {
		fprintf(stderr, "libdw: %s\n", dwfl_errmsg(-1));
		exit(1);
	}
	return dwfl;
}

int main(int n, char **args)
{
	if (n != 3)
		return 2;
	int fd = open(args[2], O_RDONLY | O_CLOEXEC);
	struct kept_file *f = mmap(NULL, sizeof *f, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd < 0 || f == MAP_FAILED)
		return 1;
	struct walk w = { .pid = (pid_t)atoi(args[1]) };
	Dwfl *dwfl = attach(w.pid, &w);
	unsigned good = 0, shown = 0, changed = 0, compared = 0, silent = 0;
	unsigned all = f->n < KEPT_SAMPLES ? (unsigned)f->n : KEPT_SAMPLES;
	uint64_t frames = 0;
	for (unsigned i = 0; i < all; i++) {
		w.k = &f->sample[i];
		w.n = 0;
		if (w.k->end ==
			PVP_WALK_CHANGED) { /* its tables were not made yet, which it says */
			changed++;
			continue;
		}
		dwfl_getthread_frames(dwfl, w.pid, add_frame, &w);
		if (is_silent(dwfl, &w)) {
			silent++;
			continue;
		}
		compared++;
		frames += w.n;
		if (equal(&w)) {
			good++;
		} else if (shown++ < SHOWN) {
			show(dwfl, "libdw", w.pc, w.n);
			fprintf(stderr, "  ended by %u\n", w.k->end);
			show(dwfl, "probe", w.k->caller, w.k->n);
		}
	}
	fprintf(stderr, "stacks %u equal %u frames %" PRIu64 " changed %u silent %u\n", compared,
		good, frames, changed, silent);
	dwfl_end(dwfl);
	return 0;
}
