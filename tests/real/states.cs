/* SPDX-License-Identifier: MIT */
/*
 * A thread that computes, waits for a lock, reads a pipe and sleeps, in turn: 40, 30, 20 and 10 ms.
 * At the end it says how long it did each by the system's own figures, without the time in which it
 * waited for a processor: "tid=N running=US lock=US io=US sleep=US".
 */
using System;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

class States {
	[StructLayout (LayoutKind.Sequential)]
	struct TimeSpec { public long s, ns; }

	[DllImport ("libc")] static extern int clock_gettime (int clock, out TimeSpec t);
	[DllImport ("libc")] static extern int gettid ();
	[DllImport ("libc")] static extern int pipe (int[] fds);
	[DllImport ("libc")] static extern int open (string path, int flags);
	[DllImport ("libc")] static extern IntPtr pread (int fd, byte[] to, IntPtr n, IntPtr at);
	[DllImport ("libc")] static extern IntPtr read (int fd, byte[] to, IntPtr n);
	[DllImport ("libc")] static extern IntPtr write (int fd, byte[] from, IntPtr n);

	const int Monotonic = 1, ThreadTime = 3;
	static readonly object held = new object ();
	static readonly AutoResetEvent ordered = new AutoResetEvent (false), taken = new AutoResetEvent (false);
	static readonly int[] there = new int[2], back = new int[2];
	static readonly byte[] line = new byte[96];
	static int file;
	static volatile uint sink;

	static long Now (int clock)
	{
		TimeSpec t;
		clock_gettime (clock, out t);
		return t.s * 1000000000 + t.ns;
	}

	/* ns that the thread has neither run nor waited for a processor, up to a constant. */
	static long Idle ()
	{
		if (file == 0)
			file = open ("/proc/thread-self/schedstat", 0);
		int n = (int) pread (file, line, (IntPtr) line.Length, IntPtr.Zero);
		string[] words = Encoding.ASCII.GetString (line, 0, n).Split (' ');
		return Now (Monotonic) - Now (ThreadTime) - long.Parse (words[1]);
	}

	static void Computes ()
	{
		long end = Now (ThreadTime) + 40000000;
		while (Now (ThreadTime) < end)
			for (int i = 0; i < 100000; i++)
				sink += (uint) i;
	}

	static void Holder ()
	{
		for (;;) {
			ordered.WaitOne ();
			lock (held) {
				taken.Set ();
				Thread.Sleep (30);
			}
		}
	}

	static void Echo ()
	{
		byte[] b = new byte[1];
		while ((int) read (there[0], b, (IntPtr) 1) == 1) {
			Thread.Sleep (20);
			write (back[1], b, (IntPtr) 1);
		}
	}

	static void Locks ()
	{
		ordered.Set ();
		taken.WaitOne ();
		lock (held)
			sink++;
	}

	static void Reads ()
	{
		byte[] b = new byte[1];
		write (there[1], b, (IntPtr) 1);
		read (back[0], b, (IntPtr) 1);
	}

	static void Sleeps ()
	{
		Thread.Sleep (10);
	}

	static long Spent (Action phase)
	{
		long before = Idle ();
		phase ();
		return (Idle () - before) / 1000;
	}

	static void Begin (ThreadStart start)
	{
		Thread t = new Thread (start);
		t.IsBackground = true;
		t.Start ();
	}

	static void Main (string[] args)
	{
		long locked = 0, io = 0, slept = 0, before = Now (ThreadTime);
		pipe (there);
		pipe (back);
		Begin (Holder);
		Begin (Echo);
		for (int i = int.Parse (args[0]); i > 0; i--) {
			Computes ();
			locked += Spent (Locks);
			io += Spent (Reads);
			slept += Spent (Sleeps);
		}
		Console.WriteLine ("tid={0} running={1} lock={2} io={3} sleep={4}", gettid (),
			(Now (ThreadTime) - before) / 1000, locked, io, slept);
	}
}
