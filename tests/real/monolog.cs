/* SPDX-License-Identifier: MIT */
// Reads a log with Mono's own library, Mono.Profiler.Log, and says how many events of each type it
// met, by type of event: "EnterEvent=12". In both orders the library knows: as they stand in the
// file, and sorted by time between sync points.
using System;
using System.Collections.Generic;
using System.IO;
using Mono.Profiler.Log;

class Counter : LogEventVisitor {
	public readonly SortedDictionary<string, long> Count = new SortedDictionary<string, long> ();
	readonly Dictionary<long, Stack<long>> stacks = new Dictionary<long, Stack<long>> ();
	readonly HashSet<long> named = new HashSet<long> ();
	readonly HashSet<long> used = new HashSet<long> ();
	public long Mismatches;

	public long Nameless {
		get {
			long n = 0;
			foreach (var m in used)
				n += named.Contains (m) ? 0 : 1;
			return n;
		}
	}

	public override void VisitBefore (LogEvent ev)
	{
		var name = ev.GetType ().Name;
		long n;
		Count.TryGetValue (name, out n);
		Count [name] = n + 1;
	}

	Stack<long> StackOf (LogEvent ev)
	{
		Stack<long> s;
		if (!stacks.TryGetValue (ev.Buffer.ThreadId, out s))
			stacks [ev.Buffer.ThreadId] = s = new Stack<long> ();
		return s;
	}

	void Leave (LogEvent ev, long method)
	{
		var s = StackOf (ev);
		if (s.Count == 0 || s.Pop () != method)
			Mismatches++;
	}

	public override void Visit (EnterEvent ev)
	{
		used.Add (ev.MethodPointer);
		StackOf (ev).Push (ev.MethodPointer);
	}

	public override void Visit (LeaveEvent ev)
	{
		Leave (ev, ev.MethodPointer);
	}

	public override void Visit (ExceptionalLeaveEvent ev)
	{
		Leave (ev, ev.MethodPointer);
	}

	public override void Visit (JitEvent ev)
	{
		named.Add (ev.MethodPointer);
	}
}

static class Program {
	static int Main (string[] args)
	{
		var plain = new Counter ();
		var sorted = new Counter ();
		using (var file = File.OpenRead (args [0]))
		using (var stream = new LogStream (file))
			new LogProcessor (stream, plain, sorted).Process ();
		foreach (var c in plain.Count) {
			long n;
			sorted.Count.TryGetValue (c.Key, out n);
			Console.WriteLine ("{0}={1}", c.Key, c.Value);
			if (n != c.Value)
				Console.WriteLine ("sorted {0}={1}", c.Key, n);
		}
		Console.WriteLine ("mismatches={0}", plain.Mismatches);
		Console.WriteLine ("sorted mismatches={0}", sorted.Mismatches);
		Console.WriteLine ("nameless={0}", plain.Nameless);
		return 0;
	}
}
