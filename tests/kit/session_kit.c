/* SPDX-License-Identifier: MIT */
#include "tests/kit/session_kit.h"

#include "probe/control/session.h"
#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "tests/kit/probe_kit.h"

int session_start(const char *output, const char *more)
{
	char options[3 * PROBE_PATH];
	snprintf(options, sizeof options, "output=%s%s", output, more);
	return pvp_session_start(options, &pvp_host_fake);
}

void session_emit(uint64_t pairs, unsigned first, unsigned methods)
{
	for (uint64_t i = 0; i < pairs; i++) {
		uint64_t key = pvp_fake_key(first + (unsigned)(i % methods));
		pvp_call(PVP_ENTER, key);
		pvp_call(PVP_LEAVE, key);
	}
}

uint64_t session_events(const char *path)
{
	struct probe_log log;
	probe_log_read(&log, path);
	uint64_t n = probe_log_events(&log);
	probe_log_finish(&log);
	return n;
}
