#pragma once

#include <string>
#include <vector>

#include "options.h"
#include "prescope/qrels.h"

namespace live_ab {

/// A synthetic patent, as it is indexed.
struct Patent {
  std::string docno, title, text;
};

struct TopicQuery {
  prescope::TopicId topic;
  std::string text;
};

/// Patents, the queries of users, and the citations of the patent office.
struct Corpus {
  std::vector<Patent> patents;
  std::vector<TopicQuery> judged;
  std::vector<std::string> unjudged;  ///< texts of unjudged queries
  prescope::Qrels citations;
};

/// The same options give the same corpus. Throws std::invalid_argument if there are too few
/// documents for the topics.
[[nodiscard]] Corpus make_corpus(const Options& options);

}  // namespace live_ab
