/* SPDX-License-Identifier: MIT */
/* A library in C++ for a program in C, which has no C++ runtime of its own. */
#include <stdexcept>

extern "C" int plugin_work(int n)
{
	int done = 0;
	for (int i = 0; i < n; i++) {
		int *volatile one = new int[10];
		done += one != nullptr;
		delete[] one;
	}
	try {
		throw std::runtime_error("a text that is longer than those that need no block");
	} catch (const std::exception &) {
		done++;
	}
	return done;
}
