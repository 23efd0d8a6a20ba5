#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/request_target.h"
#include "serve/site/nights.h"
#include "serve/site/source.h"
#include "serve/site/topic_list.h"

namespace prescope::serve {

/// What /api/summary gives, made once for each picture. Not thread-safe.
class SummaryDocument {
 public:
  /// The same pointer while it says the same.
  [[nodiscard]] std::shared_ptr<const std::string> text(Source& source,
                                                        std::optional<Nights>& nights);

 private:
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const Summary> of_;
  bool has_history_ = false;
};

/// What is said of an experiment, as text, made once for as long as nothing is new. Not
/// thread-safe.
class ExperimentDocuments {
 public:
  using Text = std::shared_ptr<const std::string>;

  /// `source`, which has an experiment, must outlive this.
  explicit ExperimentDocuments(Source& source) : source_(source) {}

  [[nodiscard]] Text series();
  [[nodiscard]] Text metrics();
  /// Parameters as `docs/http-json.md` has them; throw Error(kUsage).
  [[nodiscard]] Text topics(const Parameters& parameters);
  [[nodiscard]] Text sweep(const Parameters& parameters);
  /// Draws judgements away and tests two arms again; made anew whenever it is asked for.
  [[nodiscard]] Text robustness(const Parameters& parameters);
  /// Null for a topic that is not there. `shown`: the topic's id as documents show it.
  [[nodiscard]] Text topic(const std::string& shown);
  /// The id of a topic that was seen which is most like it; empty where none was.
  [[nodiscard]] std::string nearest_topic(std::string_view shown);

  static constexpr std::array<std::string_view, 8> kTopicsParameters = {
      "measure", "a", "b", "sort", "order", "page", "size", "search"};
  static constexpr std::array<std::string_view, 1> kSweepParameters = {"count"};
  static constexpr std::array<std::string_view, 4> kRobustnessParameters = {"a", "b", "unknown",
                                                                            "samples"};

 private:
  /// Takes the summary with every topic as it is now, and forgets what was made of an older one.
  const Summary& every_topic();
  [[nodiscard]] TopicQuery query_of(const Parameters& parameters);
  [[nodiscard]] std::string topic_text(const TopicDetail& topic);
  [[nodiscard]] std::optional<TopicDetail> with_bad_bytes(const std::string& shown);

  Source& source_;
  std::shared_ptr<const Summary> every_topic_;
  std::optional<TopicList> list_;
  Text metrics_;
  std::map<std::size_t, Text> sweeps_;  // by count
  UtcTime series_up_to_{};
  Text series_;
};

}  // namespace prescope::serve
