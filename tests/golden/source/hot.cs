// SPDX-License-Identifier: MIT
namespace Hot
{
	static class Program
	{
		// The caller: its own line has two samples.
		static uint Run(int turns)
		{
			uint all = 0;
			for (int i = 0; i < turns; i++)
				all += Mix((uint)i) + Sum(data);
			return all;
		}

		// Hottest: line 19.
		static uint Mix(uint x)
		{
			for (int i = 0; i < 1000; i++)
				x = x * 1664525u + 1013904223u;
			x ^= x >> 7;
			return x;
		}

		static uint Sum(uint[] values)
		{
			uint sum = 0; // "a tab	and a bell: \x07"
			foreach (uint v in values)
				sum += v;
			return sum;
		}

		static readonly uint[] data = new uint[64];
	}
}
