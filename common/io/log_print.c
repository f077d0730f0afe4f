/* SPDX-License-Identifier: MIT */
/* Names and prints of logs: hashes of a few places of the file. */
#include "common/io/log_print.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "common/io/fd.h"

enum { NAMED_BY = 4096, PLACE = 64 << 10, FIXED = 3 };

static bool hash_at(int log, uint64_t at, size_t n, uint8_t ret[PV_PRINT_HASH])
{
	uint8_t *block = malloc(n ? n : 1);
	size_t got = 0;
	while (block && got < n) {
		ssize_t some = pv_fd_pread(log, block + got, n - got, at + got);
		if (some <= 0)
			break;
		got += (size_t)some;
	}
	bool ok = block && got == n && sodium_init() >= 0 &&
		  crypto_generichash(ret, PV_PRINT_HASH, block, n, NULL, 0) == 0;
	free(block);
	return ok;
}

int pv_log_open(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	fd = pv_fd_above_standard(fd);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		pv_fd_close(&fd);
	return fd;
}

static uint64_t size_of(int log)
{
	struct stat st;
	return fstat(log, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

bool pv_log_name(int log, char ret_name[PV_PRINT_NAME])
{
	uint8_t hash[PV_PRINT_HASH];
	uint64_t size = size_of(log);
	if (!hash_at(log, 0, size < NAMED_BY ? (size_t)size : NAMED_BY, hash))
		return false;
	sodium_bin2hex(ret_name, PV_PRINT_NAME, hash, sizeof hash);
	return true;
}

static size_t place_size(uint64_t covers)
{
	return covers < PLACE ? (size_t)covers : PLACE;
}

static bool draw(struct pv_log_print *p)
{
	uint64_t room = p->covers - place_size(p->covers), drawn[PV_PRINT_PLACES];
	if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn)
		return false;
	p->place[0].at = 0;
	p->place[1].at = room / 2;
	p->place[2].at = room;
	for (size_t i = FIXED; i < PV_PRINT_PLACES; i++)
		p->place[i].at = drawn[i] % (room + 1);
	return true;
}

bool pv_log_print_take(int log, uint64_t covers, struct pv_log_print *ret)
{
	ret->covers = covers;
	bool ok = covers <= size_of(log) && draw(ret);
	for (size_t i = 0; ok && i < PV_PRINT_PLACES; i++)
		ok = hash_at(log, ret->place[i].at, place_size(covers), ret->place[i].hash);
	return ok;
}

bool pv_log_print_holds(int log, const struct pv_log_print *p)
{
	size_t n = place_size(p->covers);
	bool ok = p->covers <= size_of(log);
	for (size_t i = 0; ok && i < PV_PRINT_PLACES; i++) {
		uint8_t hash[PV_PRINT_HASH];
		ok = p->place[i].at <= p->covers - n && hash_at(log, p->place[i].at, n, hash) &&
		     memcmp(hash, p->place[i].hash, sizeof hash) == 0;
	}
	return ok;
}

void pv_log_print_pack(const struct pv_log_print *p, uint8_t to[PV_PRINT_BYTES])
{
	memcpy(to, &p->covers, 8);
	for (size_t i = 0; i < PV_PRINT_PLACES; i++) {
		uint8_t *place = to + 8 + i * (8 + PV_PRINT_HASH);
		memcpy(place, &p->place[i].at, 8);
		memcpy(place + 8, p->place[i].hash, PV_PRINT_HASH);
	}
}

void pv_log_print_unpack(struct pv_log_print *p, const uint8_t from[PV_PRINT_BYTES])
{
	memcpy(&p->covers, from, 8);
	for (size_t i = 0; i < PV_PRINT_PLACES; i++) {
		const uint8_t *place = from + 8 + i * (8 + PV_PRINT_HASH);
		memcpy(&p->place[i].at, place, 8);
		memcpy(p->place[i].hash, place + 8, PV_PRINT_HASH);
	}
}
