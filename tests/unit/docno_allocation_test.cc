// Rankings that come as docnos are normalised on the query path, so this does not allocate.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "prescope/docno.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

// For the whole program; only the difference around a call is looked at. Never inlined, so that GCC
// does not take the free for one without its malloc.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const room = std::malloc(size)) return room;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* room) noexcept { std::free(room); }
[[gnu::noinline]] void operator delete(void* room, std::size_t) noexcept { std::free(room); }

namespace prescope {
namespace {

TEST(DocnoAllocation, NormalisingIntoABufferHasNone) {
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
  const std::uint64_t before = allocations.load();
  for (const DocnoNormalizer& normalizer : normalizers) {
    for (const std::string_view docno : docnos) size += normalizer.key(docno, buffer).size();
  }
  const std::uint64_t after = allocations.load();
  EXPECT_EQ(after, before);
  EXPECT_GT(size, 0U);
  ::operator delete(::operator new(100));
  EXPECT_GT(allocations.load(), after) << "the counter does not count";
}

}  // namespace
}  // namespace prescope
