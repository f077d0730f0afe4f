/* SPDX-License-Identifier: MIT */
/*
 * As short.c: threads that live for 1 to 3 ms of processor time each, two at a time; in between the
 * main thread computes as long as they did.
 */
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Short {
	[StructLayout (LayoutKind.Sequential)]
	struct TimeSpec { public long s, ns; }

	[DllImport ("libc")] static extern int clock_gettime (int clock, out TimeSpec t);

	const int ThreadTime = 3, AtOnce = 2;
	static double sink;

	static long Now ()
	{
		TimeSpec t;
		clock_gettime (ThreadTime, out t);
		return t.s * 1000000000 + t.ns;
	}

	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static long Compute (long ns)
	{
		long from = Now (), now = from;
		double x = 1;
		while (now < from + ns) {
			for (int i = 0; i < 20000; i++)
				x *= 1.0000001;
			now = Now ();
		}
		sink = x;
		return now - from;
	}

	[MethodImpl (MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
	static void Brief (ref long ns)
	{
		ns = Compute (ns);
	}

	[MethodImpl (MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
	static void Evenly (ref long ns)
	{
		ns = Compute (ns);
	}

	static int Descriptors ()
	{
		return Directory.GetFileSystemEntries ("/proc/self/fd").Length;
	}

	static int Main (string[] args)
	{
		int threads = int.Parse (args[0]), before = 0, most = 0;
		long all = 0, steadily = 0;
		var ns = new long[AtOnce];
		for (int i = 0; i < threads; i += AtOnce) {
			var thread = new Thread[AtOnce];
			for (int j = 0; j < AtOnce; j++) {
				int k = j;
				ns[j] = 1000000 + (i + j) * 7919L % 2000000;
				thread[j] = new Thread (() => Brief (ref ns[k]));
				thread[j].Start ();
			}
			for (int j = 0; j < AtOnce; j++) {
				thread[j].Join ();
				all += ns[j];
				Evenly (ref ns[j]);
				steadily += ns[j];
			}
			most = Math.Max (most, Descriptors ());
			before = before > 0 ? before : most;
		}
		Console.WriteLine ($"brief_us={all / 1000} steady_us={steadily / 1000} before={before} most={most}");
		return 0;
	}
}
