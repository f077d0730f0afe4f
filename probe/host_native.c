#include <stdlib.h>

#include "probe/emit.h"
#include "probe/modules.h"
#include "probe/session.h"

#define EXPORT __attribute__((visibility("default")))

static void ignore(void *ctx, uint64_t from, uint64_t to)
{
	(void)ctx, (void)from, (void)to;
}

static bool method(uint64_t key, struct pvp_method *ret)
{
	if (pvp_modules_method(key, ret))
		return true;
	pvp_modules_refresh(ignore, NULL); /* loaded since the round began */
	return pvp_modules_method(key, ret);
}

const struct pvp_host pvp_host_native = {
	.name = "native",
	.stop = pvp_modules_finish,
	.refresh = pvp_modules_refresh,
	.method = method,
};

/* What gcc and clang call with -finstrument-functions. */
EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

EXPORT void __cyg_profile_func_enter(void *function, void *site)
{
	(void)site;
	pvp_call(PVP_ENTER, (uint64_t)(uintptr_t)function);
}

EXPORT void __cyg_profile_func_exit(void *function, void *site)
{
	(void)site;
	pvp_call(PVP_LEAVE, (uint64_t)(uintptr_t)function);
}

/* A program that was not changed is recorded by its environment. */
__attribute__((constructor)) static void start_by_environment(void)
{
	const char *options = getenv("PROFVIEW_OPTIONS");
	if (options)
		pvp_session_start(options, &pvp_host_native);
}
