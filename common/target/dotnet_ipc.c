#include "common/target/dotnet_ipc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "common/target/patience.h"

enum {
	HEAD = 20,
	MESSAGE = 16 << 10, /* ours; the protocol's own limit is 64 KiB */
	ANSWER = 64 << 10,
	PATIENCE_MS = 10000,
	ATTACH_MS = 5000, /* how long the runtime may take over it */
	ENVIRONMENT = 128 << 10,
};

/* Command set << 8 | command. */
enum {
	ATTACH_PROFILER = 0x0301,
	STARTUP_PROFILER = 0x0302,
	RESUME_RUNTIME = 0x0401,
	SET_ENVIRONMENT = 0x0403,
	PROCESS_INFO_2 = 0x0404,
	ANSWER_OK = 0xff00,
};

static const char magic[14] = "DOTNET_IPC_V1";

/* --- finding it */

static ssize_t read_proc(pid_t pid, const char *what, char *to, size_t room)
{
	char path[64];
	size_t n = 0;
	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 0;
	while (fd >= 0 && n + 1 < room && (got = read(fd, to + n, room - 1 - n)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		close(fd);
	to[n] = 0;
	return got < 0 ? -1 : (ssize_t)n;
}

/* The process's number where it lives, which may be a container. */
static long inner_pid(pid_t pid)
{
	char status[4096];
	const char *at = NULL;
	long last = (long)pid;
	if (read_proc(pid, "status", status, sizeof status) > 0)
		at = strstr(status, "\nNSpid:");
	if (!at)
		return last;
	for (at += 7; *at && *at != '\n';) {
		char *end;
		long n = strtol(at, &end, 10);
		if (end == at)
			break;
		last = n;
		at = end;
	}
	return last;
}

static bool temporary_folder(pid_t pid, char *to, size_t room)
{
	char *environment = malloc(ENVIRONMENT);
	if (!environment)
		return false;
	ssize_t n = read_proc(pid, "environ", environment, ENVIRONMENT);
	snprintf(to, room, "/tmp");
	for (const char *at = environment; at < environment + n; at += strlen(at) + 1)
		if (strncmp(at, "TMPDIR=/", 8) == 0 && strlen(at + 7) < room)
			snprintf(to, room, "%s", at + 7);
	free(environment);
	return n >= 0;
}

/* Of several sockets with one pid the newest is the living process's. */
static bool newest(struct pv_dotnet *d, const char *folder, long inner)
{
	char start[64], path[sizeof d->socket];
	struct timespec best = { 0, 0 };
	struct stat st;
	int n = snprintf(start, sizeof start, "dotnet-diagnostic-%ld-", inner);
	DIR *dir = opendir(folder);
	struct dirent *e;
	d->socket[0] = 0;
	while (dir && (e = readdir(dir))) {
		if (strncmp(e->d_name, start, (size_t)n) != 0 ||
			snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >=
				(int)sizeof path ||
			lstat(path, &st) < 0 || !S_ISSOCK(st.st_mode))
			continue;
		if (*d->socket && (st.st_mtim.tv_sec < best.tv_sec ||
					  (st.st_mtim.tv_sec == best.tv_sec &&
						  st.st_mtim.tv_nsec <= best.tv_nsec)))
			continue;
		best = st.st_mtim;
		memcpy(d->socket, path, sizeof path);
	}
	if (dir)
		closedir(dir);
	return *d->socket;
}

/* Whoever made the socket is whom we would tell: only the process's own user may be that. */
static bool is_theirs(const struct pv_dotnet *d)
{
	char proc[32];
	struct stat process, socket;
	snprintf(proc, sizeof proc, "/proc/%ld", (long)d->pid);
	return stat(proc, &process) == 0 && lstat(d->socket, &socket) == 0 &&
	       process.st_uid == socket.st_uid;
}

bool pv_dotnet_find(struct pv_dotnet *ret, pid_t pid, struct pv_error *reterr)
{
	char inside[64], folder[96];
	struct pv_dotnet d = { .pid = pid };
	if (!temporary_folder(pid, inside, sizeof inside))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld cannot be looked at: it is gone, or another user's",
			(long)pid);
	long inner = inner_pid(pid);
	snprintf(folder, sizeof folder, "/proc/%ld/root%s", (long)pid, inside);
	bool found = inner == (long)pid && newest(&d, inside, inner) && is_theirs(&d);
	if (!found && !(newest(&d, folder, inner) && is_theirs(&d)))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"process %ld has no diagnostics socket in %s: not .NET, or started with "
			"DOTNET_EnableDiagnostics=0",
			(long)pid, inside);
	*ret = d;
	return true;
}

/* --- messages */

struct message {
	uint8_t bytes[MESSAGE];
	size_t n;
	bool full;
};

static void put(struct message *m, const void *bytes, size_t n)
{
	m->full |= n > sizeof m->bytes - m->n;
	if (!m->full) {
		memcpy(m->bytes + m->n, bytes, n);
		m->n += n;
	}
}

static void put_u32(struct message *m, size_t n)
{
	uint32_t v = (uint32_t)n;
	put(m, &v, sizeof v);
}

static uint32_t next_character(const char **at)
{
	const uint8_t *p = (const uint8_t *)*at;
	int tail = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
	uint32_t c = tail ? *p & (0x3fu >> tail) : *p;
	p++;
	for (; tail && (*p & 0xc0) == 0x80; tail--)
		c = c << 6 | (*p++ & 0x3f);
	*at = (const char *)p;
	return c;
}

/* Length in units with the final 0, then the units. */
static void put_text(struct message *m, const char *text)
{
	size_t at = m->n;
	uint32_t units = 1;
	put_u32(m, 0);
	while (*text) {
		uint32_t c = next_character(&text);
		uint16_t u[2] = { (uint16_t)c, 0 };
		bool pair = c > 0xffff;
		if (pair) {
			u[0] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
			u[1] = (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff));
		}
		put(m, u, pair ? 4 : 2);
		units += pair ? 2 : 1;
	}
	put(m, "\0", 2);
	if (!m->full)
		memcpy(m->bytes + at, &units, sizeof units);
}

static void begin(struct message *m, int command)
{
	m->n = 0;
	m->full = false;
	const uint8_t head[HEAD - sizeof magic] = { 0, 0, (uint8_t)(command >> 8),
		(uint8_t)command };
	put(m, magic, sizeof magic);
	put(m, head, sizeof head);
}

static void put_guid(struct message *m)
{
	static const uint8_t guid[16] = PV_CORECLR_GUID_BYTES;
	put(m, guid, sizeof guid);
}

/* --- a connection */

static bool exchange(int fd, void *bytes, size_t n, bool out, int64_t end)
{
	for (size_t at = 0; at < n;) {
		uint8_t *p = (uint8_t *)bytes + at;
		ssize_t done = out ? send(fd, p, n - at, MSG_NOSIGNAL) : recv(fd, p, n - at, 0);
		if (done > 0) {
			at += (size_t)done;
			continue;
		}
		if (done == 0)
			errno = ECONNRESET;
		if (done == 0 ||
			(errno != EINTR &&
				(errno != EAGAIN || !pv_patience_wait(fd, out ? POLLOUT : POLLIN, end))))
			return false;
	}
	return true;
}

static int open_socket(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof at.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(at.sun_path, path, strlen(path) + 1);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) < 0) {
		int why = errno;
		close(fd);
		errno = why;
		return -1;
	}
	return fd;
}

struct answer {
	uint8_t bytes[ANSWER];
	size_t n;
	int command; /* ANSWER_OK, or anything else */
};

static bool ask(
	const struct pv_dotnet *d, struct message *m, struct answer *a, struct pv_error *reterr)
{
	int64_t end = pv_patience_now_ms() + PATIENCE_MS;
	uint8_t head[HEAD];
	if (m->full)
		return pv_fail(reterr, PV_EUSAGE, 0, "a path or the options are too long");
	m->bytes[sizeof magic] = (uint8_t)m->n;
	m->bytes[sizeof magic + 1] = (uint8_t)(m->n >> 8);
	int fd = open_socket(d->socket);
	bool ok = fd >= 0 && exchange(fd, m->bytes, m->n, true, end) &&
		  exchange(fd, head, sizeof head, false, end);
	size_t size = ok ? (size_t)head[14] | (size_t)head[15] << 8 : 0;
	if (ok && (memcmp(head, magic, sizeof magic) != 0 || size < HEAD)) {
		ok = false;
		errno = EPROTO;
	}
	a->n = ok ? size - HEAD : 0;
	a->command = ok ? head[16] << 8 | head[17] : -1;
	ok = ok && exchange(fd, a->bytes, a->n, false, end);
	int why = errno;
	if (fd >= 0)
		close(fd);
	return ok || pv_fail(reterr, PV_EIO, 0, "%s: %s", d->socket, strerror(why));
}

/* --- what can be asked */

/* The runtime's reasons, in the words of the person at the keyboard. */
static bool refused(const struct answer *a, struct pv_error *reterr)
{
	uint32_t why = 0;
	if (a->n >= sizeof why)
		memcpy(&why, a->bytes, sizeof why);
	switch (why) {
	case 0x8013136a:
		return pv_fail(reterr, PV_EUSAGE, 0,
			"another profiler is in this process already, and .NET takes one");
	case 0x8013136f:
		return pv_fail(reterr, PV_EUSAGE, 0,
			"calls and every single allocation can be recorded from a program's start "
			"only; use profview run");
	case 0x80131375:
		return pv_fail(reterr, PV_EUSAGE, 0, "the probe found that it cannot record there");
	case 0x80070002:
	case 0x8007007e:
	case 0x80131107:
		return pv_fail(reterr, PV_EUSAGE, 0,
			"the process cannot load the probe's library: it must be readable there, "
			"by "
			"the same path and for its architecture");
	case 0x80131385:
	case 0x80131384:
		return pv_fail(reterr, PV_EUSAGE, 0,
			"this .NET does not know that command, or profilers are switched off "
			"there");
	default:
		return pv_fail(reterr, PV_EUSAGE, 0, "the .NET runtime refuses: 0x%08x", why);
	}
}

static bool command(const struct pv_dotnet *d, struct message *m, struct pv_error *reterr)
{
	struct answer *a = malloc(sizeof *a);
	bool ok = a ? ask(d, m, a, reterr) : pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (ok && a->command != ANSWER_OK)
		ok = refused(a, reterr);
	free(a);
	return ok;
}

bool pv_dotnet_attach(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr)
{
	struct message m;
	begin(&m, ATTACH_PROFILER);
	put_u32(&m, ATTACH_MS);
	put_guid(&m);
	put_text(&m, library);
	put_u32(&m, strlen(options));
	put(&m, options, strlen(options));
	return command(d, &m, reterr);
}

bool pv_dotnet_start(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr)
{
	struct message m;
	begin(&m, SET_ENVIRONMENT);
	put_text(&m, PV_CORECLR_OPTIONS);
	put_text(&m, options);
	if (!command(d, &m, reterr))
		return false;
	begin(&m, STARTUP_PROFILER);
	put_guid(&m);
	put_text(&m, library);
	if (!command(d, &m, reterr))
		return false;
	begin(&m, RESUME_RUNTIME);
	return command(d, &m, reterr);
}

/* A text at *at, ASCII alone, cut to the room; false: the answer ends before it does. */
static bool take_text(const struct answer *a, size_t *at, char *to, size_t room)
{
	uint32_t units;
	if (a->n < sizeof units || *at > a->n - sizeof units)
		return false;
	memcpy(&units, a->bytes + *at, sizeof units);
	*at += sizeof units;
	if (units > (a->n - *at) / 2)
		return false;
	for (size_t i = 0; room && i < units && i + 1 < room; i++) {
		const uint8_t *u = a->bytes + *at + 2 * i;
		to[i] = u[1] || u[0] >= 0x7f ? '?' : (char)u[0];
		to[i + 1] = 0;
	}
	*at += 2 * (size_t)units;
	return true;
}

/* number, cookie, command line, system, architecture, entry assembly, version */
bool pv_dotnet_ask(struct pv_dotnet *d, struct pv_error *reterr)
{
	struct message m;
	struct pv_dotnet got = *d;
	size_t at = 8 + 16;
	struct answer *a = malloc(sizeof *a);
	begin(&m, PROCESS_INFO_2);
	bool ok = a ? ask(d, &m, a, reterr) : pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (ok && a->command != ANSWER_OK)
		ok = refused(a, reterr);
	else if (ok && !(take_text(a, &at, NULL, 0) && take_text(a, &at, NULL, 0) &&
			       take_text(a, &at, got.arch, sizeof got.arch) &&
			       take_text(a, &at, got.entry, sizeof got.entry) &&
			       take_text(a, &at, got.version, sizeof got.version)))
		ok = pv_fail(reterr, PV_EIO, 0, "%s: an answer that is cut", d->socket);
	free(a);
	if (ok)
		*d = got;
	return ok;
}
