#pragma once

#include <functional>

#include "citations/document/citing_document.h"
#include "citations/document/document_number.h"
#include "citations/store/citation_store.h"
#include "citations/store/citation_store_writer.h"

namespace prescope {

// Documents and families in a citation store. A family is a document, too: its key is
// "family:54321987", or "family:" and the least key of its members if the file gives no number. It
// has a link to each member, and each member has a link to it.

/// Returns the key of a family: of its number if it is not empty, else of its least member.
[[nodiscard]] std::string family_key(std::string_view number, std::string_view least_member);
[[nodiscard]] bool is_family_key(std::string_view key) noexcept;

/// Counts of what was added to a store.
struct AddedCounts {
  std::uint64_t documents = 0, citations = 0, families = 0;
  /// Documents and citations without a number, or with one that judgements cannot have, because it
  /// is no patent number and has white space in it.
  std::uint64_t without_number = 0;
  std::string without_number_example{};  ///< "foo bar"; empty if there was nothing
  std::uint64_t reread = 0;              ///< numbers that were read otherwise because of their year
  std::string reread_example{};          ///< "JP02/043615A2 of 2002 as WO2002043615"

  AddedCounts& operator+=(const AddedCounts& other);
};

/// Turns documents of files into records of a store. For one thread; reuses its memory.
class DocumentAdder {
 public:
  /// `batch` must outlive this object.
  explicit DocumentAdder(CitationStoreWriter::Batch& batch) : batch_(&batch) {}
  /// Throws as CitationStoreWriter::Batch::add.
  void add(const CitingDocument& document);
  [[nodiscard]] const AddedCounts& counts() const noexcept { return counts_; }

 private:
  /// Reads a number. Its key is empty, and it is counted, if judgements cannot have it.
  const DocumentNumber& read(const WrittenNumber& written, const PartialDate& date);
  void add_citations(const CitingDocument& document);
  void add_family(const CitingDocument& document);
  void link(std::string_view from, std::string_view from_kind, std::string_view to,
            std::string_view to_kind, LinkRole role);

  CitationStoreWriter::Batch* batch_;
  AddedCounts counts_;
  DocumentNumber own_, number_;
  std::string docno_, classes_;
  std::vector<DocumentNumber> numbers_;  // that `links_` view
  std::vector<Link> links_;
};

struct FamilyMember {
  std::string key{};
  std::string kind{};  ///< of the member, as a family lists it; may be empty
};
/// Returns the members of a document's family, itself among them, ascending by key; if the store
/// knows no family, the document alone. Families that share a member are one.
[[nodiscard]] std::vector<FamilyMember> family_of(const CitationStore& store, std::string_view key);

}  // namespace prescope
