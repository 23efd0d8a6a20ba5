#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluation_record.h"
#include "core/gate/gate.h"

namespace prescope {

/// A stored evaluation in one line: what a history lists.
struct Night {
  std::int64_t number = 0;
  UtcTime time{};
  std::string arm{}, source{};
  std::string qrels{};  ///< hash of its judgements; means under others are not comparable
  std::uint32_t topics = 0;
  struct Mean {
    std::string measure{};
    std::optional<double> mean{};
    std::uint32_t topics = 0;
    friend bool operator==(const Mean&, const Mean&) = default;
  };
  std::vector<Mean> means{};
  std::optional<double> p95_ms{};
  std::optional<GateOutcome> outcome{};  ///< of the last gate it went through
  std::string reason{};                  ///< of the first rule that did not hold
  /// What the last gate compared it with: the baseline's name, and the evaluation that the name
  /// stood for then. Empty where it was not gated.
  std::string baseline{};
  std::optional<std::int64_t> baseline_number{};
  std::vector<std::string> pinned_as{};  ///< baselines that it is or was
};

/// Who pinned what, when, why.
struct Pin {
  std::string name{};
  std::int64_t evaluation = 0;
  std::optional<std::int64_t> replaced{};  ///< the evaluation that the name stood for before
  std::string by{}, why{};
  UtcTime time{};
  std::vector<MustFind> must_find{};
};

}  // namespace prescope
