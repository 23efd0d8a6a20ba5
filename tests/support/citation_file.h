#pragma once

#include <span>

#include "citations/citation_links.h"

namespace prescope {

/// Writes a citation store with these documents.
inline void write_citation_store(const std::filesystem::path& path,
                                 std::span<const CitingDocument> documents) {
  CitationStoreWriter writer(path);
  CitationStoreWriter::Batch batch(writer);
  DocumentAdder adder(batch);
  for (const CitingDocument& document : documents) adder.add(document);
  batch.hand_over();
  writer.commit();
}

}  // namespace prescope
