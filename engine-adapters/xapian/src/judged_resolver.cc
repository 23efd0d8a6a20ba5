#include "judged_resolver.h"

#include <cstdint>
#include <string>
#include <type_traits>

#include "docno_place.h"
#include "patent_terms.h"

namespace prescope::xapian {
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
