/* SPDX-License-Identifier: MIT */
/* Calls itself so many times, as its argument says; down there it computes, allocates and throws. */
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

class Grain { public int n; }
class Fault : Exception { }

static class Recursive {
	const int Objects = 20000, Faults = 50, Ms = 700;
	static volatile uint sink;
	static Grain kept;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Down (int more)
	{
		if (more > 0)
			return Down (more - 1) + 1; /* so that it is no jump */
		Compute ();
		Allocate ();
		return 0;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Compute ()
	{
		Stopwatch t = Stopwatch.StartNew ();
		while (t.ElapsedMilliseconds < Ms)
			for (int i = 0; i < 100000; i++)
				sink = sink * 1664525 + 1013904223;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Allocate ()
	{
		for (int i = 0; i < Objects; i++)
			kept = new Grain { n = i };
		for (int i = 0; i < Faults; i++)
			try {
				throw new Fault ();
			} catch (Fault) {
			}
	}

	static int Main (string[] args)
	{
		int n = int.Parse (args [0]);
		return Down (n) == n ? 0 : 1;
	}
}
