/* SPDX-License-Identifier: MIT */
// Computes for half a second.
using System;
using System.Diagnostics;

class Limited
{
	static void Main()
	{
		var watch = Stopwatch.StartNew();
		long n = 0;
		while (watch.ElapsedMilliseconds < 500)
			n++;
		Console.WriteLine("computed");
	}
}
