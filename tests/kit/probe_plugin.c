/* SPDX-License-Identifier: MIT */
/* Loaded, called and unloaded by probe_sample. */
static volatile int sink;

static __attribute__((noinline)) int helper(int n)
{
	return sink = n;
}

int plug(int n);

int plug(int n)
{
	return helper(n);
}
