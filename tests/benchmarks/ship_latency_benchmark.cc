// The latency of searches while their host ships its store, over the latency of the same searches
// without: prescope_ship_latency_benchmark [PAIRS] [QUERIES] [MILLISECONDS]. Blocks of queries
// alternate; a coin says which of a pair comes first. The shipper looks into the store at this
// interval, and sends what was observed without it, too. The database is on the same machine.
#include <fmt/format.h>

#include <cstdlib>

#include "benchmarks/large_index.h"
#include "prescope/experiment.h"
#include "prescope/lucenepp/observed_index.h"
#include "prescope/shipper.h"
#include "statistics/effect_size.h"
#include "support/clickhouse_server.h"
#include "support/ledger_traffic.h"
#include "support/scratch_file.h"

namespace prescope::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kDepth = 1000;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// A host that searches with one thread.
class Host {
 public:
  explicit Host(const std::filesystem::path& store)
      : experiment_(citations(), {.arms = {"a"}, .logs = {log_to_store(store)}}),
        index_(LargeIndex::instance().reader(), experiment_),
        searcher_(index_.searcher("a")) {}

  /// Returns the seconds of each search.
  std::vector<double> search(std::uint32_t first, std::uint32_t queries) {
    std::vector<double> seconds;
    for (std::uint32_t i = first; i < first + queries; ++i) {
      const auto began = Clock::now();
      {
        const QueryScope scope(experiment_, TopicId(fmt::format("T{}", i % 500)));
        searcher_->search(LargeIndex::query(i * 1999 % LargeIndex::kDocuments), kDepth);
      }
      seconds.push_back(std::chrono::duration<double>(Clock::now() - began).count());
    }
    return seconds;
  }

 private:
  Experiment experiment_;
  lucenepp::ObservedIndex index_;
  lucenepp::ObservedSearcherPtr searcher_;
};

void print(const std::vector<double>& logs, double off_ms, std::uint64_t shipped) {
  const auto n = static_cast<double>(logs.size());
  double sum = 0.0, squares = 0.0;
  for (const double log : logs) sum += log;
  for (const double log : logs) squares += (log - sum / n) * (log - sum / n);
  const double half = student_t_quantile(0.975, n - 1) * std::sqrt(squares / (n - 1) / n);
  fmt::print("a search {:.2f} ms; {} observations shipped\n", off_ms, shipped);
  fmt::print("with over without, {} pairs of medians: {:.4f}, 95 % [{:.4f}, {:.4f}]\n", logs.size(),
             std::exp(sum / n), std::exp(sum / n - half), std::exp(sum / n + half));
}

void run(std::uint32_t pairs, std::uint32_t queries, std::chrono::milliseconds interval) {
  const ClickHouseServer server(std::filesystem::temp_directory_path());
  server.make_tables();
  const ScratchFolder folder;
  const auto store = folder.path() / "host.db";
  Host host(store);
  host.search(0, queries);
  Dice dice(1);
  std::vector<double> logs, off_ms;
  std::uint64_t shipped = 0;
  const auto block = [&](bool ships, std::uint32_t first) {
    std::optional<Shipper> shipper;
    if (ships) {
      shipper.emplace(store,
                      ShipOptions{.to = server.url(), .server = "host", .interval = interval});
    }
    const double seconds = median(host.search(first, queries));
    if (ships) shipped += shipper->progress().shipped;
    return seconds;
  };
  for (std::uint32_t pair = 1; pair <= pairs; ++pair) {
    const bool is_first = dice.one_in(2);
    const double one = block(is_first, pair * queries), other = block(!is_first, pair * queries);
    logs.push_back(is_first ? std::log(one / other) : std::log(other / one));
    off_ms.push_back(1e3 * (is_first ? other : one));
  }
  print(logs, median(off_ms), shipped);
}

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) {
  const auto number = [&](int i, std::uint32_t otherwise) {
    return argc > i ? static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  prescope::benchmarks::run(number(1, 60), number(2, 100),
                            std::chrono::milliseconds(number(3, 1000)));
}
