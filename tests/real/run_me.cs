/* SPDX-License-Identifier: MIT */
// Prints what it did, stays for some ms if told, busy with a third word, until a file is there, and ends with a code.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

class RunMe {
	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Throw()
	{
		throw new ArgumentOutOfRangeException();
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Work()
	{
	}

	static void ThrowOnce()
	{
		try {
			Throw();
		} catch (ArgumentOutOfRangeException) {
		}
	}

	// With `until` it throws as well, and ends when there is such a file.
	static void BeBusy(int ms, string until)
	{
		for (var end = DateTime.UtcNow.AddMilliseconds(ms); DateTime.UtcNow < end; Thread.Sleep(2)) {
			for (int i = 0; i < 500; i++)
				Work();
			if (until != null)
				ThrowOnce();
			if (until != null && File.Exists(until))
				break;
		}
	}

	static int Main(string[] args)
	{
		int n = int.Parse(args[0]);
		for (int i = 0; i < n; i++) {
			try {
				Throw();
			} catch (ArgumentOutOfRangeException) {
			}
		}
		Console.WriteLine("thrown=" + n);
		Console.Error.WriteLine("on the other stream");
		if (args.Length > 2)
			BeBusy(int.Parse(args[1]), args.Length > 3 ? args[3] : null);
		else if (args.Length > 1)
			Thread.Sleep(int.Parse(args[1]));
		Console.WriteLine("done");
		return 7;
	}
}
