/* SPDX-License-Identifier: MIT */
/* Writes objects and blocks of a .nettrace stream, version 4. */
#include "common/target/dotnet/event_write.h"

#include <string.h>

#include "common/base/cursor.h"

uint8_t *pv_event_put_type(uint8_t *to, const char *name, int version)
{
	static const uint8_t begin[] = { 5, 5, 1 };
	size_t len = strlen(name);
	memcpy(to, begin, sizeof begin);
	to = pv_put_u32(to + sizeof begin, (uint32_t)version);
	to = pv_put_u32(to, (uint32_t)version);
	to = pv_put_u32(to, (uint32_t)len);
	memcpy(to, name, len);
	to[len] = PV_EVENT_OBJECT_END;
	return to + len + 1;
}

uint8_t *pv_event_put_object(uint8_t *to, const char *name, int version, size_t n, uint64_t offset)
{
	uint8_t *at = pv_event_put_type(to, name, version);
	at = pv_put_u32(at, (uint32_t)n);
	while ((offset + (uint64_t)(at - to)) % 4)
		*at++ = 0;
	return at;
}

uint8_t *pv_event_put_head(uint8_t *to, uint64_t time, unsigned more)
{
	to = pv_put_u16(to, (uint16_t)(PV_EVENT_HEAD + more));
	to = pv_put_u16(to, 1); /* compressed */
	to = pv_put_u64(to, time);
	to = pv_put_u64(to, time);
	memset(to, 0, more);
	return to + more;
}

uint8_t *pv_event_put_wide(uint8_t *to, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to = pv_put_u16(to, (unsigned char)text[i] < 0x80 ? (uint16_t)text[i] : '?');
	return pv_put_u16(to, 0);
}
