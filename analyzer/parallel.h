// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace trapline {

// Calls work(state, i) once for each i below `count`, on up to `jobs` threads. Each thread has one `state`, from
// make_state(). The first exception is thrown here, when all threads have ended.
template <typename MakeState, typename Work>
void for_each_job(std::size_t count, unsigned jobs, const MakeState& make_state, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(std::max(1u, jobs));
  auto run = [&](std::size_t job) {
    try {
      auto state = make_state();
      for (std::size_t i = next++; i < count; i = next++) work(*state, i);
    } catch (...) {
      failures[job] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  const std::size_t used = std::min<std::size_t>(failures.size(), count);
  for (std::size_t job = 1; job < used; ++job) threads.emplace_back(run, job);
  run(0);
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace trapline
