/* SPDX-License-Identifier: MIT */
// A web server whose requests have planted costs: what each route did is said at its end.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Linq;
using System.Runtime.InteropServices;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

// As the SQL client's own source, which no plain SDK has.
[EventSource (Name = "Microsoft.Data.SqlClient.EventSource")]
class Sql : EventSource {
	public static class Keywords {
		public const EventKeywords Execution = (EventKeywords) 1;
	}

	static int number;
	public static readonly Sql Log = new Sql ();

	[Event (1, Keywords = Keywords.Execution)]
	public void BeginExecute (int id, string server, string base_, string text) { WriteEvent (1, id, server, base_, text); }

	[Event (2, Keywords = Keywords.Execution)]
	public void EndExecute (int id, int state, int error) { WriteEvent (2, id, state, error); }

	public static void Ask (string text, Action work)
	{
		int id = Interlocked.Increment (ref number);
		Log.BeginExecute (id, "server", "base", text);
		work ();
		Log.EndExecute (id, 1, 0);
	}
}

struct Time {
	public long Seconds, Nanoseconds;
}

static class Requests {
	[DllImport ("libc"), SuppressGCTransition] static extern int clock_gettime (int clock, ref Time time);
	static readonly Dictionary<string, double> said = new Dictionary<string, double> ();
	static readonly object gate = new object ();

	static long Processor ()
	{
		var t = new Time ();
		clock_gettime (3, ref t);
		return t.Seconds * 1000000000 + t.Nanoseconds;
	}

	static void Say (string what, double n)
	{
		lock (said)
			said [what] = said.GetValueOrDefault (what) + n;
	}

	// Processor time of this thread.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static double Burn (string who, int ms)
	{
		double x = 1;
		long from = Processor (), now = from;
		for (; now - from < ms * 1000000L; now = Processor ())
			for (int i = 0; i < 20000; i++)
				x = Math.Sqrt (x * 1.0001 + i);
		Say (who + " burnt_ns", now - from);
		return x;
	}

	// Waits for a lock that another thread holds for so long.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Wait (string who, int ms)
	{
		using var held = new ManualResetEventSlim ();
		var holder = new Thread (() => {
			lock (gate) {
				held.Set ();
				Thread.Sleep (ms);
			}
		});
		holder.Start ();
		held.Wait ();
		long from = Stopwatch.GetTimestamp ();
		lock (gate)
			Say (who + " waited_ns", Stopwatch.GetElapsedTime (from).TotalMilliseconds * 1e6);
		Say (who + " waits", 1);
		holder.Join ();
	}

	static async Task<string> Overlap (int id)
	{
		Sql.Ask ("SELECT name FROM things WHERE id = " + id, () => { });
		await Task.Delay (20);
		Burn ("overlap", 1);
		return "ok";
	}

	static void Main ()
	{
		WebApplicationBuilder builder = WebApplication.CreateSlimBuilder ();
		builder.Logging.ClearProviders ();
		builder.WebHost.UseUrls ("http://127.0.0.1:0");
		WebApplication app = builder.Build ();
		app.MapGet ("/idle", () => "ok");
		app.MapGet ("/wait/{id}", (int id) => { Wait ("wait", 5); return "ok"; });
		app.MapGet ("/burn/{id}", (int id) => { Burn ("burn", 30); return "ok"; });
		app.MapGet ("/list/{id}", (int id) => {
			for (int i = 0; i < 21; i++)
				Sql.Ask ("SELECT * FROM lines WHERE owner = " + i + " AND kind = 'secret" + i + "'", () => Burn ("list", 1));
			Burn ("list", 9);
			return "ok";
		});
		app.MapGet ("/overlap/{id}", Overlap);
		app.MapGet ("/fail", IResult () => throw new InvalidOperationException ("as planned"));
		app.StartAsync ().Wait ();
		Console.WriteLine ("serves " + app.Urls.First ());
		Console.Out.Flush ();
		Console.In.ReadToEnd ();
		app.StopAsync ().Wait ();
		foreach (var pair in said)
			Console.WriteLine ("SAID " + pair.Key + " " + pair.Value.ToString ("F0", System.Globalization.CultureInfo.InvariantCulture));
	}
}
