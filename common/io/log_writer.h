/* SPDX-License-Identifier: MIT */
/*
 * The process of this machine that writes a file, by the number from the log, which is of the
 * writer's own pid namespace. Any thread. Clocks decide nothing: a process is the writer only while
 * it holds the file open for writing.
 */
#ifndef PV_IO_LOG_WRITER_H
#define PV_IO_LOG_WRITER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct pv_log_writer {
	pid_t pid; /* in this process's namespace */
	int pidfd; /* readable after its exit; closed by the caller */
	int held;  /* its descriptor of the file */
};

/*
 * Tries the process `pid`, and with `deep` all whose innermost number is `pid` (a scan of /proc).
 * False: no visible one holds the file open for writing; *ret is unchanged.
 */
bool pv_log_writer_find(pid_t pid, const struct stat *file, bool deep, struct pv_log_writer *ret);

/* Whether the process still holds the file open for writing. */
bool pv_log_writer_holds(const struct pv_log_writer *w, const struct stat *file);

/*
 * Whether any process has the file open for writing: asked of the kernel where the file is the
 * caller's own, whatever the process can be seen of, else of the process that the log names (`pid`;
 * 0: none). `fd` was opened for reading only.
 */
bool pv_log_is_written(int fd, pid_t pid);

#endif
