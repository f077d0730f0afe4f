/* SPDX-License-Identifier: MIT */
/*
 * Two kinds of work, called from methods of their own, and what each took by the thread's clock:
 * planted hot spots whose leaves are in native libraries. `loops`: methods that loop for so long
 * that their code is replaced while they are on the stack, one of which calls itself, and one
 * without a frame pointer.
 *
 * usage: hot libm|mixed|loops SECONDS      prints "took METHOD NANOSECONDS"
 */
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

static unsafe class Hot {
	[DllImport ("libc.so.6")]
	static extern void qsort (int *from, nint n, nint size, delegate* unmanaged<int*, int*, int> compare);

	[DllImport ("libc.so.6")]
	static extern int clock_gettime (int clock, long *to);

	const int ThreadClock = 3, Sines = 400000, Sorted = 20000;
	static double sum;
	static readonly int[] numbers = new int[Sorted];

	static long Now ()
	{
		long *t = stackalloc long[2];
		clock_gettime (ThreadClock, t);
		return t[0] * 1000000000 + t[1];
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Sine ()
	{
		for (int i = 0; i < Sines; i++)
			sum += Math.Sin (i * 1.7 + sum * 1e-9);
	}

	[UnmanagedCallersOnly]
	static int Compare (int *a, int *b) => *a < *b ? -1 : *a > *b ? 1 : 0;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Sort ()
	{
		uint next = 1;
		for (int i = 0; i < Sorted; i++)
			numbers[i] = (int) (next = next * 1664525 + 1013904223);
		fixed (int *p = numbers)
			qsort (p, Sorted, 4, &Compare);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Plain ()
	{
		uint x = 1;
		for (int i = 0; i < 2000000; i++)
			x = x * 1664525 + 1013904223;
		sum += x & 1;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Timed (Action work)
	{
		long from = Now ();
		work ();
		return Now () - from;
	}

	// Processor time of the thread: the levels have their samples however busy the machine is.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static double Seconds () => Now () / 1e9;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Once (double until)
	{
		uint x = 1;
		while (Seconds () < until)
			for (int i = 0; i < 100000; i++)
				x = x * 1664525 + 1013904223;
		sum += x & 1;
	}

	// Each level loops, then the next one does.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static uint Deep (int levels, double each)
	{
		uint x = 1;
		double until = Seconds () + each;
		while (Seconds () < until)
			for (int i = 0; i < 100000; i++)
				x = x * 1664525 + 1013904223;
		return levels > 1 ? x + Deep (levels - 1, each) : x;
	}

	// One call, and not the last thing: without a frame pointer once it is compiled well.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Wrap ()
	{
		Plain ();
		sum++;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Calls (double until)
	{
		while (Seconds () < until)
			Wrap ();
	}

	static void Loops (double seconds)
	{
		double begin = Seconds ();
		Once (begin + seconds / 3);
		sum += Deep (4, seconds / 12) & 1;
		Calls (begin + seconds);
	}

	static void Main (string[] args)
	{
		if (args[0] == "loops") {
			Loops (double.Parse (args[1]));
			return;
		}
		bool mixed = args[0] == "mixed";
		var clock = Stopwatch.StartNew ();
		long sine = 0, sort = 0, plain = 0;
		while (clock.Elapsed.TotalSeconds < double.Parse (args[1])) {
			sine += Timed (Sine);
			if (mixed)
				sort += Timed (Sort);
			plain += Timed (Plain);
		}
		Console.WriteLine ($"took Sine {sine}\ntook Sort {sort}\ntook Plain {plain}");
	}
}
