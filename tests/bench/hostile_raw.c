#include "tests/bench/hostile_log.h"
size_t hostile_families_raw(void)
{
	return 0;
}
const char *hostile_family_name_raw(size_t family)
{
	(void)family;
	return "";
}
void hostile_write_raw(size_t family, bool benign, unsigned n, struct hostile_bytes *ret)
{
	(void)family;
	(void)benign;
	(void)n;
	(void)ret;
}
