#include "common/base/thread.h"

#include <sys/resource.h>

enum { GIVE_WAY = 5 };

/* On Linux a process of number 0 is the calling thread. */
void pv_thread_give_way(void)
{
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + GIVE_WAY);
}
