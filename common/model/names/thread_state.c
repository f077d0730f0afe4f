/* SPDX-License-Identifier: MIT */
/* Tables of the methods and functions in which threads wait, and their look-up. */
#include "common/model/names/thread_state.h"

#include <string.h>

#include "common/base/status.h"
#include "common/format/event.h"

struct known {
	const char *name;
	enum pv_thread_state state;
};

/* clang-format off */

/*
 * Class and method, in the class libraries of Mono and .NET. Only methods that run no code of the
 * program: Task.Wait(), for one, may run the task itself.
 */
static const struct known methods[] = {
	{ "Interop/Sys:Accept",                                    PV_STATE_IO },
	{ "Interop/Sys:Connect",                                   PV_STATE_IO },
	{ "Interop/Sys:FSync",                                     PV_STATE_IO },
	{ "Interop/Sys:Poll",                                      PV_STATE_POLL },
	{ "Interop/Sys:Read",                                      PV_STATE_IO },
	{ "Interop/Sys:ReadStdin",                                 PV_STATE_IO },
	{ "Interop/Sys:Receive",                                   PV_STATE_IO },
	{ "Interop/Sys:ReceiveMessage",                            PV_STATE_IO },
	{ "Interop/Sys:WaitForSocketEvents",                       PV_STATE_POLL },
	{ "Interop/Sys:WaitPidExitedNoHang",                       PV_STATE_IO },
	{ "System.IO.MonoIO:Flush",                                PV_STATE_IO },
	{ "System.IO.MonoIO:Read",                                 PV_STATE_IO },
	{ "System.IOSelector:Add",                                 PV_STATE_IO },
	{ "System.Net.Sockets.Socket:Accept_internal",             PV_STATE_IO },
	{ "System.Net.Sockets.Socket:Connect_internal",            PV_STATE_IO },
	{ "System.Net.Sockets.Socket:Poll_internal",               PV_STATE_POLL },
	{ "System.Net.Sockets.Socket:ReceiveFrom_internal",        PV_STATE_IO },
	{ "System.Net.Sockets.Socket:Receive_internal",            PV_STATE_IO },
	{ "System.Net.Sockets.Socket:Select_internal",             PV_STATE_POLL },
	{ "System.Threading.LowLevelLifoSemaphore:Wait",           PV_STATE_LOCK },
	{ "System.Threading.LowLevelLifoSemaphore:WaitForSignal",  PV_STATE_LOCK },
	{ "System.Threading.LowLevelLifoSemaphore:WaitNative",     PV_STATE_LOCK },
	{ "System.Threading.LowLevelLock:WaitAndAcquire",          PV_STATE_LOCK },
	{ "System.Threading.LowLevelMonitor:Wait",                 PV_STATE_LOCK },
	{ "System.Threading.LowLevelMonitor:WaitCore",             PV_STATE_LOCK },
	{ "System.Threading.ManualResetEventSlim:Wait",            PV_STATE_LOCK },
	{ "System.Threading.Monitor:Enter",                        PV_STATE_LOCK },
	{ "System.Threading.Monitor:Enter_Slowpath",               PV_STATE_LOCK },
	{ "System.Threading.Monitor:Monitor_wait",                 PV_STATE_LOCK },
	{ "System.Threading.Monitor:ObjWait",                      PV_STATE_LOCK },
	{ "System.Threading.Monitor:ReliableEnter",                PV_STATE_LOCK },
	{ "System.Threading.Monitor:ReliableEnterTimeout",         PV_STATE_LOCK },
	{ "System.Threading.Monitor:TryEnter_Slowpath",            PV_STATE_LOCK },
	{ "System.Threading.Monitor:Wait",                         PV_STATE_LOCK },
	{ "System.Threading.Monitor:enter_with_atomic_var",        PV_STATE_LOCK },
	{ "System.Threading.Monitor:try_enter_with_atomic_var",    PV_STATE_LOCK },
	{ "System.Threading.SemaphoreSlim:WaitUntilCountOrTimeout", PV_STATE_LOCK },
	{ "System.Threading.Tasks.Task:SpinThenBlockingWait",      PV_STATE_LOCK },
	{ "System.Threading.Thread:Join",                          PV_STATE_LOCK },
	{ "System.Threading.Thread:JoinInternal",                  PV_STATE_LOCK },
	{ "System.Threading.Thread:Join_internal",                 PV_STATE_LOCK },
	{ "System.Threading.Thread:Sleep",                         PV_STATE_SLEEP },
	{ "System.Threading.Thread:SleepInternal",                 PV_STATE_SLEEP },
	{ "System.Threading.Thread:Sleep_internal",                PV_STATE_SLEEP },
	{ "System.Threading.Thread:UninterruptibleSleep0",         PV_STATE_SLEEP },
	{ "System.Threading.WaitHandle:SignalAndWait",             PV_STATE_LOCK },
	{ "System.Threading.WaitHandle:SignalAndWait_Internal",    PV_STATE_LOCK },
	{ "System.Threading.WaitHandle:WaitAll",                   PV_STATE_LOCK },
	{ "System.Threading.WaitHandle:WaitAny",                   PV_STATE_LOCK },
	{ "System.Threading.WaitHandle:WaitMultiple",              PV_STATE_LOCK },
	{ "System.Threading.WaitHandle:WaitOne",                   PV_STATE_LOCK },
	{ "System.Threading.WaitHandle:WaitOneCore",               PV_STATE_LOCK },
	{ "System.Threading.WaitHandle:WaitOneNoCheck",            PV_STATE_LOCK },
	{ "System.Threading.WaitHandle:Wait_internal",             PV_STATE_LOCK },
};

/* Without the underscores and "GI" at the beginning of libc's inner names. */
static const struct known symbols[] = {
	{ "accept",                      PV_STATE_IO },
	{ "accept4",                     PV_STATE_IO },
	{ "clock_nanosleep",             PV_STATE_SLEEP },
	{ "connect",                     PV_STATE_IO },
	{ "epoll_pwait",                 PV_STATE_POLL },
	{ "epoll_pwait2",                PV_STATE_POLL },
	{ "epoll_wait",                  PV_STATE_POLL },
	{ "fdatasync",                   PV_STATE_IO },
	{ "flock",                       PV_STATE_LOCK },
	{ "fsync",                       PV_STATE_IO },
	{ "futex_abstimed_wait64",       PV_STATE_LOCK },
	{ "futex_abstimed_wait_cancelable64", PV_STATE_LOCK },
	{ "futex_abstimed_wait_common",  PV_STATE_LOCK },
	{ "futex_abstimed_wait_common64", PV_STATE_LOCK },
	{ "futex_wait",                  PV_STATE_LOCK },
	{ "lll_lock_wait",               PV_STATE_LOCK },
	{ "lll_lock_wait_private",       PV_STATE_LOCK },
	{ "nanosleep",                   PV_STATE_SLEEP },
	/*
	 * An empty function for debuggers; glibc's futex wait, which has no name, comes next to it.
	 */
	{ "nptl_death_event",            PV_STATE_LOCK },
	{ "pause",                       PV_STATE_SLEEP },
	{ "poll",                        PV_STATE_POLL },
	{ "ppoll",                       PV_STATE_POLL },
	{ "pread",                       PV_STATE_IO },
	{ "pread64",                     PV_STATE_IO },
	{ "pselect",                     PV_STATE_POLL },
	{ "pthread_clockjoin_ex",        PV_STATE_LOCK },
	{ "pthread_cond_clockwait",      PV_STATE_LOCK },
	{ "pthread_cond_timedwait",      PV_STATE_LOCK },
	{ "pthread_cond_wait",           PV_STATE_LOCK },
	{ "pthread_join",                PV_STATE_LOCK },
	{ "read",                        PV_STATE_IO },
	{ "recv",                        PV_STATE_IO },
	{ "recvfrom",                    PV_STATE_IO },
	{ "recvmsg",                     PV_STATE_IO },
	{ "select",                      PV_STATE_POLL },
	{ "sem_clockwait",               PV_STATE_LOCK },
	{ "sem_timedwait",               PV_STATE_LOCK },
	{ "sem_wait",                    PV_STATE_LOCK },
	{ "sigsuspend",                  PV_STATE_LOCK },
	{ "sigtimedwait",                PV_STATE_LOCK },
	{ "sigwait",                     PV_STATE_LOCK },
	{ "sigwaitinfo",                 PV_STATE_LOCK },
	{ "sleep",                       PV_STATE_SLEEP },
	{ "usleep",                      PV_STATE_SLEEP },
	{ "wait4",                       PV_STATE_IO },
	{ "waitid",                      PV_STATE_IO },
	{ "waitpid",                     PV_STATE_IO },
};

/*
 * Functions of Mono that its compiler calls for `lock`, after the fast attempt has failed; the
 * wrapper's time is the wait.
 */
static const struct known icalls[] = {
	{ "mono_monitor_enter_internal",    PV_STATE_LOCK },
	{ "mono_monitor_enter_v4_internal", PV_STATE_LOCK },
};

/* clang-format on */

static enum pv_thread_state find_state(
	const struct known *v, size_t n, const char *name, size_t len)
{
	for (size_t low = 0; low < n;) {
		size_t mid = low + (n - low) / 2;
		int order = strncmp(name, v[mid].name, len);
		order = order == 0 && v[mid].name[len] ? -1 : order;
		if (order == 0)
			return v[mid].state;
		if (order < 0)
			n = mid;
		else
			low = mid + 1;
	}
	return PV_STATE_RUNNING;
}

static enum pv_thread_state state_of_function(const char *name, size_t len)
{
	for (; len && *name == '_'; len--)
		name++;
	if (len > 5 && strncmp(name, "GI___", 5) == 0)
		name += 5, len -= 5;
	return find_state(symbols, PV_COUNT_OF(symbols), name, len);
}

enum pv_thread_state pv_state_of_symbol(const char *symbol)
{
	return state_of_function(symbol, strcspn(symbol, "@ [("));
}

/* A function that managed code calls: through Mono's own wrapper, or as the program declares. */
static enum pv_thread_state state_of_called(const char *name, size_t len)
{
	static const char icall[] = "__icall_wrapper_";
	const size_t n = sizeof icall - 1;
	if (len > n && strncmp(name, icall, n) == 0)
		return find_state(icalls, PV_COUNT_OF(icalls), name + n, len - n);
	return state_of_function(name, len);
}

enum pv_thread_state pv_state_of_method(const char *name)
{
	static const char wrapper[] = "(wrapper ", native[] = "managed-to-native) ";
	bool calls_native = false;
	if (strncmp(name, wrapper, sizeof wrapper - 1) == 0) {
		name += sizeof wrapper - 1;
		calls_native = strncmp(name, native, sizeof native - 1) == 0;
		const char *end = strstr(name, ") ");
		if (!end)
			return PV_STATE_RUNNING;
		name = end + 2;
	}
	size_t len = strcspn(name, " (");
	if (strncmp(name, "System.", 7) == 0 || strncmp(name, "Interop/", 8) == 0)
		return find_state(methods, PV_COUNT_OF(methods), name, len);
	const char *colon = calls_native ? memchr(name, ':', len) : NULL;
	return colon ? state_of_called(colon + 1, len - (size_t)(colon + 1 - name))
		     : PV_STATE_RUNNING;
}

bool pv_state_spins_idle(const char *method)
{
	static const char wait[] = "System.Threading.LowLevelLifoSemaphore:Wait";
	return strncmp(method, wait, sizeof wait - 1) == 0;
}

static const char *const names[PV_STATES] = {
	[PV_STATE_RUNNING] = "running",
	[PV_STATE_QUEUED] = "runnable",
	[PV_STATE_LOCK] = "lock",
	[PV_STATE_POLL] = "poll",
	[PV_STATE_IO] = "io",
	[PV_STATE_SLEEP] = "sleep",
	[PV_STATE_STOPPED] = "stopped",
	[PV_STATE_WAITING] = "unknown",
	[PV_STATE_GC] = "gc",
	[PV_STATE_UNSURE] = "unsure",
};

static const char *const frames[PV_STATES] = {
	[PV_STATE_QUEUED] = "(waits for a processor)",
	[PV_STATE_LOCK] = "(waits for a lock)",
	[PV_STATE_POLL] = "(waits in poll)",
	[PV_STATE_IO] = "(waits for io)",
	[PV_STATE_SLEEP] = "(sleeps)",
	[PV_STATE_STOPPED] = "(is stopped)",
	[PV_STATE_WAITING] = "(waits)",
	[PV_STATE_GC] = "(waits for the collector)",
	[PV_STATE_UNSURE] = "(ran or waited)",
};

const char *pv_state_name(enum pv_thread_state state)
{
	return names[state];
}

const char *pv_state_frame(enum pv_thread_state state)
{
	return frames[state];
}

enum pv_thread_state pv_state_of_wait(uint64_t logged)
{
	static const enum pv_thread_state states[PV_WAIT_STATES] = {
		[PV_WAIT_UNKNOWN] = PV_STATE_WAITING,
		[PV_WAIT_LOCK] = PV_STATE_LOCK,
		[PV_WAIT_POLL] = PV_STATE_POLL,
		[PV_WAIT_IO] = PV_STATE_IO,
		[PV_WAIT_SLEEP] = PV_STATE_SLEEP,
		[PV_WAIT_STOPPED] = PV_STATE_STOPPED,
		[PV_WAIT_QUEUED] = PV_STATE_QUEUED,
		[PV_WAIT_GC] = PV_STATE_GC,
		[PV_WAIT_UNSURE] = PV_STATE_UNSURE,
	};
	return logged < PV_WAIT_STATES ? states[logged] : PV_STATE_WAITING;
}

enum pv_thread_state pv_state_of_frame(const char *name)
{
	for (unsigned i = PV_STATE_RUNNING + 1; *name == '(' && i < PV_STATES; i++)
		if (strcmp(name, frames[i]) == 0)
			return i;
	return PV_STATE_RUNNING;
}
