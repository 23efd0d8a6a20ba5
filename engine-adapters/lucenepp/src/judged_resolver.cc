#include "judged_resolver.h"

#include <algorithm>
#include <utility>

namespace prescope::lucenepp {

struct JudgedResolver::Segment {
  struct Found {
    std::uint32_t key;
    std::int32_t docid;  // within the segment
  };
  // The same object as long as the segment exists, also after deletions from it.
  boost::weak_ptr<Lucene::LuceneObject> identity;
  std::vector<Found> found;
  // Documents that are not in `found` because they were deleted when it was made.
  std::vector<std::int32_t> deleted;
};

JudgedResolver::JudgedResolver(std::wstring docno_field) : field_(std::move(docno_field)) {}

JudgedResolver::SegmentPtr JudgedResolver::scan(const Lucene::IndexReaderPtr& leaf,
                                                const JudgedDocnos& judged) const {
  auto segment = std::make_shared<Segment>();
  segment->identity = leaf->getFieldCacheKey();
  DocnoBuffer buffer;
  DocnoTerms docnos(leaf, field_);
  while (docnos.next()) {
    const std::uint32_t key = judged.find(judged.docnos().key(docnos.docno(), buffer));
    if (key == JudgedDocnos::kNotJudged) continue;
    for (const std::int32_t docid : docnos.documents()) segment->found.push_back({key, docid});
  }
  if (leaf->hasDeletions()) {
    for (std::int32_t docid = 0; docid < leaf->maxDoc(); ++docid) {
      if (leaf->isDeleted(docid)) segment->deleted.push_back(docid);
    }
  }
  return segment;
}

JudgedResolver::SegmentPtr JudgedResolver::remembered(const Lucene::IndexReaderPtr& leaf,
                                                      const JudgedDocnos& judged) const {
  if (num_keys_ != judged.num_keys()) return nullptr;
  const Lucene::LuceneObjectPtr identity = leaf->getFieldCacheKey();
  for (const SegmentPtr& segment : segments_) {
    if (segment->identity.lock() != identity) continue;
    // A document that came back (undeleteAll) was never looked at.
    const bool still_deleted =
        std::all_of(segment->deleted.begin(), segment->deleted.end(),
                    [&](std::int32_t docid) { return leaf->isDeleted(docid); });
    return still_deleted ? segment : nullptr;
  }
  return nullptr;
}

std::shared_ptr<const ResolvedQrels> JudgedResolver::resolve(
    std::span<const Lucene::IndexReaderPtr> readers, const JudgedDocnos& judged,
    std::uint64_t generation) {
  const std::vector<Leaf> leaves = leaves_of(readers);
  require_field(leaves, field_);
  std::vector<SegmentPtr> segments;
  std::vector<Resolution> resolutions;
  std::uint64_t documents = 0;
  for (const Leaf& leaf : leaves) {
    documents += static_cast<std::uint64_t>(leaf.reader->numDocs());
    SegmentPtr segment = remembered(leaf.reader, judged);
    if (!segment) segment = scan(leaf.reader, judged);
    const bool check = leaf.reader->hasDeletions();
    for (const auto& [key, docid] : segment->found) {
      if (check && leaf.reader->isDeleted(docid)) continue;
      resolutions.push_back({key, DocId{leaf.base + static_cast<std::uint32_t>(docid)}});
    }
    segments.push_back(std::move(segment));
  }
  auto resolved =
      std::make_shared<const ResolvedQrels>(judged, std::move(resolutions), generation, documents);
  segments_ = std::move(segments);
  num_keys_ = judged.num_keys();
  return resolved;
}

}  // namespace prescope::lucenepp
