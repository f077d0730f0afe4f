/* SPDX-License-Identifier: MIT */
// A program that has as many child processes at one time as its argument says, and waits for them.
using System;
using System.Collections.Generic;
using System.Diagnostics;

static class Children
{
	static int Main(string[] args)
	{
		var children = new List<Process>();
		for (int i = 0; i < int.Parse(args[0]); i++)
			children.Add(Process.Start(new ProcessStartInfo("sleep", "0.6")
				{ UseShellExecute = false }));
		foreach (var child in children)
			child.WaitForExit();
		return 0;
	}
}
