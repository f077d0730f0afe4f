/*
 * Two kinds of work, called from methods of their own, and what each took by the thread's clock:
 * planted hot spots whose leaves are in native libraries.
 *
 * usage: hot libm|mixed SECONDS      prints "took METHOD NANOSECONDS"
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

	static void Main (string[] args)
	{
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
