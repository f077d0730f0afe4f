/* SPDX-License-Identifier: MIT */
/*
 * Writes the probes inside the one-file build into a folder of the user's, where programs can load
 * them.
 */
#include "common/target/process/carried.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/system/new_file.h"
#include "common/base/utf8.h"
#include "common/io/fd.h"
#include "common/io/private_folder.h"

enum { FOLDER = 0700, READABLE = 0644, RUNS = 0755, CHUNK = 16 << 10 };

#ifndef PV_CARRIES
const struct pv_carried_file pv_carried_files[] = { { 0 } };
const char pv_carried_hash[] = "";
#endif

bool pv_carried_has(const char *name)
{
	for (const struct pv_carried_file *f = pv_carried_files; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return true;
	return false;
}

/* ---- folders */

/* Opens our folder `name` in `at`, made if need be, writable by no other user; -1 with errno. */
static int enter_own_folder(int at, const char *name)
{
	struct stat st;
	if (mkdirat(at, name, FOLDER) != 0 && errno != EEXIST)
		return -1;
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	fd = pv_fd_above_standard(fd);
	if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || st.st_mode & 022)) {
		pv_fd_close(&fd);
		errno = EPERM;
	}
	return fd;
}

static int enter_and_leave(int *at, const char *name)
{
	int fd = *at >= 0 ? enter_own_folder(*at, name) : -1, error = errno;
	pv_fd_close(at);
	errno = error;
	return fd;
}

/* For services, whose environment may name no folder for caches. */
static int temporary(void)
{
	char name[32];
	snprintf(name, sizeof name, "profview-%u", (unsigned)geteuid());
	int fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = enter_and_leave(&fd, name);
	return enter_and_leave(&fd, "probes");
}

/*
 * Opens the folder for carried files, and gives the path that any process of ours can use; -1 with
 * errno.
 */
static int open_place(bool caches, char path[PV_PROGRAM_PATH])
{
	char link[40];
	struct statvfs st;
	int fd = caches ? pv_private_folder(PV_PRIVATE_CACHE, "probes") : temporary();
	if (fd >= 0 && fstatvfs(fd, &st) == 0 && st.f_flag & ST_NOEXEC) {
		pv_fd_close(&fd);
		errno = ENOEXEC;
		return -1;
	}
	fd = enter_and_leave(&fd, pv_carried_hash);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = fd >= 0 ? readlink(link, path, PV_PROGRAM_PATH - 1) : 0;
	if (fd >= 0 && n <= 0)
		pv_fd_close(&fd);
	path[n > 0 ? n : 0] = 0;
	return fd;
}

/* ---- files */

static bool same_bytes(int fd, const struct pv_carried_file *f)
{
	unsigned char bytes[CHUNK];
	for (size_t at = 0; at < f->n;) {
		ssize_t n = pv_fd_pread(fd, bytes, sizeof bytes, at);
		if (n <= 0 || (size_t)n > f->n - at || memcmp(bytes, f->bytes + at, (size_t)n) != 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

/* Whether the file is there, ours, and unchanged. */
static bool is_there(int folder, const char *name, const struct pv_carried_file *f)
{
	char link[128];
	struct stat st;
	if (f->link) {
		ssize_t n = readlinkat(folder, name, link, sizeof link - 1);
		link[n > 0 ? n : 0] = 0;
		return strcmp(link, f->link) == 0;
	}
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		  !(st.st_mode & 022) && (size_t)st.st_size == f->n && same_bytes(fd, f);
	pv_fd_close(&fd);
	return is;
}

static bool write_it(const char *path, const struct pv_carried_file *f, struct pv_error *reterr)
{
	struct pv_new_file file;
	if (!pv_new_file_begin(&file, path, reterr))
		return false;
	mode_t mode = strchr(f->name, '.') ? READABLE : RUNS; /* programs have no ending */
	bool ok =
		fwrite(f->bytes, 1, f->n, file.out) == f->n && fchmod(fileno(file.out), mode) == 0;
	if (!ok)
		pv_fail(reterr, PV_EOUTPUT, 0, "cannot write: %s", strerror(errno));
	return pv_new_file_finish(&file, ok, reterr);
}

/* Another profview may write the same file meanwhile. */
static bool put_file(
	int folder, const char *top, const struct pv_carried_file *f, struct pv_error *reterr)
{
	char path[PV_PROGRAM_PATH];
	const char *slash = strrchr(f->name, '/'), *name = slash ? slash + 1 : f->name;
	if (is_there(folder, name, f))
		return true;
	if (snprintf(path, sizeof path, "%s/%s", top, f->name) >= (int)sizeof path)
		return pv_fail(reterr, PV_EIO, 0, "%s", strerror(ENAMETOOLONG));
	unlinkat(folder, name, 0);
	if (f->link && symlinkat(f->link, folder, name) != 0)
		pv_fail(reterr, PV_EIO, 0, "%s", strerror(errno));
	else if (!f->link)
		write_it(path, f, reterr);
	return is_there(folder, name, f);
}

static bool put_one(
	int top, const char *path, const struct pv_carried_file *f, struct pv_error *reterr)
{
	char part[64];
	const char *at = f->name, *slash;
	int folder = fcntl(top, F_DUPFD_CLOEXEC, 3);
	for (; folder >= 0 && (slash = strchr(at, '/')); at = slash + 1) {
		snprintf(part, sizeof part, "%.*s", (int)(slash - at), at);
		folder = enter_and_leave(&folder, part);
	}
	bool ok = folder >= 0 ? put_file(folder, path, f, reterr)
			      : pv_fail(reterr, PV_EIO, 0, "%s", strerror(errno));
	pv_fd_close(&folder);
	return ok;
}

bool pv_carried_put(const char *name, char to[PV_PROGRAM_PATH], struct pv_error *reterr)
{
	char path[PV_PROGRAM_PATH];
	struct pv_error why = { 0 };
	for (int i = 0; i < 2; i++) {
		int top = open_place(i == 0, path);
		if (top < 0)
			pv_fail(&why, PV_EIO, 0, "%s",
				errno == ENOEXEC ? "what is there may not be run (mounted noexec)"
						 : strerror(errno));
		const struct pv_carried_file *f = pv_carried_files;
		while (top >= 0 && f->name && put_one(top, path, f, &why))
			f++;
		bool all = top >= 0 && !f->name;
		pv_fd_close(&top);
		if (all && snprintf(to, PV_PROGRAM_PATH, "%s/%s", path, name) < PV_PROGRAM_PATH)
			return true;
	}
	return pv_fail(reterr, PV_EIO, 0,
		"the probe within profview can be put neither into the folder of caches nor into "
		"/tmp: %s",
		PV_FIT(why.what, 120));
}
