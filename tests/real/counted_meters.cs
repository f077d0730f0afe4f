/* SPDX-License-Identifier: MIT */
// Instruments of meters, and counters of an EventSource, whose values are known.
#if NET
using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.Threading;

namespace Counted {

[EventSource (Name = "Shop-Events")]
class ShopSource : EventSource {
	public static readonly ShopSource It = new ShopSource ();
	PollingCounter depth;
	IncrementingPollingCounter sold;

	protected override void OnEventCommand (EventCommandEventArgs command)
	{
		if (command.Command != EventCommand.Enable)
			return;
		depth ??= new PollingCounter ("queue-depth", this, () => 42) { DisplayUnits = "orders" };
		sold ??= new IncrementingPollingCounter ("sold", this, () => Volatile.Read (ref Meters.Sold));
	}
}

static class Meters {
	public static long Sold;
	static readonly Meter shop = new Meter ("Shop.Orders", "1.2"), other = new Meter ("Other");
	static readonly Counter<long> placed = shop.CreateCounter<long> ("shop.placed", "{order}", "Orders that were placed");
	static readonly Counter<double> revenue = shop.CreateCounter<double> ("shop.revenue", "EUR");
	static readonly UpDownCounter<int> waiting = shop.CreateUpDownCounter<int> ("shop.waiting", "{order}");
	static readonly Histogram<double> took = shop.CreateHistogram<double> ("shop.took", "ms");
	static readonly ObservableGauge<double> load = shop.CreateObservableGauge ("shop.load", () => 0.75, "1");
	static readonly Counter<int> quiet = other.CreateCounter<int> ("other.quiet");
	static readonly Counter<int> many = shop.CreateCounter<int> ("shop.many");

	static KeyValuePair<string, object> Tag (string key, object value) => new KeyValuePair<string, object> (key, value);

	public static void Run ()
	{
		GC.KeepAlive (ShopSource.It);
		GC.KeepAlive (load);
		Tally.Set ("meters", 2);
	}

	// 1200 orders at home and 300 abroad; 100 that took 1 to 100 ms; 7 wait; 40 series.
	public static void Measure ()
	{
		for (int i = 0; i < 1200; i++)
			placed.Add (1, Tag ("kind", "home"));
		placed.Add (300, Tag ("kind", "abroad"), Tag ("paid", true));
		revenue.Add (12.5);
		revenue.Add (0.25);
		waiting.Add (10);
		waiting.Add (-3);
		for (int i = 1; i <= 100; i++)
			took.Record (i, Tag ("kind", "home"));
		quiet.Add (5);
		for (int i = 0; i < 40; i++)
			many.Add (i, Tag ("series", i));
		Interlocked.Add (ref Sold, 77);
		Tally.Add ("placed home", 1200);
		Tally.Add ("placed abroad", 300);
		Tally.Add ("waiting", 7);
		Tally.Add ("took", 100);
		Tally.Add ("sold", 77);
	}
}

}
#endif
