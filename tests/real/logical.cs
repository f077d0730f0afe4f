/* SPDX-License-Identifier: MIT */
// Who awaits whom is planted, and how long each computes after it waited: of 20 ms a turn, 14 are of what
// GetOrders awaits or does, 12 of them in Find, which waits before it computes. Pause is awaited by Often
// three times for each time by Seldom; Shared by three, none of which has most of it.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Shop {

static class Orders {
	public static byte[] kept;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Compute (int ms)
	{
		var watch = Stopwatch.StartNew ();
		while (watch.ElapsedMilliseconds < ms)
			kept = new byte [2000];
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void OfFind () => Compute (12);

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void OfGetOrders () => Compute (2);

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void OfServe () => Compute (6);

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void OfPause () => Compute (2);

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void OfShared () => Compute (2);

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void OfAny () => Compute (2);

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void OfDeep () => Compute (2);

	static async Task Find ()
	{
		await Task.Delay (1);
		OfFind ();
	}

	static async Task<int> GetOrders ()
	{
		await Find ();
		OfGetOrders ();
		return 1;
	}

	static async Task Serve ()
	{
		if (await GetOrders () == 1)
			OfServe ();
	}

	static async Task Pause ()
	{
		await Task.Delay (1);
		OfPause ();
	}

	static async Task Often ()
	{
		await Pause ();
		OfAny ();
	}

	static async Task Seldom ()
	{
		await Pause ();
		OfAny ();
	}

	static async Task Shared ()
	{
		await Task.Delay (1);
		OfShared ();
	}

	static async Task One ()
	{
		await Shared ();
		OfAny ();
	}

	static async Task Two ()
	{
		await Shared ();
		OfAny ();
	}

	static async Task Three ()
	{
		await Shared ();
		OfAny ();
	}

	// It awaits itself, and is awaited by Dive.
	static async Task Deep (int left)
	{
		if (left == 0)
			await Task.Delay (1);
		else
			await Deep (left - 1);
		OfDeep ();
	}

	static async Task Dive ()
	{
		await Deep (3);
		OfAny ();
	}

	// Sets a result that Waiter waits for, and goes on after that: it does not await it, nor it Waiter.
	static async Task Setter (TaskCompletionSource<int> source)
	{
		await Task.Delay (1);
		source.SetResult (1);
		OfAny ();
	}

	static async Task Waiter (TaskCompletionSource<int> source)
	{
		await source.Task;
		OfAny ();
	}

	static async Task Turn (int turn)
	{
		await Serve ();
		if (turn % 4 == 0)
			await Seldom ();
		else
			await Often ();
		if (turn % 3 == 0)
			await One ();
		else if (turn % 3 == 1)
			await Two ();
		else
			await Three ();
		await Dive ();
		var source = new TaskCompletionSource<int> ();
		Task waiter = Waiter (source);
		await Setter (source);
		await waiter;
	}

	static void Main (string[] args)
	{
		for (int turn = 0; turn < int.Parse (args [0]); turn++)
			Turn (turn).Wait ();
	}
}

}
