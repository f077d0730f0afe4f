/* SPDX-License-Identifier: MIT */
// Events of .nettrace files by provider and number, as TraceEvent reads them: made tests/golden/traceevent.json.
// A project with the package Microsoft.Diagnostics.Tracing.TraceEvent 4.0.0 and nothing else runs it; tests do not.
using System;
using System.Collections.Generic;
using Microsoft.Diagnostics.Tracing;
foreach (string file in args) {
  var counts = new SortedDictionary<string, long> (StringComparer.Ordinal);
  try {
    using var source = new EventPipeEventSource (file);
    source.AllEvents += e => { string k = e.ProviderName + " " + (int) e.ID; counts.TryGetValue (k, out long n); counts [k] = n + 1; };
    source.Process ();
    Console.WriteLine (file + " lost=" + source.EventsLost);
  } catch (Exception e) { Console.WriteLine (file + " failed " + e.GetType ().Name + " " + e.Message); }
  foreach (var c in counts) Console.WriteLine (c.Key + "=" + c.Value);
}
