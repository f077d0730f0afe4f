/* SPDX-License-Identifier: MIT */
/* Plans a launch: the probes, their words and variables, and the folder for the logs. */
#include "common/target/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/base/coreclr.h"
#include "common/base/estimate.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/launch/event_relay.h"
#include "common/target/process/proc.h"
#include "common/target/launch/join_folder.h"
#include "common/target/launch/launch_folder.h"
#include "common/target/launch/launch_tree.h"
#include "common/target/process/process_limits.h"
#include "common/target/process/preload.h"
#include "common/target/process/starter.h"

extern char **environ;

#define MONO_LIBRARY "libmono-profiler-profview.so"

enum { OPTIONS = 2048 };
#define LEAK_SHOTS "5000ms"

static const char *library_of(enum pv_program_kind kind)
{
	switch (kind) {
	case PV_PROGRAM_NATIVE:
		return "libprofview-native.so";
	case PV_PROGRAM_DOTNET:
	case PV_PROGRAM_DOTNET_CLI:
		return PV_CORECLR_LIBRARY;
	default:
		return MONO_LIBRARY;
	}
}

/* ---- words and variables */

__attribute__((format(printf, 2, 3))) static void add(char *to, const char *format, ...)
{
	size_t n = strlen(to);
	va_list args;
	va_start(args, format);
	vsnprintf(to + n, OPTIONS - n, format, args);
	va_end(args);
}

/* --leaks needs no single allocations of a native program, unless asked for. */
static const char *alloc_of(const struct pv_launch_options *o, enum pv_host host)
{
	return o->alloc ? o->alloc : o->leaks && host == PV_HOST_NATIVE ? "off" : "512k";
}

static const char *shots_of(const struct pv_launch_options *o)
{
	return o->heapshot ? o->heapshot : o->leaks ? LEAK_SHOTS : NULL;
}

bool pv_launch_words(const struct pv_launch_options *o, enum pv_host host, char *to, size_t room)
{
	const char *hz = o->sample && *o->sample ? o->sample : "100";
	const char *alloc = alloc_of(o, PV_HOST_MONO), *shots = shots_of(o),
		   *shot = shots ? shots : "";
	bool samples = strcmp(hz, "0") != 0;
	int n = snprintf(to, room,
		"nodefaults,gc,exception,monitor,counter,classof,messages%s%s%s,alloc%s%s%s%s%s%s%s%s%s",
		host == PV_HOST_DOTNET ? ",lines" : "", samples ? ",cpu,sample=" : "",
		samples ? hz : "", *alloc ? "=" : "", alloc, o->calls ? ",calls" : "",
		shots ? ",heapshot" : "", *shot ? "=" : "", shot, o->block ? ",block" : "",
		o->probe ? "," : "", o->probe ? o->probe : "");
	return n >= 0 && (size_t)n < room;
}

/* Commands of the SDK that run a program: the program is recorded, not its compiler and starter. */
bool pv_launch_leaves_sdk_out(const struct pv_launch *l)
{
	const char *slash = strrchr(l->argv[0], '/');
	char *const *word = l->argv + 1;
	if (strcmp(slash ? slash + 1 : l->argv[0], "dotnet") != 0)
		return false;
	while (*word && **word == '-')
		word++;
	if (!*word)
		return false;
	size_t n = strlen(*word);
	return strcmp(*word, "run") == 0 || strcmp(*word, "watch") == 0 ||
	       strcmp(*word, "test") == 0 || (n > 3 && strcmp(*word + n - 3, ".cs") == 0);
}

static bool is_tree(const struct pv_launch *l)
{
	return *l->records;
}

/* Keeps a temporary recording from filling the disk. */
static void bound(const struct pv_launch *l, const struct pv_launch_options *o, char *to)
{
	bool given = o->probe && (strstr(o->probe, "maxsize=") || strstr(o->probe, "ring="));
	if (l->temporary && !l->kept && !given)
		add(to, ",maxsize=%dm", PV_TREE_LOG_MIB);
}

/* The launch's words, and the words of --probe that this host understands. */
static void managed_options(
	const struct pv_launch *l, const struct pv_launch_options *o, enum pv_host host, char *to)
{
	char own[OPTIONS];
	struct pv_launch_options known = *o;
	if (o->probe && pv_words_for(o->probe, host, own, sizeof own))
		known.probe = *own ? own : NULL;
	pv_launch_words(&known, host, to, OPTIONS);
	if (l->program.kind == PV_PROGRAM_DOTNET && pv_launch_leaves_sdk_out(l))
		add(to, ",nosdk");
	bound(l, o, to);
	add(to, is_tree(l) ? ",launch=%s" : ",output=%s", is_tree(l) ? l->socket : l->pipe);
}

static void native_options(const struct pv_launch *l, const struct pv_launch_options *o, char *to)
{
	char own[OPTIONS] = "";
	snprintf(to, OPTIONS, is_tree(l) ? "launch=%s" : "output=%s",
		is_tree(l) ? l->socket : l->pipe);
	if (!is_tree(l) && !strchr(l->program.runs, ','))
		add(to, ",program=%s", l->program.runs);
	if (!o->sample || strcmp(o->sample, "0") != 0)
		add(to, ",sample=%s", o->sample && *o->sample ? o->sample : "100");
	const char *alloc = alloc_of(o, PV_HOST_NATIVE);
	add(to, ",alloc%s%s%s", *alloc ? "=" : "", alloc, o->leaks ? ",held" : "");
	if (o->heapshot)
		add(to, ",heapshot%s%s", *o->heapshot ? "=" : "", o->heapshot);
	add(to, "%s%s," PV_FILTERS_WORD "%02u", o->block ? ",block" : "",
		o->outside ? ",inside" : "", pv_seccomp_filters("thread-self"));
	bound(l, o, to);
	if (o->probe && pv_words_for(o->probe, PV_HOST_NATIVE, own, sizeof own) && *own)
		add(to, ",%s", own);
}

static const char *variable(char *const *env, const char *name)
{
	size_t n = strlen(name);
	for (; env && *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

static size_t count_list(char *const *list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	return n;
}

/* Sets a variable; an old value stays in front of the new one, with `between` in the middle. */
static bool set_variable(
	struct pv_launch *l, const char *name, const char *between, const char *value)
{
	const char *before = variable(l->env, name);
	char *text;
	bool keep = before && *before && between;
	if (asprintf(&text, "%s=%s%s%s", name, keep ? before : "", keep ? between : "", value) < 0)
		return false;
	if (before) {
		for (char **at = l->env; *at; at++) {
			if (*at + strlen(name) + 1 != before)
				continue;
			free(*at);
			*at = text;
			return true;
		}
	}
	size_t n = count_list(l->env);
	char **more = realloc(l->env, (n + 2) * sizeof *more);
	if (!more) {
		free(text);
		return false;
	}
	more[n] = text;
	more[n + 1] = NULL;
	l->env = more;
	return true;
}

static bool set_preload(struct pv_launch *l, const char *library)
{
	char runtime[PV_PRELOAD_NAME], path[PV_PROGRAM_PATH];
	if (!pv_preload_path(library, path, sizeof path))
		return false;
	if (pv_preload_sanitizer(l->program.runs, runtime) &&
		!set_variable(l, "LD_PRELOAD", ":", runtime))
		return false;
	char *list = pv_preload_with(variable(l->env, "LD_PRELOAD"), path);
	bool ok = list && set_variable(l, "LD_PRELOAD", NULL, list);
	free(list);
	return ok;
}

/*
 * Mono crashes where a thread of the runtime or of the probe cannot be made, and its crash handler,
 * where it cannot fork, signals process -1: all processes of the user. Such a program runs
 * unrecorded.
 */
static bool set_mono(struct pv_launch *l, const char *library, const char *options)
{
	char text[OPTIONS + 32], folder[PV_PROGRAM_PATH];
	struct pv_error none;
	if (!pv_limits_leave_threads(getpid(), PV_LIMIT_FEW_THREADS, &none))
		return true;
	snprintf(text, sizeof text, "--profile=profview:%s", options);
	snprintf(folder, sizeof folder, "%s", library);
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = 0;
	return set_variable(l, "LD_LIBRARY_PATH", ":", folder) &&
	       set_variable(l, "MONO_ENV_OPTIONS", " ", text);
}

static bool set_coreclr(struct pv_launch *l, const char *library, const char *options)
{
	return set_variable(l, PV_CORECLR_ENABLE, NULL, "1") &&
	       set_variable(l, PV_CORECLR_PROFILER, NULL, PV_CORECLR_GUID) &&
	       set_variable(l, PV_CORECLR_PATH, NULL, library) &&
	       set_variable(l, "PROFVIEW_OPTIONS", NULL, options);
}

/* A preloaded library that asks for a newer C library keeps the program from starting. */
static bool loads(const struct pv_launch *l, struct pv_error *reterr)
{
	unsigned asks, has;
	return l->program.kind != PV_PROGRAM_NATIVE || is_tree(l) ||
	       pv_preload_loads(l->library, l->program.runs, &asks, &has) ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "%s runs on glibc 2.%u, and the probe asks for 2.%u: it would not start",
		       PV_FIT(l->program.runs, 100), has, asks);
}

static bool set_native(struct pv_launch *l, const char *library, const char *options)
{
	return set_preload(l, library) && set_variable(l, "PROFVIEW_NATIVE_OPTIONS", NULL, options);
}

/* Both runtimes' variables, as far as their probes exist: which runtime comes is not known. */
static bool set_managed(struct pv_launch *l, const struct pv_launch_options *o)
{
	char options[OPTIONS], library[PV_PROGRAM_PATH];
	managed_options(l, o, PV_HOST_MONO, options);
	if (pv_launch_library(MONO_LIBRARY, library, NULL) && !set_mono(l, library, options))
		return false;
	managed_options(l, o, PV_HOST_DOTNET, options);
	return !pv_launch_library(PV_CORECLR_LIBRARY, library, NULL) ||
	       set_coreclr(l, library, options);
}

/* All probes: which programs will run is not known. */
static bool set_for_tree(struct pv_launch *l, const struct pv_launch_options *o)
{
	char options[OPTIONS], library[PV_PROGRAM_PATH];
	unsigned asks, has;
	native_options(l, o, options);
	return set_managed(l, o) &&
	       (!pv_launch_library(library_of(PV_PROGRAM_NATIVE), library, NULL) ||
		       !pv_preload_loads(library, l->program.runs, &asks, &has) ||
		       set_native(l, library, options));
}

static bool set_environment(struct pv_launch *l, const struct pv_launch_options *o)
{
	char options[OPTIONS];
	if (l->streams)
		return set_variable(l, PV_EVENT_PORTS, ";", l->door);
	if (is_tree(l))
		return set_for_tree(l, o);
	switch (l->program.kind) {
	case PV_PROGRAM_NATIVE:
		native_options(l, o, options);
		return (!l->started || set_managed(l, o)) && set_native(l, l->library, options);
	case PV_PROGRAM_DOTNET:
	case PV_PROGRAM_DOTNET_CLI:
		managed_options(l, o, PV_HOST_DOTNET, options);
		return set_coreclr(l, l->library, options);
	case PV_PROGRAM_SCRIPT:
		return set_managed(l, o);
	default:
		managed_options(l, o, PV_HOST_MONO, options);
		return set_mono(l, l->library, options);
	}
}

static bool copy_list(char ***ret, char *const *list, const char *first)
{
	size_t n = count_list(list), k = 0;
	char **copy = *ret = calloc(n + 2, sizeof *copy);
	if (!copy || (first && !(copy[k++] = strdup(first))))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!(copy[k++] = strdup(list[i])))
			return false;
	return true;
}

static void free_list(char **list)
{
	for (char **at = list; at && *at; at++)
		free(*at);
	free(list);
}

/* Names for what is made later; the pipe's stands in the options already. */
static bool name_folder(struct pv_launch *l, struct pv_error *reterr)
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	if (!base || *base != '/' || strlen(base) > 72 || strpbrk(base, ", ") ||
		access(base, W_OK) != 0)
		base = pv_run_folder_base(72);
	if (!pv_run_folder_make(base, l->folder, sizeof l->folder, &l->locks[0], reterr))
		return false;
	char *to = is_tree(l) ? l->socket : l->pipe;
	snprintf(to, sizeof l->pipe, "%s/%s", l->folder, is_tree(l) ? "s" : "log");
	if (l->streams)
		snprintf(l->door, sizeof l->door, "%s/d", l->folder);
	return true;
}

static const char *our_variable(const char *name, void *ctx)
{
	(void)ctx;
	return getenv(name);
}

static bool takes_profilers(const struct pv_launch *l, struct pv_error *reterr)
{
	char name[48];
	bool dotnet =
		l->program.kind == PV_PROGRAM_DOTNET || l->program.kind == PV_PROGRAM_DOTNET_CLI;
	if (!dotnet || !pv_dotnet_switched_off("Profiler", our_variable, NULL, name))
		return true;
	return pv_fail(reterr, PV_EUSAGE, 0,
		"%s=0 keeps every profiler out of .NET programs: unset it", name);
}

/* Probes that may be loaded. */
static unsigned hosts_of(const struct pv_launch *l)
{
	if (is_tree(l))
		return PV_HOST_NATIVE | PV_HOST_MONO | PV_HOST_DOTNET;
	if (l->streams)
		return PV_HOST_DOTNET;
	switch (l->program.kind) {
	case PV_PROGRAM_NATIVE:
		return l->started ? PV_HOST_NATIVE | PV_HOST_MONO | PV_HOST_DOTNET : PV_HOST_NATIVE;
	case PV_PROGRAM_DOTNET:
	case PV_PROGRAM_DOTNET_CLI:
		return PV_HOST_DOTNET;
	case PV_PROGRAM_SCRIPT:
		return PV_HOST_MONO | PV_HOST_DOTNET;
	default:
		return PV_HOST_MONO;
	}
}

bool pv_launch_check(const struct pv_launch_options *o, unsigned hosts, char ret_why[PV_WORDS_WHY])
{
	char all[OPTIONS];
	const char *alloc = o->alloc ? o->alloc : "512k";
	int n = snprintf(all, sizeof all, "alloc%s%s%s%s%s%s%s", *alloc ? "=" : "", alloc,
		o->heapshot ? ",heapshot" : "", o->heapshot && *o->heapshot ? "=" : "",
		o->heapshot ? o->heapshot : "", o->probe ? "," : "", o->probe ? o->probe : "");
	if (n < 0 || (size_t)n >= sizeof all - 1024) {
		snprintf(ret_why, PV_WORDS_WHY, "these options are too long");
		return false;
	}
	return pv_words_check(all, hosts, ret_why);
}

bool pv_launch_note(const struct pv_launch_options *o, unsigned hosts, char *to, size_t room)
{
	enum { OF_DOTNET = 100 << 10 }; /* EventPipe's AllocationTick: probe/corprof/clr_args.h */
	*to = 0;
	if (hosts != PV_HOST_DOTNET || !o->alloc || !*o->alloc || strcmp(o->alloc, "off") == 0 ||
		pv_bytes_of(o->alloc, strlen(o->alloc)) == OF_DOTNET)
		return false;
	snprintf(to, room, ".NET samples one allocation in 100 KiB, whatever --alloc=%s says",
		PV_FIT(o->alloc, 40));
	return true;
}

/* Finds the final program: after starters, as far as their command line says. */
static bool look_at_program(
	struct pv_launch *l, char *const *words, bool *ret_missing, struct pv_error *reterr)
{
	char command[PV_STARTER_WORD], path[PV_PROGRAM_PATH];
	if (!pv_program_look(words[0], &l->program, ret_missing, reterr))
		return false;
	enum pv_starter what = pv_starter_look(words, command, &l->cleaned);
	l->started = what != PV_STARTER_NONE;
	if (!l->started)
		return true;
	struct pv_program found = { 0 };
	struct pv_error err = { 0 };
	bool missing, known = what != PV_STARTER_UNKNOWN && pv_program_find(command, path);
	if (known && pv_program_look(command, &found, &missing, &err)) {
		memcpy(found.path, l->program.path, sizeof found.path);
		l->program = found;
		/* Running an image is up to the starter, or the system. */
		if (found.kind == PV_PROGRAM_CLI)
			l->program.kind = PV_PROGRAM_MONO;
		if (found.kind == PV_PROGRAM_DOTNET_CLI)
			l->program.kind = PV_PROGRAM_DOTNET;
	} else if (known && what == PV_STARTER_FOUND && err.code == PV_EUSAGE) {
		return pv_fail(reterr, PV_EUSAGE, 0, "%s", err.what);
	} else {
		l->program.kind = PV_PROGRAM_SCRIPT;
	}
	return true;
}

/*
 * A program compiled ahead of time takes no profiler: its event stream is read, unless only the
 * native library has the wanted events.
 */
static void choose_stream(struct pv_launch *l, const struct pv_launch_options *o)
{
	char name[48];
	bool off = pv_dotnet_switched_off("IPC", our_variable, NULL, name);
	if (!l->program.aot || l->program.kind != PV_PROGRAM_NATIVE)
		return;
	const char *why = !l->program.streams      ? "publish it with EventSourceSupport"
			  : off                    ? "unset DOTNET_EnableDiagnostics"
			  : l->started             ? "start it by itself"
			  : o->folder              ? "record into a file"
			  : o->calls               ? "leave out --calls"
			  : o->leaks               ? "leave out --leaks"
			  : o->probe               ? "leave out --probe"
			  : o->alloc && !*o->alloc ? "give --alloc a size"
						   : NULL;
	l->streams = !why;
	snprintf(l->note, sizeof l->note,
		"compiled ahead of time (NativeAOT), it loads no profiler%s%s%s",
		why ? ": recorded as native code; for its events " : "", why ? why : "",
		why ? "" : "; its event stream is read instead");
}

/* The folder for a tree's logs, if a tree is recorded. */
static bool choose_records(
	struct pv_launch *l, const struct pv_launch_options *o, struct pv_error *reterr)
{
	bool starts = pv_launch_starts_others(l) ||
		      (o->natives && l->program.kind == PV_PROGRAM_NATIVE && !l->streams);
	if (o->folder)
		snprintf(l->records, sizeof l->records, "%s", o->folder);
	if (o->folder || !o->trees || o->outside || !starts || l->cleaned)
		return true;
	if (o->keep && access(o->keep, F_OK) == 0) {
		snprintf(l->why, sizeof l->why, "the file to record into exists already: %s",
			PV_FIT(o->keep, 100));
		l->refused = true;
		return pv_fail(reterr, PV_EUSAGE, 0, "%s", l->why);
	}
	l->kept = o->keep != NULL;
	l->temporary = pv_launch_folder_temporary(
		l->records, sizeof l->records, o->keep, &l->locks[1], reterr);
	return l->temporary;
}

/* Whether the probe that is to be loaded understands all words. */
static bool is_understood(
	struct pv_launch *l, const struct pv_launch_options *o, struct pv_error *reterr)
{
	l->refused = l->recorder.fd < 0 && !pv_launch_check(o, hosts_of(l), l->why);
	return !l->refused || pv_fail(reterr, PV_EUSAGE, 0, "%s", l->why);
}

bool pv_launch_plan(struct pv_launch *ret, char *const *words, const struct pv_launch_options *o,
	bool *ret_missing, struct pv_error *reterr)
{
	*ret = (struct pv_launch){ .locks = { -1, -1 }, .recorder.fd = -1 };
	*ret_missing = false;
	if (!look_at_program(ret, words, ret_missing, reterr))
		return false;
	choose_stream(ret, o);
	if (!choose_records(ret, o, reterr))
		return false;
	if (!o->outside && !is_understood(ret, o, reterr))
		return false;
	if (!*ret->note)
		pv_launch_note(o, hosts_of(ret), ret->note, sizeof ret->note);
	const char *library = library_of(ret->program.kind);
	struct pv_error why = { 0 };
	if (!pv_launch_library(library, ret->library, &why))
		return pv_fail(reterr, why.code, 0, "%s: this kind of program cannot be watched",
			PV_FIT(why.what, 200));
	const char *runner = ret->program.kind == PV_PROGRAM_CLI          ? "mono"
			     : ret->program.kind == PV_PROGRAM_DOTNET_CLI ? "dotnet"
									  : NULL;
	if (!takes_profilers(ret, reterr) || !loads(ret, reterr))
		return false;
	char path[PV_PROGRAM_PATH];
	*ret_missing = runner && !pv_program_find(runner, path);
	if (*ret_missing)
		return pv_fail(reterr, PV_EIO, 0, "%s, which runs %s, is not installed", runner,
			PV_FIT(words[0], 100));
	if (!name_folder(ret, reterr))
		return false;
	bool ok = copy_list(&ret->argv, words, runner) && copy_list(&ret->env, environ, NULL) &&
		  set_environment(ret, o);
	return ok ? pv_launch_outside(ret, o, reterr) && is_understood(ret, o, reterr)
		  : pv_fail(reterr, PV_EIO, 0, "its environment cannot be set: %s",
			    strerror(errno));
}

bool pv_launch_prepare(struct pv_launch *l, struct pv_error *reterr)
{
	if (is_tree(l))
		return pv_launch_folder(l->records, reterr);
	if (mkfifo(l->pipe, 0600) == 0)
		return true;
	return pv_fail(reterr, PV_EIO, 0, "no pipe for the log: %s", strerror(errno));
}

void pv_launch_finish(struct pv_launch *l, bool remove)
{
	if (remove && *l->pipe)
		unlink(l->pipe);
	if (remove && *l->socket)
		unlink(l->socket);
	if (remove && *l->door)
		unlink(l->door);
	if (remove && *l->folder)
		rmdir(l->folder);
	if (remove && l->temporary)
		rmdir(l->records);
	pv_outside_leave(&l->recorder);
	free_list(l->argv);
	free_list(l->env);
	close(l->locks[0]); /* -1 is fine */
	close(l->locks[1]);
	*l = (struct pv_launch){ .locks = { -1, -1 }, .recorder.fd = -1 };
}

void pv_launch_hang_up(const struct pv_launch *l)
{
	int fd = open(l->pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
}
