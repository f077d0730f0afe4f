/* SPDX-License-Identifier: MIT */
// A program that is compiled ahead of time: a thread that spins, exceptions that it counts on each line of input.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ahead {

static class Work {
	static double sum;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static double Spin (double x)
	{
		for (int i = 0; i < 20000; i++)
			x = Math.Sin (x) + 1;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw (int i) => throw new InvalidOperationException ("no " + i);

	static void Main ()
	{
		int thrown = 0, phases = 0;
		new Thread (() => { while (true) sum += Spin (sum); }) { IsBackground = true, Name = "spinner" }.Start ();
		do {
			Console.WriteLine ("thrown=" + thrown);
			// As what it starts would have it.
			Console.WriteLine ("ports=" + (Environment.GetEnvironmentVariable ("DOTNET_DiagnosticPorts") ?? "").Length);
			Console.WriteLine ("phase=" + ++phases);
			Console.Out.Flush ();
			for (int i = 0; i < 30; i++)
				try {
					Throw (i);
				} catch (InvalidOperationException) {
					thrown++;
				}
			GC.Collect ();
		} while (Console.In.ReadLine () != null);
	}
}

}
