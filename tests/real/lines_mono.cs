/* SPDX-License-Identifier: MIT */
// A planted hot line for Mono. Usage: SECONDS
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

static class LinesMono {
	[MethodImpl (MethodImplOptions.NoInlining)]
	static uint Spin (uint x)
	{
		for (int i = 0; i < 50000; i++)
			x = (x * 1664525u + 1013904223u) ^ x / 7u ^ x / 11u ^ x / 13u; /* spin */
		return x;
	}

	static void Main (string[] args)
	{
		Stopwatch clock = Stopwatch.StartNew ();
		double most = args.Length > 0 ? double.Parse (args[0]) : 2;
		uint all = 0;
		while (clock.Elapsed.TotalSeconds < most)
			all += Spin (all);
		Console.WriteLine (all);
	}
}
