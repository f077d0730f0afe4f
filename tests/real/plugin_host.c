/* SPDX-License-Identifier: MIT */
/* usage: plugin_host PLUGIN: has it work, in a scope that only the plugin sees. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char *argv[])
{
	int (*work)(int) = NULL;
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	void *found = library ? dlsym(library, "plugin_work") : NULL;
	memcpy(&work, &found, sizeof found);
	printf("%d\n", work ? work(1000) : -1);
	return !work;
}
