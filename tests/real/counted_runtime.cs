/* SPDX-License-Identifier: MIT */
// What only .NET tells: objects that move, native code, loads in vain, code of several kinds.
using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Counted {

class Settler {
	public long Number;
	public Settler Next;
	public string Label;
	public Spot Place;
}

struct Spot {
	public int X;
	public object Owner;
}

struct Box2<T> { public long Number; public T Value; }

class Parts {
	public KeyValuePair<string, Spot> Pair;
	public (int, string) Tuple;
	public Spot? Maybe;
	public KeyValuePair<int [], Box2<string>> Pieces;
	public ReadOnlyMemory<char> Slice;
}

class Heir : Settler {
	public object Extra;
}

unsafe static class Native {
	[DllImport ("libc")]
	static extern int abs (int n);

	[DllImport ("libc")]
	static extern void qsort (int* at, nint n, nint size, delegate* unmanaged<int*, int*, int> less);

	static int compared;

	[UnmanagedCallersOnly]
	static int Compare (int* a, int* b)
	{
		compared++;
		return *a - *b;
	}

	public static void Run ()
	{
		int sum = 0;
		for (int i = 0; i < 200; i++)
			sum += abs (-i);
		Tally.Add ("native Counted.Native:abs (int)", 200);
		int* some = stackalloc int [16];
		for (int i = 0; i < 16; i++)
			some [i] = 16 - i;
		qsort (some, 16, 4, &Compare);
		Tally.Add ("managed Counted.Native:Compare (int*,int*)", compared);
	}
}

// As the SQL client's own source, which no plain SDK has.
[EventSource (Name = "Microsoft.Data.SqlClient.EventSource")]
class Sql : EventSource {
	public static class Keywords {
		public const EventKeywords Execution = (EventKeywords) 1;
	}

	public static readonly Sql Log = new Sql ();

	[Event (1, Keywords = Keywords.Execution)]
	public void BeginExecute (int id, string server, string base_, string text)
	{
		WriteEvent (1, id, server, base_, text);
	}

	[Event (2, Keywords = Keywords.Execution)]
	public void EndExecute (int id, int state, int error) { WriteEvent (2, id, state, error); }
}

static class Work {
	public static void Run ()
	{
		var listener = new TcpListener (IPAddress.Loopback, 0);
		listener.Start ();
		int port = ((IPEndPoint) listener.LocalEndpoint).Port;
		var served = new Thread (() => Serve (listener, 4));
		served.Start ();
		using (var client = new HttpClient ()) {
			for (int i = 0; i < 4; i++) {
				string at = "http://127.0.0.1:" + port + "/page" + i;
				client.GetStringAsync (at).Wait ();
				Tally.Add ("span HTTP " + at, 1);
			}
			served.Join ();
			listener.Stop ();
			try {
				client.GetStringAsync ("http://127.0.0.1:" + port + "/gone").Wait ();
			} catch (AggregateException) {
				Tally.Add ("failed HTTP http://127.0.0.1:" + port + "/gone", 1);
			}
		}
		for (int i = 0; i < 3; i++) {
			Sql.Log.BeginExecute (i, "server", "base", "SELECT " + i);
			Sql.Log.EndExecute (i, i == 2 ? 0 : 1, 0);
			Tally.Add ((i == 2 ? "failed" : "span") + " SQL SELECT ?", 1);
		}
	}

	static void Serve (TcpListener listener, int times)
	{
		byte [] answer = Encoding.ASCII.GetBytes (
			"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
		for (int i = 0; i < times; i++) {
			using (TcpClient peer = listener.AcceptTcpClient ()) {
				NetworkStream s = peer.GetStream ();
				var line = new StreamReader (s);
				while (line.ReadLine () != "")
					;
				s.Write (answer, 0, answer.Length);
			}
		}
	}
}

// Every kind of work once or a few times, also on other threads, nested, and in vain.
static class Files {
	public static void Run ()
	{
		string folder = Directory.CreateTempSubdirectory ("counted-").FullName;
		string a = Path.Combine (folder, "a\u00e9"), b = Path.Combine (folder, "b");
		var bytes = new byte [100];
		using (var handle = File.OpenHandle (a, FileMode.CreateNew, FileAccess.ReadWrite)) {
			for (int i = 0; i < 7; i++)
				RandomAccess.Write (handle, bytes, 100 * i);
			for (int i = 0; i < 5; i++)
				RandomAccess.Read (handle, bytes, 100 * i);
			Did ("flush", a, 1);
			RandomAccess.FlushToDisk (handle);
		}
		using (var stream = new FileStream (a, FileMode.Open, FileAccess.Read, FileShare.Read, 0, true))
			for (int i = 0; i < 3; i++)
				stream.ReadAsync (bytes, 0, 50).Wait ();
		Did ("write", a, 7);
		Did ("read", a, 5 + 3);
		File.Copy (a, b);
		Did ("copy", a, 1);
		File.Delete (a);
		File.Delete (b);
		Did ("delete", a, 1);
		Did ("delete", b, 1);
		for (int i = 0; i < 4; i++) {
			try {
				File.OpenRead (b);
			} catch (FileNotFoundException) {
				Tally.Add ("failed file open " + b, 1);
			}
		}
		Did ("open", a, 2);
		Did ("close", a, 2);
		Directory.Delete (folder);
		Did ("remove directory", folder, 1);
	}

	static void Did (string verb, string path, int times)
	{
		Tally.Add ("span file " + verb + " " + path, times);
	}
}

static class Runtime {
	static Settler first;

	static long Address (object o) { return (long) Unsafe.As<object, IntPtr> (ref o); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static object Fill ()
	{
		object junk = null;
		for (int i = 0; i < 300; i++) {
			first = new Settler { Number = i, Next = first };
			junk = new byte [200];
		}
		return junk;
	}

	// Where objects lay and lie, by number; those that moved are told.
	public static void Moves ()
	{
		Fill ();
		var before = new long [300];
		for (Settler k = first; k != null; k = k.Next)
			before [k.Number] = Address (k);
		GC.Collect (2, GCCollectionMode.Forced, true, true);
		for (Settler k = first; k != null; k = k.Next)
			if (Address (k) != before [k.Number])
				Tally.Set ("moved " + before [k.Number], Address (k));
	}

	public static void Missing ()
	{
		for (int i = 0; i < 3; i++) {
			try {
				Assembly.Load ("No.Such.Library" + i);
			} catch (System.IO.FileNotFoundException) {
				Tally.Add ("missing No.Such.Library" + i, 1);
			}
		}
	}

	[MethodImpl (MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
	static int Fast (int n) { return n * 3; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Plain (int n) { return n * 5; }

	public static void Code ()
	{
		int sum = Fast (1) + Plain (2);
		for (int i = 0; i < 10; i++) {
			var made = new DynamicMethod ("Made" + i, typeof (int), new [] { typeof (int) });
			ILGenerator il = made.GetILGenerator ();
			il.Emit (OpCodes.Ldarg_0);
			il.Emit (OpCodes.Ret);
			sum += ((Func<int, int>) made.CreateDelegate (typeof (Func<int, int>))) (i);
			Tally.Add ("made Made" + i, 1);
		}
		Tally.Set ("sum", sum);
	}

	static Heir shown;

	public static void Names ()
	{
		shown = new Heir { Label = "a label that is long", Next = new Settler () };
		shown.Place.Owner = new Settler { Label = "caf\u00e9" };
		var all = new object [20];
		all [0] = shown.Place;
		all [1] = new Spot { Owner = "in a box" };
		all [7] = "seventh";
		var spots = new Spot [5];
		spots [3].Owner = "of the third";
		all [8] = spots;
		all [9] = new Box<Spot> { Value = new Spot { Owner = "in a generic" } };
		all [10] = new Parts {
			Pair = new KeyValuePair<string, Spot> ("first", new Spot { Owner = "in a pair" }),
			Tuple = (1, "in a tuple"),
			Maybe = new Spot { Owner = "perhaps" },
			Pieces = new KeyValuePair<int [], Box2<string>> (new int [1], new Box2<string> { Value = "within two" }),
			Slice = "of a library's".AsMemory (),
		};
		all [11] = new Dictionary<string, Spot> { ["its key"] = new Spot { Owner = "its value" } };
		shown.Extra = all;
	}
}

}
