/*
 * What a program touches first costs it a page fault for each 4 KiB, two to four microseconds in a
 * virtual machine: so nothing goes back to the system that may be needed again, and threads do not
 * have an arena each. Large pages would spare most faults, but they are what a virtual machine
 * gives back to its host when nobody uses them: to get 60 MB anew took 300 ms where small pages
 * took 50.
 */
#include "tui/memory.h"

#include <malloc.h>

enum {
	ALONE = 512 << 10, /* bytes: blocks from this size on are mapped alone, and grow without a
			      copy */
	KEPT = 256 << 20,  /* at the heap's end, when they are free */
	FURTHER = 1 << 20, /* by which the heap grows */
};

void ui_memory_for_once(void)
{
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, ALONE);
	mallopt(M_TRIM_THRESHOLD, KEPT);
	mallopt(M_TOP_PAD, FURTHER);
#endif
}
