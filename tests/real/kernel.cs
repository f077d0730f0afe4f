/* SPDX-License-Identifier: MIT */
/*
 * As kernel.c: a program that spends most of its time in the kernel, below methods of its own, and
 * says in the end how long each took: "reads=US faults=US computes=US user=US kernel=US".
 */
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

class Kernel {
	[StructLayout (LayoutKind.Sequential)]
	struct TimeSpec { public long s, ns; }

	[StructLayout (LayoutKind.Sequential)]
	struct Usage {
		public long user_s, user_us, kernel_s, kernel_us;
		[MarshalAs (UnmanagedType.ByValArray, SizeConst = 14)] public long[] more;
	}

	[DllImport ("libc")] static extern int clock_gettime (int clock, out TimeSpec t);
	[DllImport ("libc")] static extern int getrusage (int who, out Usage u);
	[DllImport ("libc")] static extern int open (string path, int flags);
	[DllImport ("libc")] static extern IntPtr read (int fd, byte[] to, IntPtr n);
	[DllImport ("libc")] static extern IntPtr mmap (IntPtr at, IntPtr n, int access, int flags, int fd, IntPtr from);
	[DllImport ("libc")] static extern int munmap (IntPtr at, IntPtr n);

	const int ThreadTime = 3, OfThread = 1, Ms = 1000000, Area = 1 << 22, Page = 4096;
	static readonly byte[] to = new byte[1 << 16];
	static int zero;
	static volatile uint sink;

	static long Now ()
	{
		TimeSpec t;
		clock_gettime (ThreadTime, out t);
		return t.s * 1000000000 + t.ns;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Reads ()
	{
		for (int i = 0; i < 20; i++)
			read (zero, to, (IntPtr)to.Length);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Faults ()
	{
		IntPtr at = mmap (IntPtr.Zero, (IntPtr)Area, 3, 0x22, -1, IntPtr.Zero); /* private, of no file */
		for (int i = 0; i < Area; i += Page)
			Marshal.WriteByte (at, i, 1);
		munmap (at, (IntPtr)Area);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Computes ()
	{
		for (uint i = 0; i < 100000; i++)
			sink += i;
	}

	static long Turn (Action work)
	{
		long before = Now ();
		while (Now () - before < 20 * Ms)
			work ();
		return (Now () - before) / 1000;
	}

	static void Main (string[] args)
	{
		Usage before, after;
		long reads = 0, faults = 0, computes = 0;
		zero = open ("/dev/zero", 0);
		getrusage (OfThread, out before);
		for (int i = int.Parse (args[0]); i > 0; i--) {
			reads += Turn (Reads);
			faults += Turn (Faults);
			computes += Turn (Computes);
		}
		getrusage (OfThread, out after);
		Console.WriteLine ("reads={0} faults={1} computes={2} user={3} kernel={4}", reads, faults, computes,
			(after.user_s - before.user_s) * 1000000 + after.user_us - before.user_us,
			(after.kernel_s - before.kernel_s) * 1000000 + after.kernel_us - before.kernel_us);
	}
}
