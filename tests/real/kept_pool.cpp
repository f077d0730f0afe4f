/* SPDX-License-Identifier: MIT */
// A pool of threads whose tasks throw and catch.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

class pool {
public:
	explicit pool(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			threads.emplace_back([this] { run(); });
	}

	~pool()
	{
		add({});
		for (std::thread &t : threads)
			t.join();
	}

	void add(std::function<void()> task)
	{
		std::lock_guard<std::mutex> hold(lock);
		tasks.push(std::move(task));
		wake.notify_all();
	}

private:
	void run()
	{
		for (;;) {
			std::unique_lock<std::mutex> hold(lock);
			wake.wait(hold, [this] { return !tasks.empty(); });
			std::function<void()> task = tasks.front();
			if (!task)
				return;
			tasks.pop();
			hold.unlock();
			try {
				task();
			} catch (const std::exception &) {
				failed++;
			}
		}
	}

	std::mutex lock;
	std::condition_variable wake;
	std::queue<std::function<void()>> tasks;
	std::vector<std::thread> threads;
	std::atomic<unsigned> failed{};
};

__attribute__((noinline)) size_t look_up(std::map<std::string, size_t> &m, int depth, size_t n)
{
	std::string key = std::to_string(n * 2654435761U % 1000);
	m[key] += n;
	if (depth > 0)
		return look_up(m, depth - 1, n + 1) + key.size();
	if (n % 3 == 0)
		throw std::out_of_range(key);
	return m.size();
}

void work(size_t n)
{
	std::map<std::string, size_t> m;
	for (size_t i = 0; i < 400; i++) {
		try {
			look_up(m, 6, n + i);
		} catch (const std::out_of_range &) {
			m.erase(m.begin());
		}
	}
	throw std::runtime_error("done");
}

}

int main()
{
	pool p(4);
	for (size_t i = 0; i < 900; i++)
		p.add([i] { work(i); });
	return 0;
}
