/* SPDX-License-Identifier: MIT */
/*
 * Identity of a log, wherever its file lies. Its name is a hash of its first 4 KiB, which do not
 * change while the log grows; its print are hashes of a few places within a length. Several logs
 * may share a name. Findings about a log are filed under the name and believed if the print is the
 * same.
 */
#ifndef PV_IO_LOG_PRINT_H
#define PV_IO_LOG_PRINT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PV_PRINT_NAME = 33,  /* hexadecimal, with its NUL */
	PV_PRINT_PLACES = 7, /* first, middle, last, four drawn at random; 64 KiB each */
	PV_PRINT_HASH = 16,
	PV_PRINT_BYTES = 8 + PV_PRINT_PLACES * (8 + PV_PRINT_HASH), /* packed */
};

struct pv_log_print {
	uint64_t covers; /* stored bytes of the log described */
	struct {
		uint64_t at;
		uint8_t hash[PV_PRINT_HASH];
	} place[PV_PRINT_PLACES];
};

/* A descriptor to read a log by, which the caller closes; -1 when not a regular file. */
int pv_log_open(const char *path);

/* Each is false when the log is shorter, or cannot be read. Any thread. */
bool pv_log_name(int log, char ret_name[PV_PRINT_NAME]);
bool pv_log_print_take(int log, uint64_t covers, struct pv_log_print *ret);
/* Whether the log still has these bytes; every field of the print is checked. */
bool pv_log_print_holds(int log, const struct pv_log_print *p);

/* A print as bytes (numbers in the machine's order) and back. */
void pv_log_print_pack(const struct pv_log_print *p, uint8_t to[PV_PRINT_BYTES]);
void pv_log_print_unpack(struct pv_log_print *p, const uint8_t from[PV_PRINT_BYTES]);

#endif
