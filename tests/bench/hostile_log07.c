#include "tests/bench/hostile_log.h"
size_t hostile_families07(void)
{
	return 0;
}
const char *hostile_family_name07(size_t family)
{
	(void)family;
	return "";
}
bool hostile_has07(size_t family, enum hostile_pattern p)
{
	(void)family;
	(void)p;
	return false;
}
void hostile_write07(size_t family, enum hostile_pattern p, unsigned n, struct hostile_bytes *ret)
{
	(void)family;
	(void)p;
	(void)n;
	(void)ret;
}
