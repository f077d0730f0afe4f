#include "probe/code/unwind_replaced.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "probe/code/unwind_set.h"

enum { CALL = 5, JUMP = 12, KNOWN = 4096 };

static atomic_uintptr_t runtime;
/* By a hash of the address: address << 1 | replaced. What another address has is asked again. */
static _Atomic uint64_t known[KNOWN];

void pvp_unwind_runtime(uintptr_t address)
{
	atomic_store_explicit(&runtime, address, memory_order_relaxed);
}

/* By the system, which fails where nothing is. */
static bool read_code(uintptr_t from, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)from, n };
	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

static uintptr_t beyond(uintptr_t next, const uint8_t *distance)
{
	int32_t d;
	memcpy(&d, distance, sizeof d);
	return next + (uintptr_t)(intptr_t)d;
}

static bool is_runtime(const struct pvp_unwind_set *set, uintptr_t at, uintptr_t own)
{
	bool changed;
	const struct pvp_unwind_module *m = pvp_unwind_module_at(set, at, &changed);
	return m && m == pvp_unwind_module_at(set, own, &changed);
}

/* A call that is too far for its instruction goes to "mov rax, far; jmp rax" nearby; no method does. */
static uintptr_t through_jump(uintptr_t to)
{
	uint8_t jump[JUMP];
	uintptr_t far;
	if (!read_code(to, jump, sizeof jump) || memcmp(jump, "\x48\xb8", 2) != 0 ||
		memcmp(jump + 10, "\xff\xe0", 2) != 0)
		return to;
	memcpy(&far, jump + 2, sizeof far);
	return far;
}

/* False: the code cannot be read. */
static bool look(const struct pvp_unwind_set *set, uintptr_t pc, uintptr_t own, bool *ret_replaced)
{
	uint8_t call[CALL];
	*ret_replaced = false;
	if (!read_code(pc - CALL, call, CALL))
		return false;
	if (call[0] != 0xe8)
		return true;
	uintptr_t to = beyond(pc, call + 1);
	*ret_replaced = is_runtime(set, to, own) || is_runtime(set, through_jump(to), own);
	return true;
}

bool pvp_unwind_replaced(const struct pvp_unwind_set *set, uintptr_t pc)
{
	uintptr_t own = atomic_load_explicit(&runtime, memory_order_relaxed);
	bool changed, replaced;
	if (!own || !set || pvp_unwind_module_at(set, pc, &changed))
		return false;
	_Atomic uint64_t *at = &known[(pc ^ pc >> 12) % KNOWN];
	uint64_t entry = atomic_load_explicit(at, memory_order_relaxed);
	if (entry >> 1 == pc)
		return entry & 1;
	if (look(set, pc, own, &replaced))
		atomic_store_explicit(at, (uint64_t)pc << 1 | replaced, memory_order_relaxed);
	return replaced;
}
