#include "studies/retrievability.h"

#include <iterator>

#include "base/errors.h"
#include "base/text_file.h"
#include "base/threads.h"
#include "judgements/judgement_line.h"
#include "runs/read_runs.h"
#include "runs/scan/topics_of_run.h"
#include "store/sessions/captured_rankings.h"

namespace prescope {

namespace {

/// The first column of each line that is not blank and no comment.
void read_documents(const std::string& path, const DocnoNormalizer& docnos,
                    DocumentNumbers& documents) {
  TextFile file(path);
  DocnoBuffer buffer;
  for (std::string_view line; file.next(line);) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) continue;
    const std::string_view docno = text.substr(0, text.find_first_of(" \t"));
    (void)documents.number(docnos.key(docno, buffer));
  }
  if (documents.size() == 0) {
    throw bad_input_error("{}: no documents; expected a docno on each line", path);
  }
}

/// The documents that one run retrieves, judged or not, by key.
struct CountedRun {
  DocumentNumbers documents{};
  RetrievabilityScores scores{};
};

/// Keeps only the documents in memory, unless topics are scattered over the file.
CountedRun count_run(const std::string& path, const RetrievabilityRequest& request,
                     const DocnoNormalizer& docnos) {
  CountedRun run;
  DocnoBuffer buffer;
  TopicReading reading;
  reading.take = [&](std::string_view, const TopicLines& lines) {
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t line : lines.ranked(request.order)) {
      if (numbers.size() == request.cutoff) break;
      numbers.push_back(run.documents.number(docnos.key(lines.docno(line), buffer)));
    }
    run.scores.add_topic(std::move(numbers));
  };
  (void)read_whole_run(path, reading, [&] { run = CountedRun(); });
  return run;
}

/// Numbers the documents of `run` as `documents` does, to which new ones are added.
RetrievabilityScores with_numbers_of(DocumentNumbers& documents, CountedRun run) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < run.documents.size(); ++i) {
    numbers.push_back(documents.number(run.documents.name(i)));
  }
  run.scores.renumber(numbers);
  return std::move(run.scores);
}

/// Docids mean something within their session and generation only.
std::string group_of(const CapturedRankings& captured, const std::string& path) {
  if (captured.kind == CapturedRankings::Kind::kKeys) return {};
  return fmt::format("{}, session {}, generation {}", path, captured.session, captured.generation);
}

void check(const RetrievabilityRequest& request) {
  if (request.sources.empty()) {
    throw usage_error(
        "expected at least one run or store; see 'prescope study retrievability --help'");
  }
  if (std::ranges::count(request.sources, "-") > 1) {
    throw usage_error("standard input ('-') is named more than once");
  }
  if ((request.experiment || request.arm || request.session) &&
      std::ranges::none_of(request.sources, looks_like_store)) {
    throw usage_error("--experiment, --arm and --session are parts of a store; no store is given");
  }
  if (!request.documents.empty() && request.collection) {
    throw usage_error("--documents says how many documents there are; leave --collection out");
  }
}

class RetrievabilityReader {
 public:
  explicit RetrievabilityReader(const RetrievabilityRequest& request)
      : request_(request),
        docnos_(make_normalizer({.docno = request.docno, .family_map = request.family_map})),
        read_(request.sources.size()) {}

  RetrievabilityStudy read() {
    study_.cutoff = request_.cutoff;
    study_.order = request_.order == RunOrder::kFile ? "the order of the lines"
                                                     : "score, then docno, both descending";
    if (!request_.documents.empty()) {
      read_documents(request_.documents, docnos_, study_.documents);
      study_.listed = study_.documents.size();
      study_.population = *study_.listed;
      study_.population_source = "listed in " + request_.documents;
    }
    read_runs();
    for (std::size_t i = 0; i < request_.sources.size(); ++i) {
      if (looks_like_store(request_.sources[i])) read_store(request_.sources[i], read_[i]);
    }
    for (Sources& sources : read_) {
      std::ranges::move(sources, std::back_inserter(study_.sources));
    }
    if (request_.collection) {
      study_.population = *request_.collection;
      study_.population_source = "--collection";
    } else if (!study_.listed && collection_size_ > 0) {
      study_.population = collection_size_;
      study_.population_source = "the index's count, as observed";
    }
    summarize(study_);
    return std::move(study_);
  }

 private:
  using Sources = std::vector<RetrievabilitySource>;

  void read_runs() {
    std::vector<std::size_t> places;  // among the arguments
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < request_.sources.size(); ++i) {
      if (looks_like_store(request_.sources[i])) continue;
      places.push_back(i);
      paths.push_back(request_.sources[i]);
    }
    const std::vector<std::string> names = run_names(paths);
    // At most as many runs as threads are in memory at a time.
    for (std::size_t begin = 0; begin < paths.size(); begin += request_.threads) {
      std::vector<CountedRun> counted(
          std::min<std::size_t>(request_.threads, paths.size() - begin));
      in_parallel(counted.size(), request_.threads, [&](std::size_t i) {
        counted[i] = count_run(paths[begin + i], request_, docnos_);
      });
      for (std::size_t i = 0; i < counted.size(); ++i) {
        read_[places[begin + i]].push_back(
            {.name = names[begin + i],
             .path = paths[begin + i],
             .group = {},
             .scores = with_numbers_of(study_.documents, std::move(counted[i]))});
      }
    }
  }

  void read_store(const std::string& path, Sources& sources) {
    const std::vector<CapturedRankings> captured = read_captured_rankings(
        path,
        {.experiment = request_.experiment, .arm = request_.arm, .session = request_.session});
    if (captured.empty()) {
      throw bad_input_error(
          "{}: no captured rankings; a host stores them if its experiment captures hits "
          "(capture_depth) and its log keeps them (captured_hits)",
          path);
    }
    for (const CapturedRankings& each : captured) sources.push_back(source_of(each, path));
  }

  RetrievabilitySource source_of(const CapturedRankings& captured, const std::string& path) {
    RetrievabilitySource source{
        .name = fmt::format("{} (session {})", captured.arm, captured.session),
        .path = path,
        .group = group_of(captured, path)};
    const bool by_key = captured.kind == CapturedRankings::Kind::kKeys;
    for (const auto& [topic, ranking] : captured.topics) {
      std::vector<std::uint32_t> numbers;
      for (std::size_t i = 0; i < ranking.size() && i < request_.cutoff; ++i) {
        numbers.push_back(by_key ? number_of_key(ranking[i])
                                 : study_.documents.number(
                                       fmt::format("docid {} of {}", ranking[i], source.group)));
      }
      source.scores.add_topic(std::move(numbers));
    }
    collection_size_ = std::max(collection_size_, captured.collection_size);
    if (captured.left_out > 0) {
      source.notes.push_back(fmt::format(
          "{} captured rankings of earlier generations of the index, or without their first page, "
          "left out",
          captured.left_out));
    }
    if (!captured.cut_off.empty()) {
      source.notes.push_back(
          fmt::format("{} topics were served further than their rankings were captured",
                      captured.cut_off.size()));
    }
    return source;
  }

  /// Stores know some documents by the hashes of their keys only; one without a name is called by
  /// its hash.
  std::uint32_t number_of_key(std::uint64_t hash) {
    DocumentNumbers& documents = study_.documents;
    for (; hashed_ < documents.size(); ++hashed_) {
      number_of_hash_.emplace(key_hash(documents.name(hashed_)), hashed_);
    }
    const auto [known, is_new] = number_of_hash_.try_emplace(hash);
    if (is_new) known->second = documents.number(fmt::format("key {:016x}", hash));
    hashed_ = documents.size();
    return known->second;
  }

  const RetrievabilityRequest& request_;
  DocnoNormalizer docnos_;
  RetrievabilityStudy study_;
  std::vector<Sources> read_;  // by argument
  std::unordered_map<std::uint64_t, std::uint32_t> number_of_hash_;
  std::uint32_t hashed_ = 0;  // documents whose hashes are known
  std::uint64_t collection_size_ = 0;
};

}  // namespace

RetrievabilityStudy read_retrievability(const RetrievabilityRequest& request) {
  RetrievabilityReader reader(request);
  check(request);
  return reader.read();
}

}  // namespace prescope
