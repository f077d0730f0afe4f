/* SPDX-License-Identifier: MIT */
/* Writes a new file that appears whole or not at all. */
#include "common/base/system/new_file.h"
#include "common/base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool cannot(struct pv_error *reterr, int error)
{
	return pv_fail(reterr, PV_EOUTPUT, 0, "cannot write: %s", strerror(error));
}

int pv_rename(const char *from, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

/* Opens a file in the folder of `f->path`: without a name, or as f->temp. -1 with errno. */
static int make_temp(struct pv_new_file *f)
{
	static const char name[] = ".profview-XXXXXX";
	const char *slash = strrchr(f->path, '/');
	size_t folder = slash ? (size_t)(slash - f->path) + 1 : 0;
	if (folder + sizeof name > sizeof f->temp) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(f->temp, folder ? f->path : "./", folder ? folder : sizeof "./");
	f->temp[folder ? folder : sizeof "./" - 1] = 0;
	int fd = open(f->temp, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (fd >= 0) {
		f->temp[0] = 0;
		return fd;
	}
	memcpy(f->temp + folder, name, sizeof name);
	mode_t mask = umask(0);
	umask(mask);
	fd = mkostemp(f->temp, O_CLOEXEC);
	if (fd >= 0)
		fchmod(fd, 0666 & ~mask);
	else
		f->temp[0] = 0;
	return fd;
}

bool pv_new_file_begin(struct pv_new_file *f, const char *path, struct pv_error *reterr)
{
	struct stat st;
	*f = (struct pv_new_file){ .path = path };
	if (lstat(path, &st) == 0)
		return pv_fail(reterr, PV_EUSAGE, 0, "%s exists already; it is left as it is",
			PV_FIT(path, 60));
	/* Too long a name is an error now, not after minutes of work. */
	int fd = errno == ENOENT ? make_temp(f) : -1;
	f->out = fd >= 0 ? fdopen(fd, "wb") : NULL;
	if (f->out)
		return true;
	int error = errno;
	if (fd >= 0)
		close(fd);
	if (f->temp[0])
		unlink(f->temp);
	return cannot(reterr, error);
}

static bool copy_content(int from, int to)
{
	char bytes[64 << 10];
	ssize_t n, at = 0, done;
	for (; (n = pread(from, bytes, sizeof bytes, (off_t)at)) > 0; at += n)
		for (ssize_t k = 0; k < n; k += done)
			if ((done = write(to, bytes + k, (size_t)(n - k))) < 0)
				return false;
	return n == 0;
}

/* For file systems that have neither links nor a rename that replaces nothing. */
static bool copy_there(const struct pv_new_file *f, int from)
{
	int to = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	bool ok = to >= 0 && copy_content(from, to);
	int error = errno;
	if (to >= 0 && close(to) != 0 && ok) {
		ok = false;
		error = errno;
	}
	if (to >= 0 && !ok)
		unlink(f->path);
	errno = error;
	return ok;
}

/* A link never replaces a file that came meanwhile; a rename would. */
static bool put_in_place(const struct pv_new_file *f, int fd)
{
	char self[40];
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	const char *from = f->temp[0] ? f->temp : self;
	if (linkat(AT_FDCWD, from, AT_FDCWD, f->path, AT_SYMLINK_FOLLOW) == 0)
		return true;
	if (errno != EEXIST && f->temp[0] && pv_rename(from, f->path, PV_RENAME_NOREPLACE) == 0)
		return true;
	return errno != EEXIST && copy_there(f, fd);
}

bool pv_new_file_finish(struct pv_new_file *f, bool ok, struct pv_error *reterr)
{
	int fd = fcntl(fileno(f->out), F_DUPFD_CLOEXEC, 0), error = errno;
	if (fclose(f->out) != 0 && ok)
		ok = cannot(reterr, errno);
	if (ok && fd < 0)
		ok = cannot(reterr, error);
	if (ok && !put_in_place(f, fd))
		ok = cannot(reterr, errno);
	if (f->temp[0])
		unlink(f->temp);
	if (fd >= 0)
		close(fd);
	f->out = NULL;
	return ok;
}
