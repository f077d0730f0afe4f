/* SPDX-License-Identifier: MIT */
/* Starts and stops recordings, and handles fork and exit. */
#include "probe/control/session.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probe/core/children.h"
#include "probe/control/launcher.h"
#include "probe/control/probe_control.h"
#include "probe/ground/probe_args.h"
#include "probe/core/core_state.h"
#include "probe/ground/loader_lock.h"
#include "probe/core/registry.h"
#include "probe/sink/sink.h"
#include "probe/core/writer_rest.h"
#include "probe/core/worker.h"

enum { EXIT_WAIT_S = 1 };

static pthread_mutex_t lifecycle = PTHREAD_MUTEX_INITIALIZER; /* before all other locks */
static bool recording;
static void (*for_children)(void); /* begins a recording in them */
static pid_t owner;
static bool asked; /* a launcher, for the output */

/* Whether this thread's fork holds the locks; false if it interrupted the probe itself. */
static _Thread_local bool held;

static void before_fork(void)
{
	held = pvp_guard_on();
	if (!held)
		return;
	pvp_loader_hold();
	pvp_workers_hold();
	pvp_registry_hold();
	pthread_mutex_lock(&pvp_core.lock);
}

static void after_fork(void)
{
	if (!held)
		return;
	pthread_mutex_unlock(&pvp_core.lock);
	pvp_registry_release();
	pvp_workers_release();
	pvp_loader_release();
	pvp_guard_off();
}

/*
 * A child has neither writer nor sink; it may start its own recording, and does so if the output
 * names the process. A stop before the first event prevents this.
 */
static void recording_in_child(void)
{
	pthread_mutex_init(&lifecycle, NULL);
	pthread_mutex_init(&pvp_core.lock, NULL);
	pvp_loader_forget();
	pvp_registry_reset_lock();
	pvp_workers_forget();
	atomic_store(&pvp_reborn, recording && held ? for_children : NULL);
	recording = false;
	pvp_children_forked();
	if (asked)
		pvp_launcher_forget();
	asked = false;
	pvp_control_forget();
	pvp_writer_forget();
	pvp_threads_forget(held);
	if (!held)
		return; /* the interrupted event still writes into a chunk */
	pvp_pools_unmap();
	pvp_guard_off();
}

/* The program's last thread has ended: the probe's threads end, the writer, this thread, last. */
static void abandon(void)
{
	if (pthread_mutex_trylock(&lifecycle) != 0)
		return; /* "stop" is under way: its thread joins the writer */
	recording = false;
	pvp_control_close();
	pthread_mutex_unlock(&lifecycle);
}

int pvp_session_forks(void)
{
	static bool handled;
	int error = handled ? 0 : pthread_atfork(before_fork, after_fork, recording_in_child);
	handled |= error == 0;
	return error;
}

static int start_recording(struct pvp_config *config, const struct pvp_host *host)
{
	if (recording)
		return EALREADY;
	int error = pvp_session_forks();
	if (error)
		return error;
	char path[PVP_CONTROL_PATH];
	pvp_control_open(config->control, path);
	memcpy(config->control, path, sizeof path);
	pvp_sink_next_image(config->output);
	pvp_children_begin();
	pvp_workers_end = abandon;
	error = pvp_writer_start(config, host);
	if (error) {
		pvp_children_end();
		pvp_control_close();
	} else {
		pvp_children_records();
		pvp_control_serve(host);
	}
	recording = error == 0;
	for_children = config->own_sinks ? host->again : NULL;
	owner = getpid();
	return error;
}

/* Under a launcher the output is the launcher's; managed runtimes are always worth recording. */
static int ask_launcher(struct pvp_config *config, const struct pvp_host *host, int *ret_sink)
{
	enum pv_ask_host as = strcmp(host->name, "mono") == 0      ? PV_ASK_MONO
			      : strcmp(host->name, "coreclr") == 0 ? PV_ASK_CORECLR
								   : PV_ASK_NATIVE;
	asked = true;
	if (pvp_launcher_ask(config->launch, as, PV_ASK_BEGUN, true, ret_sink) != PV_ANSWER_YES)
		return ECANCELED;
	pvp_launcher_output(*ret_sink, config->output);
	return 0;
}

int pvp_session_start(const char *options, const struct pvp_host *host)
{
	struct pvp_config config;
	int sink = -1;
	if (!pvp_args_parse(options, &config, NULL))
		return EINVAL;
	if (config.other_program)
		return ECANCELED;
	pthread_mutex_lock(&lifecycle);
	int error = !recording && *config.launch ? ask_launcher(&config, host, &sink) : 0;
	error = error ? error : start_recording(&config, host);
	pthread_mutex_unlock(&lifecycle);
	if (sink >= 0)
		close(sink); /* the session has a copy */
	return error;
}

bool pvp_session_in_children(void)
{
	return for_children;
}

bool pvp_session_recording(void)
{
	pthread_mutex_lock(&lifecycle);
	bool now = recording;
	pthread_mutex_unlock(&lifecycle);
	return now;
}

static int stop_recording(void)
{
	atomic_store(&pvp_reborn, NULL);
	if (!recording || owner != getpid())
		return EALREADY;
	recording = false;
	pvp_control_close();
	int error = pvp_writer_stop();
	pvp_children_end();
	return error;
}

int pvp_session_stop(void)
{
	pthread_mutex_lock(&lifecycle);
	int error = stop_recording();
	pthread_mutex_unlock(&lifecycle);
	return error;
}

int pvp_session_try_stop(void)
{
	if (pthread_mutex_trylock(&lifecycle) != 0)
		return EBUSY;
	int error = stop_recording();
	pthread_mutex_unlock(&lifecycle);
	return error;
}

bool pvp_session_park(void)
{
	if (pthread_mutex_trylock(&lifecycle) != 0)
		return false;
	bool parked = recording && owner == getpid() && pvp_writer_park();
	if (parked)
		pvp_control_close();
	else
		pthread_mutex_unlock(&lifecycle);
	return parked;
}

void pvp_session_unpark(void)
{
	char want[PVP_CONTROL_PATH], path[PVP_CONTROL_PATH];
	const struct pvp_host *host = pvp_writer_unpark(want);
	recording = host;
	if (host) {
		pvp_control_open(*want ? want : "off", path);
		pvp_control_serve(host);
	} else {
		pvp_children_end();
	}
	pthread_mutex_unlock(&lifecycle);
}

pid_t pvp_session_thread(void)
{
	return recording && owner == getpid() ? pvp_writer_thread() : 0;
}

int pvp_session_flush(void)
{
	return pvp_writer_flush();
}

__attribute__((destructor)) static void at_end(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += EXIT_WAIT_S;
	if (pthread_mutex_timedlock(&lifecycle, &t) != 0)
		return; /* the lock's holder will never unlock */
	if (recording && owner == getpid())
		pvp_writer_exits();
	stop_recording();
	if (asked)
		pvp_launcher_ends();
	pthread_mutex_unlock(&lifecycle);
}
