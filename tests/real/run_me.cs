// Prints what it did, stays for some ms if told, busy with a third word, and ends with a code.
using System;
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

	static void BeBusy(int ms)
	{
		for (var end = DateTime.UtcNow.AddMilliseconds(ms); DateTime.UtcNow < end; Thread.Sleep(2))
			for (int i = 0; i < 500; i++)
				Work();
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
			BeBusy(int.Parse(args[1]));
		else if (args.Length > 1)
			Thread.Sleep(int.Parse(args[1]));
		Console.WriteLine("done");
		return 7;
	}
}
