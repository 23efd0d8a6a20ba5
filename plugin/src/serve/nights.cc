#include "serve/nights.h"

#include <fmt/format.h>

#include "core/gate/gate.h"
#include "prescope/error.h"
#include "report/gate_report.h"
#include "serve/stored_history.h"
#include "serve/version.h"
#include "store/store.h"

namespace prescope::serve {
namespace {

constexpr std::size_t kMostComparisons = 16;

std::string text_of(const HistoryReport& report) {
  std::string text;
  write_history_json(report, [&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

void Nights::look() {
  const FileStamp now(store_);
  if (stamp_ && *stamp_ == now) return;
  history_.reset();
  has_any_.reset();
  comparisons_.clear();
  stamp_.reset();
  if (now.is_settled()) stamp_ = now;
}

bool Nights::has_any() noexcept {
  try {
    look();
    if (!has_any_)
      has_any_ = !Store::open(store_, Store::Access::kRead).nights({.last = 1}).empty();
    had_any_ = *has_any_;
  } catch (const std::exception&) {
    // Asking for them says why.
  }
  return had_any_;
}

Nights::Text Nights::history() {
  look();
  if (!history_) {
    const Store store = Store::open(store_, Store::Access::kRead);
    const std::vector<Night> nights = store.nights();
    history_ = std::make_shared<const std::string>(
        text_of(history_report(store, store_.string(), nights, measures_of(nights), {})));
  }
  return history_;
}

Nights::Text Nights::compare(std::int64_t baseline, std::int64_t night) {
  look();
  const auto key = std::pair(baseline, night);
  if (const auto found = comparisons_.find(key); found != comparisons_.end()) return found->second;
  if (comparisons_.size() >= kMostComparisons) comparisons_.clear();
  const Store store = Store::open(store_, Store::Access::kRead);
  const GateReport report{.program = std::string(kVersion),
                          .store = store_.string(),
                          .evaluation = night,
                          .verdict = gate({.name = fmt::format("night {}", baseline),
                                           .number = baseline,
                                           .evaluation = store.evaluation(baseline)},
                                          store.evaluation(night), {})};
  return comparisons_[key] = std::make_shared<const std::string>(gate_json(report));
}

}  // namespace prescope::serve
