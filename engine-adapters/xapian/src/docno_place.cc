#include "docno_place.h"

#include "prescope/error.h"

namespace prescope::xapian {
namespace {

[[noreturn]] void refuse(const ObservedIndexOptions& place) {
  std::string message = "the database has no term with the prefix '";
  message += place.docno_prefix;
  message += "' and no value in slot ";
  message += std::to_string(place.docno_slot);
  message +=
      ", by which documents are matched with judgements; give each document a boolean term of "
      "that prefix and its docno, or name the prefix or the slot that holds it";
  throw Error(ErrorCode::kEngine, message);
}

/// This throws if a writer has overtaken the database; Document::get_value sometimes returns an
/// empty text instead (Xapian 1.4.22).
std::string value_of(const Xapian::Database& database, Xapian::docid docid, Xapian::valueno slot) {
  auto value = database.valuestream_begin(slot);
  const auto end = database.valuestream_end(slot);
  if (value != end) value.skip_to(docid);
  return value != end && value.get_docid() == docid ? *value : std::string();
}

std::string_view docno_in(const std::string& term, const std::string& prefix) {
  return std::string_view(term).substr(prefix.size());
}

}  // namespace

DocnoSource docno_source(const Xapian::Database& database, const ObservedIndexOptions& place) {
  if (database.allterms_begin(place.docno_prefix) != database.allterms_end(place.docno_prefix)) {
    return DocnoSource::kTerms;
  }
  if (database.get_value_freq(place.docno_slot) > 0) return DocnoSource::kSlot;
  if (database.get_doccount() > 0) refuse(place);
  return DocnoSource::kNowhere;
}

void for_each_docno_term(const Xapian::Database& database, const std::string& prefix,
                         const std::function<void(std::string_view docno)>& take) {
  const auto end = database.allterms_end(prefix);
  for (auto term = database.allterms_begin(prefix); term != end; ++term) {
    const std::string text = *term;
    take(docno_in(text, prefix));
  }
}

void for_each_docno_value(
    const Xapian::Database& database, Xapian::valueno slot,
    const std::function<void(std::string_view docno, Xapian::docid docid)>& take) {
  const auto end = database.valuestream_end(slot);
  for (auto value = database.valuestream_begin(slot); value != end; ++value) {
    const std::string docno = *value;
    take(docno, value.get_docid());
  }
}

std::string docno_of(const Xapian::Database& database, Xapian::docid docid,
                     const ObservedIndexOptions& place,
                     const std::function<bool(std::string_view docno)>& is_wanted) {
  std::string first;
  auto term = database.termlist_begin(docid);
  const auto end = database.termlist_end(docid);
  if (term != end) term.skip_to(place.docno_prefix);
  for (; term != end; ++term) {
    const std::string text = *term;
    if (!text.starts_with(place.docno_prefix)) break;
    const std::string_view docno = docno_in(text, place.docno_prefix);
    if (docno.empty()) continue;
    if (is_wanted(docno)) return std::string(docno);
    if (first.empty()) first = docno;
  }
  return first.empty() ? value_of(database, docid, place.docno_slot) : first;
}

}  // namespace prescope::xapian
