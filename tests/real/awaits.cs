/* SPDX-License-Identifier: MIT */
// Async methods that wait, a known number of each, until standard input ends.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

namespace Shop {

static class Gates {
	public static readonly TaskCompletionSource<int> Price = new (), Stock = new (), Mail = new ();
	public static readonly TaskCompletionSource Bus = new ();
}

class OrderPipeline {
	public static async Task<int> TaxAsync () => 1 + await Gates.Price.Task;

	public static async Task<int> PriceAsync ()
	{
		int tax = await TaxAsync ().ConfigureAwait (false);
		return 100 + tax;
	}

	public async Task PlaceAsync (List<int> to)
	{
		int price = await PriceAsync ();
		lock (to)
			to.Add (price);
	}
}

class Stock {
	public static async Task<T> CountAsync<T> (T factor) { await Gates.Stock.Task; return factor; }

	public static async Task<int> SumAsync (int n)
	{
		int[] all = await Task.WhenAll (Enumerable.Range (0, n).Select (i => CountAsync (i)));
		return all.Sum ();
	}
}

static class Bus {
	static async Task Connected () { await Gates.Bus.Task; }
	public static async Task Publish (Task connected) { await connected; }

	public static List<Task> PublishMany (int n)
	{
		Task connected = Connected ();
		return Enumerable.Range (0, n).Select (i => Publish (connected)).ToList ();
	}
}

static class Mail {
	static readonly FieldInfo waiter =
		typeof (Task).GetField ("m_continuationObject", BindingFlags.Instance | BindingFlags.NonPublic);

	static async Task SendAsync () { await Gates.Mail.Task; }
	public static async Task NotifyAsync () => await SendAsync ().ContinueWith (t => t.Id);

	// A thread that blocks until one is sent, once it does.
	public static void SendNow ()
	{
		Task sent = SendAsync ();
		new Thread (sent.Wait) { IsBackground = true }.Start ();
		while (waiter.GetValue (sent) == null)
			Thread.Yield ();
	}
}

// Where a program with windows goes on: each wait keeps an action.
class Ui : SynchronizationContext {
	static async Task LoadAsync () { await Stock.CountAsync (1.5); }

	public static void Load (List<object> to, int n)
	{
		SetSynchronizationContext (new Ui ());
		for (int i = 0; i < n; i++)
			to.Add (LoadAsync ());
		SetSynchronizationContext (null);
	}
}

static class Clock {
	public static async Task TickAsync () { await Task.Delay (TimeSpan.FromDays (1)); }
}

static class Done {
	public static async Task<int> AtOnce (int n) { await Task.Yield (); return n; }
	public static async Task<int> Twice (int n) => await AtOnce (n) + await AtOnce (n);
}

static class Program {
	const int Placed = 50, Counted = 7, Published = 5, Sent = 3, Lambdas = 4, Finished = 30,
		Notified = 2, Loaded = 6, Ticks = 8;
	static readonly List<object> kept = new ();

	static int Main (string[] args)
	{
		int scale = args.Length > 0 ? int.Parse (args [0]) : 1;
		var prices = new List<int> ();
		for (int i = 0; i < Placed * scale; i++)
			kept.Add (new OrderPipeline ().PlaceAsync (prices));
		kept.Add (Stock.SumAsync (Counted));
		kept.AddRange (Bus.PublishMany (Published));
		for (int i = 0; i < Lambdas; i++) {
			Func<Task> call = async () => await Stock.CountAsync ("once");
			kept.Add (call ());
		}
		var finished = new List<Task> ();
		for (int i = 0; i < Finished; i++)
			finished.Add (Done.Twice (i));
		Task.WaitAll (finished.ToArray ());
		kept.AddRange (finished);
		for (int i = 0; i < Sent; i++)
			Mail.SendNow ();
		for (int i = 0; i < Notified; i++)
			kept.Add (Mail.NotifyAsync ());
		Ui.Load (kept, Loaded);
		for (int i = 0; i < Ticks; i++)
			kept.Add (Clock.TickAsync ());
		Console.WriteLine ("waiting");
		Console.In.ReadToEnd ();
		return prices.Count;
	}
}
}
