/* SPDX-License-Identifier: MIT */
/*
 * Calls that want a process of a single thread, or threads of equal rights, are made without the
 * probe's threads if these are in the way; the threads go on afterwards. Any thread.
 */
#include <dlfcn.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/control/session.h"
#include "probe/native/native_deferred.h"
#include "probe/native/native_next.h"
#include "probe/native/preloaded.h"

static void *next_function(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

struct parked {
	bool session, waiter;
};

static struct parked park(bool wanted)
{
	int before = errno;
	struct parked p = { wanted && pvp_session_park(), wanted && pvp_deferred_park() };
	errno = before;
	return p;
}

static void unpark(struct parked p)
{
	int before = errno;
	if (p.session)
		pvp_session_unpark();
	if (p.waiter)
		pvp_deferred_unpark();
	errno = before;
}

/* ---- namespaces */

PVP_EXPORT int unshare(int flags)
{
	int (*f)(int);
	void *at = next_function("unshare");
	memcpy(&f, &at, sizeof f);
	struct parked p = park(flags & (CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM));
	int error = f(flags);
	unpark(p);
	return error;
}

PVP_EXPORT int setns(int fd, int kind)
{
	enum { TIME = 0x80 }; /* CLONE_NEWTIME */
	int (*f)(int, int);
	void *at = next_function("setns");
	memcpy(&f, &at, sizeof f);
	struct parked p = park(!kind || kind & (CLONE_NEWUSER | CLONE_NEWNS | TIME));
	int error = f(fd, kind);
	if (!error)
		pvp_preloaded_look();
	unpark(p);
	return error;
}

PVP_EXPORT int chroot(const char *path)
{
	int (*f)(const char *);
	void *at = next_function("chroot");
	memcpy(&f, &at, sizeof f);
	int error = f(path);
	if (!error)
		pvp_preloaded_look();
	return error;
}

/* ---- identities: the C library sets all threads' ids, and aborts when the results differ */

static bool rights_of(pid_t tid, struct __user_cap_data_struct ret[2])
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, tid };
	memset(ret, 0, 2 * sizeof *ret);
	return syscall(SYS_capget, &head, ret) == 0;
}

/* Each thread has its own capabilities. */
static bool rights_differ(void)
{
	int before = errno;
	struct __user_cap_data_struct here[2], there[2];
	pid_t tid = pvp_session_thread();
	tid = tid ? tid : pvp_deferred_thread();
	bool differ = tid && rights_of(0, here) && rights_of(tid, there) &&
		      memcmp(here, there, sizeof here) != 0;
	errno = before;
	return differ;
}

#define SETS(name, parameters, arguments)                                                          \
	PVP_EXPORT int name parameters                                                             \
	{                                                                                          \
		int(*f) parameters;                                                                \
		void *at = next_function(#name);                                                   \
		memcpy(&f, &at, sizeof f);                                                         \
		struct parked p = park(rights_differ());                                           \
		int error = f arguments;                                                           \
		unpark(p);                                                                         \
		return error;                                                                      \
	}

SETS(setuid, (uid_t u), (u))
SETS(setgid, (gid_t g), (g))
SETS(seteuid, (uid_t u), (u))
SETS(setegid, (gid_t g), (g))
SETS(setreuid, (uid_t u, uid_t e), (u, e))
SETS(setregid, (gid_t g, gid_t e), (g, e))
SETS(setresuid, (uid_t u, uid_t e, uid_t s), (u, e, s))
SETS(setresgid, (gid_t g, gid_t e, gid_t s), (g, e, s))
SETS(setgroups, (size_t n, const gid_t *list), (n, list))
SETS(initgroups, (const char *user, gid_t g), (user, g))
