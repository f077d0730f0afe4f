/* SPDX-License-Identifier: MIT */
// A program that waits in the system's own calls: how many were cut short, and how long it took.
// With the word "busy" another thread computes meanwhile.
using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

static class Waits
{
	const int Each = 100, Ms = 10, Interrupted = 4;
	static volatile bool ended;

	[StructLayout (LayoutKind.Sequential)]
	struct Span { public long s, ns; }

	[DllImport ("libc", SetLastError = true)]
	static extern int poll (IntPtr fds, ulong n, int ms);

	[DllImport ("libc", SetLastError = true)]
	static extern int nanosleep (ref Span time, IntPtr left);

	static void Compute ()
	{
		for (double x = 1; !ended; )
			x = Math.Sin (x) + 1;
	}

	static bool Cut (int result)
	{
		return result < 0 && Marshal.GetLastWin32Error () == Interrupted;
	}

	static void Main (string[] args)
	{
		var other = new Thread (Compute);
		if (args.Length > 0)
			other.Start ();
		var span = new Span { ns = Ms * 1000000L };
		int cut = 0;
		var watch = Stopwatch.StartNew ();
		for (int i = 0; i < Each; i++) {
			cut += Cut (poll (IntPtr.Zero, 0, Ms)) ? 1 : 0;
			cut += Cut (nanosleep (ref span, IntPtr.Zero)) ? 1 : 0;
		}
		Console.WriteLine ("waits={0} cut={1} ms={2}", 2 * Each, cut, watch.ElapsedMilliseconds);
		ended = true;
		if (args.Length > 0)
			other.Join ();
	}
}
