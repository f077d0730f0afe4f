// Prints what it did and ends with a code of its own; "wait" first says so and stays until told.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

class RunMe {
	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Throw()
	{
		throw new ArgumentOutOfRangeException();
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
		if (args.Length > 1)
			Thread.Sleep(int.Parse(args[1]));
		Console.WriteLine("done");
		return 7;
	}
}
