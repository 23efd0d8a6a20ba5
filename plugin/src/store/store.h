#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation_record.h"
#include "core/gate/gate.h"

namespace prescope {

/// An SQLite file that keeps observations, evaluations (nights), baselines and gate verdicts;
/// `docs/formats.md` documents it column by column. One process writes at a time, others may read
/// meanwhile. Not thread-safe: one object a thread.
class Store {
 public:
  enum class Access {
    kRead,   ///< the file must be there
    kWrite,  ///< made where it is missing; an older schema is migrated
  };
  /// Throws Error: kIo (missing, no permission, folder read-only), kBadInput (another program's
  /// file, damaged, of a newer prescope). A file that is refused is not touched.
  [[nodiscard]] static Store open(const std::filesystem::path& path, Access access);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// Returns its number, from 1. All or nothing; durable on return.
  std::int64_t add(const EvaluationRecord& record);
  /// Throws Error(kUsage) for a number that is not there.
  [[nodiscard]] EvaluationRecord evaluation(std::int64_t number) const;

  struct Night {
    std::int64_t number = 0;
    UtcTime time{};
    std::string arm{}, source{};
    std::uint32_t topics = 0;
    struct Mean {
      std::string measure{};
      std::optional<double> mean{};
      std::uint32_t topics = 0;
    };
    std::vector<Mean> means{};
    std::optional<double> p95_ms{};
    std::optional<GateOutcome> outcome{};  ///< of the last gate it went through
    std::string reason{};                  ///< of the first rule that did not hold
    std::vector<std::string> pinned_as{};  ///< baselines that it is or was
  };
  struct NightFilter {
    std::optional<std::string> arm{};
    std::optional<UtcTime> since{}, until{};
    std::optional<std::size_t> last{};  ///< only so many, the newest
  };
  /// Oldest first.
  [[nodiscard]] std::vector<Night> nights(const NightFilter& filter) const;
  [[nodiscard]] std::vector<Night> nights() const { return nights(NightFilter{}); }

  /// Who pinned what, when, why; nothing is ever deleted from it.
  struct Pin {
    std::string name{};
    std::int64_t evaluation = 0;
    std::optional<std::int64_t> replaced{};  ///< the evaluation that the name stood for before
    std::string by{}, why{};
    UtcTime time{};
    std::vector<MustFind> must_find{};
  };
  /// Adds the evaluation and pins it, or nothing. Returns the pin with its numbers.
  Pin pin(const EvaluationRecord& record, const Pin& request);
  /// Pins an evaluation that is there.
  Pin pin(const Pin& request);
  /// Oldest first.
  [[nodiscard]] std::vector<Pin> pins() const;
  /// What the name stands for now. Throws Error(kUsage) that lists the names there are.
  [[nodiscard]] Baseline baseline(std::string_view name) const;

  /// The verdict about an evaluation: outcome, rules and reasons.
  void add(std::int64_t evaluation, const GateVerdict& verdict);

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace prescope
