/* SPDX-License-Identifier: MIT */
// Managed code that calls native code, and is called by a native thread that the runtime has not seen before.
// usage: mixed MS
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

class Mixed {
	delegate void Callback (long ns);
	[DllImport ("mixed_library")] static extern long mixed_spin (long ns);
	[DllImport ("mixed_library")] static extern int mixed_thread (Callback f, long ns);

	[DllImport ("mixed_library")] static extern long mixed_used ();

	static volatile uint sink;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Below (long ns)
	{
		return mixed_spin (ns) + 1;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Late (long ns)
	{
		for (long end = mixed_used () + ns; mixed_used () < end; )
			for (uint i = 0; i < 100000; i++)
				sink += i;
	}

	static void Main (string [] args)
	{
		long ns = long.Parse (args [0]) * 1000000;
		long sum = Below (ns);
		sum += mixed_thread (Late, ns);
		Console.WriteLine (sum == 42 ? "well" : "done");
	}
}
