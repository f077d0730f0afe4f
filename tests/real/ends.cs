/* SPDX-License-Identifier: MIT */
// A program that ends in the way its first argument says, after 0.3 s of work.
using System;
using System.Diagnostics;
using System.Threading;

static class Ends
{
	static double Work(int ms)
	{
		double sum = 0;
		for (var clock = Stopwatch.StartNew(); clock.ElapsedMilliseconds < ms;)
			for (int i = 1; i < 1000; i++)
				sum += Math.Sqrt(i) + new byte[100].Length;
		return sum;
	}

	static int Main(string[] args)
	{
		if (Work(300) == 0)
			return 9;
		switch (args[0]) {
		case "exit":
			Environment.Exit(7);
			break;
		case "kill":
			Process.GetCurrentProcess().Kill();
			Thread.Sleep(60000);
			break;
		case "failfast":
			Environment.FailFast("on purpose");
			break;
		case "throw":
			throw new InvalidOperationException("on purpose");
		}
		return 5;
	}
}
