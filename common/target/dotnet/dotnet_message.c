/* SPDX-License-Identifier: MIT */
/* Messages of .NET's diagnostics protocol: heads, numbers and texts in UTF-16. */
#include "common/target/dotnet/dotnet_message.h"

#include <string.h>

static const char magic[14] = "DOTNET_IPC_V1";

void pv_dotnet_put(struct pv_dotnet_message *m, const void *bytes, size_t n)
{
	m->full |= n > sizeof m->bytes - m->n;
	if (!m->full) {
		memcpy(m->bytes + m->n, bytes, n);
		m->n += n;
	}
}

void pv_dotnet_put_u32(struct pv_dotnet_message *m, size_t n)
{
	uint32_t v = (uint32_t)n;
	pv_dotnet_put(m, &v, sizeof v);
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

void pv_dotnet_put_text(struct pv_dotnet_message *m, const char *text)
{
	size_t at = m->n;
	uint32_t units = 1;
	pv_dotnet_put_u32(m, 0);
	while (*text) {
		uint32_t c = next_character(&text);
		uint16_t u[2] = { (uint16_t)c, 0 };
		bool pair = c > 0xffff;
		if (pair) {
			u[0] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
			u[1] = (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff));
		}
		pv_dotnet_put(m, u, pair ? 4 : 2);
		units += pair ? 2 : 1;
	}
	pv_dotnet_put(m, "\0", 2);
	if (!m->full)
		memcpy(m->bytes + at, &units, sizeof units);
}

void pv_dotnet_begin(struct pv_dotnet_message *m, int command)
{
	m->n = 0;
	m->full = false;
	const uint8_t head[PV_DOTNET_HEAD - sizeof magic] = { 0, 0, (uint8_t)(command >> 8),
		(uint8_t)command };
	pv_dotnet_put(m, magic, sizeof magic);
	pv_dotnet_put(m, head, sizeof head);
}

void pv_dotnet_finish(struct pv_dotnet_message *m)
{
	m->bytes[sizeof magic] = (uint8_t)m->n;
	m->bytes[sizeof magic + 1] = (uint8_t)(m->n >> 8);
}

size_t pv_dotnet_answer_length(const uint8_t *answer, size_t got)
{
	if (got < PV_DOTNET_HEAD)
		return PV_DOTNET_HEAD;
	size_t size = (size_t)answer[14] | (size_t)answer[15] << 8;
	return memcmp(answer, magic, sizeof magic) == 0 && size >= PV_DOTNET_HEAD ? size : SIZE_MAX;
}
