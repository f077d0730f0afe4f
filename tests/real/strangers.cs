/* SPDX-License-Identifier: MIT */
/*
 * One thread allocates objects, another one makes handles of them, throws them and contends for their
 * locks, while a small nursery has all addresses used again and again. Prints how often that was done
 * to objects of each class: "handles NAME N", "thrown NAME N", "contended NAME N". They stay alive.
 */
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

class Alpha : Exception { public long a; }
class Beta : Exception { public long a, b; }
class Gamma : Exception { public long a, b, c; }
class Litter { public long a, b; }

class Strangers {
	const int Objects = 600;
	static readonly List<Exception> kept = new List<Exception> ();
	static readonly List<GCHandle> handles = new List<GCHandle> ();
	static volatile Exception given;
	static volatile bool over;
	static object litter;

	static void Work ()
	{
		while (!over) {
			Exception o = given;
			if (o == null) {
				Thread.Yield ();
				continue;
			}
			handles.Add (GCHandle.Alloc (o, GCHandleType.Normal));
			try {
				throw o;
			} catch (Exception) {
			}
			lock (o)
				given = null;
		}
	}

	static Exception Make (int i)
	{
		switch (i % 3) {
		case 0: return new Alpha ();
		case 1: return new Beta ();
		default: return new Gamma ();
		}
	}

	static void Main ()
	{
		var made = new Dictionary<string, int> ();
		var worker = new Thread (Work);
		worker.Start ();
		for (int i = 0; i < Objects; i++) {
			for (int k = i % 40; k < 300; k++)
				litter = new Litter ();
			Exception o = Make (i);
			kept.Add (o);
			lock (o) {
				given = o;
				/* It waits for the lock then, and for nothing else. */
				while ((worker.ThreadState & ThreadState.WaitSleepJoin) == 0)
					Thread.Yield ();
			}
			while (given != null)
				Thread.Yield ();
			int n;
			made.TryGetValue (o.GetType ().Name, out n);
			made [o.GetType ().Name] = n + 1;
		}
		over = true;
		worker.Join ();
		foreach (var name in made.Keys) {
			Console.WriteLine ("handles {0} {1}", name, made [name]);
			Console.WriteLine ("thrown {0} {1}", name, made [name]);
			Console.WriteLine ("contended {0} {1}", name, made [name]);
		}
	}
}
