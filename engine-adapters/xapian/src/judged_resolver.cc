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
         const JudgedDocnos& judged)
      : database_(database), place_(place), judged_(judged) {}

  std::vector<Resolution> run() {
    if (judged_.docnos().policy() == DocnoPolicy::kRaw) {
      look_up();
      // Without a hit it is unknown whether there are such terms at all.
      if (!found_.empty()) return std::move(found_);
    }
    const DocnoSource source = docno_source(database_, place_);
    if (source == DocnoSource::kSlot) scan_slot();
    if (source == DocnoSource::kTerms && judged_.docnos().policy() != DocnoPolicy::kRaw) {
      scan_terms();
    }
    return std::move(found_);
  }

 private:
  /// A raw key is the docno itself; sorted keys walk the tables in order.
  void look_up() {
    for (std::uint32_t key = 0; key < judged_.keys().size(); ++key) {
      take_documents(key, place_.docno_prefix + judged_.keys()[key]);
    }
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

  [[nodiscard]] std::uint32_t key_of(std::string_view docno) {
    return judged_.find(judged_.docnos().key(docno, buffer_));
  }

  const Xapian::Database& database_;
  const ObservedIndexOptions& place_;
  const JudgedDocnos& judged_;
  DocnoBuffer buffer_{};
  std::vector<Resolution> found_;
};

}  // namespace

std::vector<Resolution> find_judged(const Xapian::Database& database,
                                    const ObservedIndexOptions& place, const JudgedDocnos& judged) {
  return Search(database, place, judged).run();
}

}  // namespace prescope::xapian
