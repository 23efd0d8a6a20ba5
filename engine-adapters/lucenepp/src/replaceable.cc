#include "replaceable.h"

#include "text.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/IndexFileNameFilter.h>

namespace prescope::lucenepp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWriteLock = "write.lock";

bool made_by_prescope(const fs::path& folder) {
  try {
    auto marks =
        Lucene::IndexReader::getCommitUserData(Lucene::FSDirectory::open(to_wide(folder.string())));
    return marks && marks.get(kMadeBy) == kPrescope;
  } catch (const Lucene::LuceneException&) {
    return false;
  }
}

}  // namespace

std::string objection_to_replacing(const fs::path& folder) {
  // Lucene++ 3.0.8 loses the lock on the file as soon as it has it (it closes a second descriptor),
  // so the file itself is all that tells of a writer.
  if (fs::exists(folder / kWriteLock)) {
    return "locked by an index writer; wait until it has finished, or, where none is running any "
           "more, remove its file write.lock";
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!Lucene::IndexFileNameFilter::accept(L"", to_wide(name))) {
      return "holds '" + name +
             "', which is no part of an index; choose an empty or new "
             "folder";
    }
  }
  if (!made_by_prescope(folder)) {
    return "holds an index that prescope did not make, or a damaged one; choose another "
           "folder, or remove it first";
  }
  return {};
}

}  // namespace prescope::lucenepp
