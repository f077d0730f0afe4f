/* SPDX-License-Identifier: MIT */
// A service that computes, and answers each line on a socket of its own. It says where it listens; the line
// "end" ends it with 7.
using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;

static class Filters {
	static volatile bool over;
	static long sum;

	static int Fib (int n)
	{
		return n < 2 ? n : Fib (n - 1) + Fib (n - 2);
	}

	static void Work ()
	{
		while (!over) {
			sum += Fib (20) + new byte [1000].Length;
			Thread.Sleep (1);
		}
	}

	static int Main ()
	{
		var worker = new Thread (Work);
		worker.Start ();
		using var listener = new Socket (AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
		listener.Bind (new IPEndPoint (IPAddress.Loopback, 0));
		listener.Listen (8);
		Console.WriteLine (((IPEndPoint) listener.LocalEndPoint).Port);
		var room = new byte [64];
		int served = 0;
		while (!over) {
			using var client = listener.Accept ();
			int n = client.Receive (room);
			string line = Encoding.ASCII.GetString (room, 0, n).Trim ();
			over = line == "end";
			served++;
			client.Send (Encoding.ASCII.GetBytes (over ? "over\n" : Fib (int.Parse (line)) + "\n"));
		}
		worker.Join ();
		Console.WriteLine ("served " + served);
		return 7;
	}
}
