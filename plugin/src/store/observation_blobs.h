#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/docno.h"
#include "prescope/observation.h"
#include "prescope/qrels.h"

namespace prescope {

/// How the store writes what is of varying length; `docs/formats.md` says the same.

/// Of each hit the distance of its rank to the hit before (to 0 for the first) and its judgement,
/// both as varints. `hits` ascend by rank.
void write_hits(std::string& bytes, std::span<const JudgedHit> hits);
/// Nothing where the bytes are not of this form, or a judgement is not below `judgements`.
[[nodiscard]] std::optional<std::vector<JudgedHit>> read_hits(std::string_view bytes,
                                                              std::size_t judgements);

/// Varints.
void write_docids(std::string& bytes, std::span<const DocId> docids);
[[nodiscard]] std::optional<std::vector<DocId>> read_docids(std::string_view bytes);

/// Eight bytes each, the low one first.
void write_keys(std::string& bytes, std::span<const std::uint64_t> keys);
[[nodiscard]] std::optional<std::vector<std::uint64_t>> read_keys(std::string_view bytes);

/// `[["EP0971326A1",1],...]` in the order of their numbers; with the key as a third element where
/// the docno policy cannot make it again.
[[nodiscard]] std::string judgements_text(const TopicQrels& topic, DocnoPolicy policy);
/// Throws Error(kBadInput) for text of another form, saying what it was.
[[nodiscard]] std::vector<Judgement> read_judgements(std::string_view text);

}  // namespace prescope
