#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/evaluation_record.h"
#include "prescope/measure.h"
#include "prescope/types.h"

namespace prescope {

/// What tonight's evaluation must hold to pass. As TOML: `docs/gate.md`.
struct GateRules {
  struct Decision {
    Measure measure;
    double margin = 0.01;  ///< largest mean loss that is accepted, (0, 1)
  };
  /// Catastrophes: of these topics, not of topics like these; no chance is involved.
  struct Catastrophe {
    bool must_find = true;  ///< a pinned citation lost
    bool emptied = true;    ///< a topic whose recall fell to 0
    std::vector<TopicId> emptied_allowed{};
    double hard_loss_share = 0.01;  ///< topics that lost a citation from the first 80 % of N_max
    double fall = 0.2;              ///< topics whose PRES fell by this much or more ...
    double fall_share = 0.01;       ///< ... and how many of them are accepted, one at least
  };
  struct Latency {
    std::optional<double> p95_ratio = 1.2;  ///< tonight over baseline; nothing: not looked at
  };
  struct Input {
    double judged_found_fall = 0.01;  ///< share of judged docnos in the index, at most this below
    double documents_change = 0.2;    ///< relative, either way
    std::uint32_t topics_missing = 0;
    double duplicates_share = 0.001;  ///< of hits
  };

  /// Empty: PRES and R at the first cutoff of the baseline's PRES.
  std::vector<Decision> decisions{};
  double margin = 0.01;      ///< of those that name none
  double confidence = 0.95;  ///< one-sided, of non-inferiority and of latency
  Catastrophe catastrophe{};
  Latency latency{};
  Input input{};
};

/// A citation that must be found, whatever the means say.
struct MustFind {
  TopicId topic{};
  Docno docno{};
  friend bool operator==(const MustFind&, const MustFind&) = default;
};

/// A pinned evaluation.
struct Baseline {
  std::string name{};
  EvaluationRecord evaluation{};
  std::vector<MustFind> must_find{};
  std::string pinned_by{}, why{};
  UtcTime pinned{};
};

}  // namespace prescope
