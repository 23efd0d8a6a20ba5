#include "cli/trec_eval_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/trec_eval/requests.h"

namespace prescope::cli {
namespace {

constexpr std::string_view kOptions =
    R"(Prints what trec_eval 10 prints for a TREC run file.

Usage: prescope trec_eval [OPTIONS] QRELS RUN

QRELS and RUN are plain or gzip; RUN may be '-' for standard input.

  -q, --query_eval_wanted         values of each topic before those of all
  -n, --nosummary                 no values of all topics
  -m, --measure M[.PARAMETERS]    a measure; may be given again (official)
  -c, --complete_rel_info_wanted  a judged topic that the run has not counts 0
  -l, --level_for_rel N           grade from which a document is relevant (1)
  -M, --Max_retrieved_per_topic N documents that count; the rest was not retrieved (all)
  -J, --Judged_docs_only          remove documents that nobody judged
  -N, --Number_docs_in_coll N     documents in the collection, for utility and Rnorm
  -Z, --Zscore FILE               values in standard deviations from the means in FILE
  -R, --Rel_info_format qrels     the only one
  -T, --Results_format trec_results  the only one
  -h, --help                      this text; with -m what a measure means
  -v, --version
      --threads N                 threads that read run and qrels (1); not an option of trec_eval

-m takes 'official', 'set', 'all_trec', one of the measures below, with parameters as in P.5,10 or
ndcg.1=3,2=9, or a measure of prescope's own, as in PRES.100,1000 or PRES@100.

)";

constexpr std::string_view kExample =
    R"(
Example:
  prescope trec_eval -q -m official -m PRES.100 qrels.txt run.txt
)";

/// The name, and behind it the meaning in lines that fit a terminal.
std::string entry(std::string_view name, std::string_view meaning) {
  constexpr std::size_t kNameWidth = 24, kWidth = 98;
  std::string text, line = fmt::format("  {:<{}}", name, kNameWidth - 2);
  while (!meaning.empty()) {
    const std::string_view word = meaning.substr(0, meaning.find(' '));
    if (line.size() + 1 + word.size() > kWidth) {
      text += line + '\n';
      line.assign(kNameWidth, ' ');
    }
    line += ' ';
    line += word;
    meaning.remove_prefix(std::min(meaning.size(), word.size() + 1));
  }
  return text + line + '\n';
}

std::string all_families() {
  std::string text = "Measures:\n";
  for (const trec_eval::Family* family : trec_eval::family_table()) {
    text += entry(family->name, family->meaning);
  }
  return text;
}

}  // namespace

std::string trec_eval_help(std::span<const std::string> measures) {
  if (measures.empty()) return fmt::format("{}{}{}", kOptions, all_families(), kExample);
  std::string text;
  const trec_eval::Requests requests = trec_eval::parse_requests(measures);
  for (const trec_eval::Request& request : requests.families) {
    text += entry(request.family->name, request.family->meaning);
  }
  for (const Measure& measure : requests.own) {
    text += entry(measure.name(), measure.definition().meaning);
  }
  return text;
}

}  // namespace prescope::cli
