/* SPDX-License-Identifier: MIT */
// What Mono's attach agent loads into a running program: it lets go of the agent's sockets, loads the
// profiler module that lies beside it, and starts it. Nothing of it runs afterwards.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

static class AttachAgent
{
	const string Module = "libmono-profiler-profview.so";
	const string Entry = "mono_profiler_init_profview";
	const int Now = 2, ReadAndWrite = 2, Unix = 1, PathAt = 2;

	[DllImport("libc")] static extern int getsockname(int fd, byte[] address, ref int length);
	[DllImport("libc")] static extern int shutdown(int fd, int how);
	[DllImport("libc")] static extern int getpid();
	[DllImport("libdl.so.2")] static extern IntPtr dlopen(string file, int how);
	[DllImport("libdl.so.2")] static extern IntPtr dlsym(IntPtr library, string name);

	[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
	delegate void Start(string text);

	// The agent's thread waits in calls that a garbage collection would wait for in turn, for ever.
	static void EndAgent()
	{
		string ending = "/.mono-" + getpid();
		for (int fd = 0; fd < 4096; fd++) {
			byte[] address = new byte[110];
			int length = address.Length;
			if (getsockname(fd, address, ref length) != 0 || address[0] != Unix || length <= PathAt)
				continue;
			string path = Encoding.ASCII.GetString(address, PathAt, Math.Min(length, address.Length) - PathAt);
			if (path.TrimEnd('\0').EndsWith(ending))
				shutdown(fd, ReadAndWrite);
		}
	}

	static Start Find()
	{
		string folder = Path.GetDirectoryName(typeof(AttachAgent).Assembly.Location);
		IntPtr library = dlopen(Path.Combine(folder, Module), Now);
		IntPtr entry = library == IntPtr.Zero ? IntPtr.Zero : dlsym(library, Entry);
		return entry == IntPtr.Zero ? null
			: (Start)Marshal.GetDelegateForFunctionPointer(entry, typeof(Start));
	}

	// "6.8.0.105 (Debian ...)": earlier runtimes than 6 do not understand the line we are called by.
	static bool IsVersion6()
	{
		var runtime = Type.GetType("Mono.Runtime");
		var name = runtime == null ? null
			: runtime.GetMethod("GetDisplayName", BindingFlags.NonPublic | BindingFlags.Static);
		return name != null && ((string)name.Invoke(null, null)).StartsWith("6.");
	}

	// "check": whether all this can be done in this runtime; else the module's options.
	static int Main(string[] words)
	{
		if (words.Length != 1)
			return 2;
		if (words[0] == "check") {
			EndAgent();
			return !IsVersion6() ? 3 : Find() == null ? 1 : 0;
		}
		EndAgent();
		Start start = Find();
		if (start == null)
			return 1;
		start("profview:" + words[0]);
		return 0;
	}
}
