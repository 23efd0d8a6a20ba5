#include "docno_place.h"

#include <cstdint>
#include <type_traits>

#include "patent_terms.h"
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

namespace {

static_assert(std::is_same_v<Xapian::docid, std::uint32_t>,
              "prescope keeps docids in 32 bits: use a Xapian without --enable-64bit-docid");

class Search {
 public:
  Search(const Xapian::Database& database, const ObservedIndexOptions& place,
         const JudgedDocnos& judged, const ResolvedQrels* known)
      : database_(database), place_(place), judged_(judged) {
    if (known == nullptr) return;
    first_ = known->judged().num_keys();
    found_.assign(known->resolutions().begin(), known->resolutions().end());
  }

  std::vector<Resolution> run() {
    if (first_ > 0 && first_ == judged_.num_keys()) return std::move(found_);
    const bool is_raw = judged_.docnos().policy() == DocnoPolicy::kRaw;
    if (is_raw) {
      look_up();
      // Without a hit it is unknown whether there are such terms at all.
      if (!found_.empty() && database_.term_exists(term_of(found_.front().key))) {
        return std::move(found_);
      }
    }
    const DocnoSource source = docno_source(database_, place_);
    if (source == DocnoSource::kSlot) scan_slot();
    if (source == DocnoSource::kTerms && !is_raw) scan_terms();
    return std::move(found_);
  }

 private:
  /// A raw key is the docno itself. Most keys are sorted, so that this walks the tables in order.
  void look_up() {
    for (std::uint32_t key = first_; key < judged_.num_keys(); ++key) {
      take_documents(key, term_of(key));
    }
  }
  [[nodiscard]] std::string term_of(std::uint32_t key) const {
    return place_.docno_prefix + judged_.key(key);
  }

  void scan_terms() {
    for_each_docno_term(database_, place_.docno_prefix, [this](std::string_view docno) {
      const std::uint32_t key = key_of(docno);
      if (key == JudgedDocnos::kNotJudged) return;
      std::string term = place_.docno_prefix;
      term += docno;
      take_documents(key, term);
    });
  }

  void scan_slot() {
    for_each_docno_value(database_, place_.docno_slot,
                         [this](std::string_view docno, Xapian::docid docid) {
                           const std::uint32_t key = key_of(docno);
                           if (key != JudgedDocnos::kNotJudged)
                             found_.push_back({key, DocId{docid}});
                         });
  }

  void take_documents(std::uint32_t key, const std::string& term) {
    if (term.size() > kLongestTerm) return;
    const auto end = database_.postlist_end(term);
    for (auto document = database_.postlist_begin(term); document != end; ++document) {
      found_.push_back({key, DocId{*document}});
    }
  }

  /// Returns kNotJudged also for a key that is known.
  [[nodiscard]] std::uint32_t key_of(std::string_view docno) {
    const std::uint32_t key = judged_.find(judged_.docnos().key(docno, buffer_));
    return key < first_ ? JudgedDocnos::kNotJudged : key;
  }

  const Xapian::Database& database_;
  const ObservedIndexOptions& place_;
  const JudgedDocnos& judged_;
  std::uint32_t first_ = 0;  // key that is not known
  DocnoBuffer buffer_{};
  std::vector<Resolution> found_;
};

}  // namespace

std::vector<Resolution> find_judged(const Xapian::Database& database,
                                    const ObservedIndexOptions& place, const JudgedDocnos& judged,
                                    const ResolvedQrels* known) {
  return Search(database, place, judged, known).run();
}

}  // namespace prescope::xapian
