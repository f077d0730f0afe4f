/* SPDX-License-Identifier: MIT */
// An HTTP server of the framework that does a bit of everything for each request, and counts them.
// It says where it listens, and how many it served once its standard input ends.
using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

static class Server {
	static readonly ConcurrentDictionary<string, byte[]> kept = new ConcurrentDictionary<string, byte[]> ();
	static readonly object gate = new object ();
	static int served, sum;

	static async Task Answer (HttpContext http)
	{
		int n = Interlocked.Increment (ref served);
		kept [(n % 500).ToString ()] = new byte [1000 + n % 3000];
		try {
			if (n % 7 == 0)
				throw new InvalidOperationException ("every seventh");
		} catch (InvalidOperationException) {
			Interlocked.Increment (ref sum);
		}
		await Task.Yield ();
		if (http.Request.Path == "/fail")
			throw new InvalidOperationException ("as asked");
		lock (gate)
			sum += Enumerable.Range (0, 50).Select (i => i ^ n).Sum () & 1;
		if (n % 1000 == 0)
			GC.Collect ();
		await http.Response.WriteAsync ("served " + n);
	}

	static async Task Main ()
	{
		var builder = WebApplication.CreateBuilder ();
		builder.Logging.ClearProviders ();
		builder.WebHost.UseUrls ("http://127.0.0.1:0");
		var app = builder.Build ();
		app.UseRouting ();
		app.UseEndpoints (ends => {
			ends.MapGet ("/orders/{id:int}", (int id) => "order " + id);
			ends.MapGet ("/slow/{ms:int}", async (int ms) => { await Task.Delay (ms); return "at last"; });
			ends.MapPost ("/broken/{name}", () => Results.StatusCode (503));
		});
		app.Run (Answer);
		await app.StartAsync ();
		Console.WriteLine ("ready " + app.Urls.First ());
		await Task.Run (() => Console.In.ReadToEnd ());
		await app.StopAsync ();
		Console.WriteLine ("served " + served);
	}
}
