// Rankings that come as docnos are normalised on the query path, so this does not allocate.
#include <gtest/gtest.h>

#include "conformance/count_allocations.h"
#include "prescope/docno.h"

namespace prescope {
namespace {

using conformance::allocations_in;
using conformance::kAllocationsAreCounted;

TEST(DocnoAllocation, NormalisingIntoABufferDoesNotAllocate) {
  if (!kAllocationsAreCounted) GTEST_SKIP() << "the sanitizer has replaced malloc";
  FamilyMap families;
  families.add(Docno("EP-0971326-B1"), "a family whose name is too long for a small string");
  const DocnoNormalizer normalizers[] = {
      DocnoNormalizer(), DocnoNormalizer(DocnoPolicy::kPublication),
      DocnoNormalizer(DocnoPolicy::kPatent),
      DocnoNormalizer(DocnoPolicy::kFamily, std::move(families))};
  const std::string_view docnos[] = {"EP 0 971 326 B1", "US 2001/0000044 A1",
                                     "UNRETRIEVED-EP-1223211-A1-0-and-more-of-it"};
  DocnoBuffer buffer;
  std::size_t size = 0;
  EXPECT_EQ(allocations_in([&] {
              for (const DocnoNormalizer& normalizer : normalizers) {
                for (const std::string_view docno : docnos) {
                  size += normalizer.key(docno, buffer).size();
                }
              }
            }),
            0U);
  EXPECT_GT(size, 0U);
}

}  // namespace
}  // namespace prescope
