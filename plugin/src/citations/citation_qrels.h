#pragma once

#include <functional>

#include "prescope/qrels.h"

namespace prescope {

/// Returns whether a file is a citation store, by its first bytes; false if it cannot be read.
[[nodiscard]] bool is_citation_store(const std::filesystem::path& path);

/// Topics that judgements are needed for; empty stands for all.
using NeededTopics = std::function<std::vector<std::string>()>;

/// Loads judgements: a qrels file as Qrels::load does, or of a citation store those that
/// `options.rule` makes for the topics, with the families of topics and documents. `topics` is
/// called for a store only. Throws as Qrels::load; Error(kUsage) for a rule that does not exist, or
/// beside a qrels file; Error(kBadInput) for a damaged store, one without a judgement of these
/// topics, and for a store of more than 200,000 documents if no topics are named.
[[nodiscard]] Qrels load_judgements(const std::filesystem::path& path, const QrelsOptions& options,
                                    const NeededTopics& topics = {});

/// Returns the ids of topics in the first column of run files, each once. Throws Error(kUsage) if
/// one of them is standard input, which can be read once only; Error(kIo).
[[nodiscard]] std::vector<std::string> topics_of_runs(std::span<const std::string> paths);

}  // namespace prescope
