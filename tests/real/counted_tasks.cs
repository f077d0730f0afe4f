/* SPDX-License-Identifier: MIT */
// What only .NET does: tasks that change threads, filters, throwing while unwinding, generic values.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Counted {

struct Cell<T> {
	public T Value;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public T Swap (T other) { T old = Value; Value = other; return old; }
}

static class Tasks {
	const int Jobs = 40, Steps = 25;
	static int work, steps, filters;

	public static void Run ()
	{
		var jobs = new List<Task<int>> ();
		steps = work = filters = 0;
		for (int i = 0; i < Jobs; i++) {
			int n = i;
			jobs.Add (Task.Run (() => Job (n)));
		}
		foreach (Task<int> job in jobs)
			job.Wait ();
		for (int i = 0; i < Jobs; i++)
			Unwind (i);
		var cell = new Cell<long> ();
		for (int i = 0; i < Jobs; i++)
			cell.Swap (i);
		Tally.Add ("calls Counted.Tasks:Step (int)", Jobs * Steps);
		Tally.Add ("calls Counted.Tasks:Unwind (int)", Jobs);
		Tally.Add ("calls Counted.Tasks:Inner (int)", Jobs);
		Tally.Add ("calls Counted.Tasks:Again (int)", Jobs);
		Tally.Add ("calls Counted.Tasks:Wanted (System.Exception,int)", filters);
		Tally.Add ("calls Counted.Cell<System.Int64>:Swap (long)", Jobs);
		Tally.Add ("unwound Counted.Tasks:Inner (int)", Jobs);
		Tally.Add ("unwound Counted.Tasks:Again (int)", Jobs);
		if (steps != Jobs * Steps)
			throw new InvalidOperationException ("steps");
	}

	static async Task<int> Job (int n)
	{
		int sum = 0;
		for (int i = 0; i < Steps; i++) {
			sum += Step (i);
			if (i % 5 == n % 5)
				await Task.Yield ();
			if (i % 11 == 3) {
				try {
					await Fail (n);
				} catch (OwnException) {
					sum++;
				}
			}
		}
		return sum;
	}

	static async Task Fail (int n)
	{
		await Task.Yield ();
		throw new OwnException ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Step (int i)
	{
		Interlocked.Increment (ref steps);
		return i;
	}

	// An exception thrown while another unwinds takes its place; a filter looks at both.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Unwind (int i)
	{
		try {
			Inner (i);
		} catch (Exception e) when (Wanted (e, i)) {
			work++;
		} catch (Exception) {
			work++;
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool Wanted (Exception e, int i) { filters++; return i % 2 == 0; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Inner (int i)
	{
		try {
			throw new OwnException ();
		} finally {
			Again (i);
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Again (int i) { throw new InvalidOperationException (); }
}

}
