/* SPDX-License-Identifier: MIT */
/*
 * Threads that the collector holds up: two allocate and keep what they made, so that collections
 * take their time, three compute and wait for nothing else, two do little but wait for a lock that
 * the first thread holds. At the end each of those that compute says how long it
 * neither ran nor waited for a processor, by the system's own figures: "compute=TID:US", and those
 * that lock, "lock=TID:US".
 */
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

class Held {
	[StructLayout (LayoutKind.Sequential)]
	struct TimeSpec { public long s, ns; }

	[DllImport ("libc")] static extern int clock_gettime (int clock, out TimeSpec t);
	[DllImport ("libc")] static extern int gettid ();
	[DllImport ("libc")] static extern int open (string path, int flags);
	[DllImport ("libc")] static extern IntPtr pread (int fd, byte[] to, IntPtr n, IntPtr at);

	class Node { public Node next; public object[] more = new object[4]; }

	const int Monotonic = 1, ThreadTime = 3, Kept = 400000, AtOnce = 1000;
	static readonly object held = new object ();
	static readonly Semaphore ordered = new Semaphore (0, int.MaxValue);
	static volatile bool ends;
	static volatile uint sink;
	static readonly List<string> said = new List<string> ();

	static long Now (int clock)
	{
		TimeSpec t;
		clock_gettime (clock, out t);
		return t.s * 1000000000 + t.ns;
	}

	/* ns that the thread has neither run nor waited for a processor, up to a constant. */
	static long Idle (int file, byte[] line)
	{
		int n = (int) pread (file, line, (IntPtr) line.Length, IntPtr.Zero);
		string[] words = Encoding.ASCII.GetString (line, 0, n).Split (' ');
		return Now (Monotonic) - Now (ThreadTime) - long.Parse (words[1]);
	}

	static void Spent (string what, Action work)
	{
		int file = open ("/proc/thread-self/schedstat", 0);
		byte[] line = new byte[96];
		long before = Idle (file, line);
		work ();
		long us = (Idle (file, line) - before) / 1000;
		lock (said)
			said.Add (string.Format ("{0}={1}:{2}", what, gettid (), us));
	}

	static void Allocates ()
	{
		Node first = null;
		for (int i = 0; !ends; i++) {
			first = new Node { next = i % Kept == 0 ? null : first };
			if (i % AtOnce == 0)
				Thread.Yield ();
		}
		GC.KeepAlive (first);
	}

	static uint Step (uint x)
	{
		for (int i = 0; i < 1000; i++)
			x = x * 1664525 + 1013904223;
		return x;
	}

	static void Computes ()
	{
		while (!ends)
			sink = Step (sink);
	}

	static void Locks ()
	{
		while (!ends) {
			ordered.WaitOne ();
			lock (held)
				sink++;
		}
	}

	static Thread Begin (string what, Action work)
	{
		Thread t = new Thread (() => Spent (what, work));
		t.Start ();
		return t;
	}

	static void Main (string[] args)
	{
		var all = new List<Thread> ();
		long end = Now (Monotonic) + long.Parse (args[0]) * 1000000000;
		for (int i = 0; i < 2; i++)
			all.Add (Begin ("allocate", Allocates));
		for (int i = 0; i < 3; i++)
			all.Add (Begin ("compute", Computes));
		Monitor.Enter (held);
		for (int i = 0; i < 2; i++)
			all.Add (Begin ("lock", Locks));
		for (; Now (Monotonic) < end; Monitor.Enter (held)) {
			ordered.Release (2);
			Thread.Sleep (100);
			Monitor.Exit (held);
		}
		ends = true;
		ordered.Release (2);
		Monitor.Exit (held);
		foreach (Thread t in all)
			t.Join ();
		Console.WriteLine (string.Join (" ", said));
	}
}
