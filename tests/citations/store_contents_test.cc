// A citation store holds what was added to it, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "citations/store_samples.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

/// Returns the first key with different publications; "none" if all are equal.
std::string first_difference(const PlainStore& a, const PlainStore& b) {
  if (a == b) return "none";
  for (const auto& [key, publications] : a) {
    if (!b.contains(key) || b.at(key) != publications) return key;
  }
  return "a document is missing";
}

void expect_content(const CitationStore& store, const PlainStore& expected) {
  EXPECT_EQ(store.counts(), plain_counts(expected));
  ASSERT_EQ(first_difference(plain_store(store), expected), "none");
  for (const auto& [key, publications] : expected) {
    const auto document = store.find(key);
    ASSERT_TRUE(document) << key;
    ASSERT_TRUE(plain_document(*document) == publications) << key;
  }
  PlainDocuments others(99);
  for (const auto& [key, publications] : others.some(50)) {
    ASSERT_EQ(store.find(key).has_value(), expected.contains(key)) << key;
  }
  store.verify();
}

TEST(CitationStoreKey, SplitsAtTheLongestNumber) {
  struct Case {
    std::string_view key, prefix;
    std::uint64_t number;
    std::string_view suffix;
  };
  for (const Case& one :
       {Case{"US7654321", "US", 7654321, ""}, Case{"EP0971326", "EP0", 971326, ""},
        Case{"DE1812345U", "DE", 1812345, "U"}, Case{"W98-1001", "W98-", 1001, ""},
        Case{"EP1234567B1", "EP", 1234567, "B1"}, Case{"12-34", "12-", 34, ""},
        Case{"US000", "US00", 0, ""}, Case{"family:54321987", "family:", 54321987, ""},
        Case{"x1234567890123456789y", "x1", 234567890123456789, "y"}}) {
    const KeyParts parts = KeyParts::of(one.key);
    EXPECT_TRUE(parts.has_number);
    EXPECT_EQ(parts.prefix, one.prefix);
    EXPECT_EQ(parts.number, one.number);
    EXPECT_EQ(parts.suffix, one.suffix);
  }
  EXPECT_FALSE(KeyParts::of("abc").has_number);
  EXPECT_TRUE(KeyParts::of("").empty());
}

TEST(CitationStoreKey, AnyTextComesBack) {
  std::mt19937_64 random(5);
  constexpr std::string_view kAlphabet = "00019AZ-";
  for (std::uint64_t i = number_of_cases(20'000); i > 0; --i) {
    std::string key;
    for (std::uint64_t size = random() % 30; size > 0; --size) {
      key += random() % 20 == 0 ? static_cast<char>(random()) : kAlphabet[random() % 8];
    }
    ASSERT_EQ(KeyParts::of(key).text(), key);
  }
}

TEST(CitationStore, HoldsTheUnionOfAllCommits) {
  for (std::uint64_t seed = 0; seed < number_of_cases(30); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ScratchFolder scratch;
    const auto path = scratch.path() / "citations.store";
    PlainDocuments documents(seed);
    PlainStore expected;
    const std::size_t commits = 1 + documents.below(14);
    for (std::size_t i = 0; i < commits; ++i) {
      const PlainStore some = documents.some(1 + documents.below(i == 0 ? 400 : 60));
      commit_plain(path, some, "file " + std::to_string(i));
      unite_plain(expected, some);
      const CitationStore store = CitationStore::open(path);
      EXPECT_EQ(store.sequence(), i + 2);
      EXPECT_EQ(store.files().size(), i + 1);
      EXPECT_EQ(store.files().back().name, "file " + std::to_string(i));
      EXPECT_LE(store.segments(), kMostSegments);
      expect_content(store, expected);
      if (HasFatalFailure()) return;
    }
    const std::uint64_t hash = CitationStore::open(path).content_hash();
    CitationStoreWriter(path).compact();
    const CitationStore store = CitationStore::open(path);
    EXPECT_EQ(store.segments(), 1U);
    EXPECT_EQ(store.content_hash(), hash);
    expect_content(store, expected);
  }
}

TEST(CitationStore, MoreThanMemoryHoldsIsSortedInFiles) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "citations.store";
  PlainDocuments documents(1);
  PlainStore expected;
  {
    CitationStoreWriter writer(path, {.memory_bytes = std::size_t{1} << 20U});
    CitationStoreWriter::Batch batch(writer);
    for (int i = 0; i < 60; ++i) {
      const PlainStore some = documents.some(100);
      add_plain(batch, some);
      unite_plain(expected, some, true);
    }
    batch.hand_over();
    writer.commit();
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
  }
  EXPECT_GT(expected.size(), 500U);
  expect_content(CitationStore::open(path), expected);
}

TEST(CitationStore, OrderAndThreadsOfImportsDoNotChangeTheContent) {
  const ScratchFolder scratch;
  std::vector<PlainStore> files;
  PlainDocuments documents(3);
  PlainStore expected;
  for (int i = 0; i < 40; ++i) {
    files.push_back(documents.some(50));
    unite_plain(expected, files.back(), true);
  }
  const auto at_once = scratch.path() / "at_once", backwards = scratch.path() / "backwards";
  {
    CitationStoreWriter writer(at_once, {.memory_bytes = std::size_t{1} << 20U});
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        CitationStoreWriter::Batch batch(writer);
        for (std::size_t i = t; i < files.size(); i += 4) add_plain(batch, files[i]);
        batch.hand_over();
      });
    }
    threads.clear();
    writer.commit();
  }
  expect_content(CitationStore::open(at_once), expected);
  // Facts that differ would tell the order of commits.
  for (std::size_t i = files.size(); i > 0; --i) {
    PlainStore links = files[i - 1];
    for (auto& [key, publications] : links) {
      for (auto& [kind, publication] : publications) {
        publication = expected[key][kind];
        publication.links = files[i - 1][key][kind].links;
      }
    }
    commit_plain(backwards, links, "file");
  }
  const CitationStore one = CitationStore::open(at_once), other = CitationStore::open(backwards);
  EXPECT_EQ(one.content_hash(), other.content_hash());
  EXPECT_EQ(one.counts(), other.counts());
}

TEST(CitationStore, DocumentsComeInOrderOfKeys) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "citations.store";
  PlainDocuments documents(4);
  for (int i = 0; i < 5; ++i) commit_plain(path, documents.some(i == 0 ? 200 : 30), "file");
  const CitationStore store = CitationStore::open(path);
  std::vector<std::string> keys;
  store.for_each_document([&](const StoredDocument& one) { keys.push_back(one.key().text()); });
  EXPECT_TRUE(std::ranges::is_sorted(keys, [](const std::string& a, const std::string& b) {
    return KeyParts::of(a) < KeyParts::of(b);
  }));
}

TEST(CitationStore, OpenReadersKeepTheirState) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "citations.store";
  PlainDocuments documents(6);
  std::vector<CitationStore> readers;
  std::vector<PlainStore> states;
  for (int i = 0; i < 20; ++i) {
    const PlainStore some = documents.some(30);
    PlainStore state = states.empty() ? PlainStore() : states.back();
    unite_plain(state, some);
    states.push_back(state);
    commit_plain(path, some, "file");
    readers.push_back(CitationStore::open(path));
  }
  for (std::size_t i = 0; i < readers.size(); ++i) expect_content(readers[i], states[i]);
}

TEST(CitationStore, ReadersBesideAWriterSeeWholeStates) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "citations.store";
  commit_plain(path, PlainDocuments(0).some(20), "file");
  std::jthread reader([&path](const std::stop_token& stop) {
    while (!stop.stop_requested()) CitationStore::open(path).verify();
  });
  for (std::uint64_t i = 1; i < number_of_cases(60); ++i) {
    commit_plain(path, PlainDocuments(i).some(20), "file");
  }
}

TEST(CitationStore, OneWriterAtATime) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "citations.store";
  const auto refused = [&] { return refusal_of([&] { CitationStoreWriter second(path); }); };
  const std::string message =
      path.string() +
      ": another process or thread is writing this citation store; try again when it is done";
  {
    CitationStoreWriter first(path);
    EXPECT_EQ(refused().code, ErrorCode::kIo);
    EXPECT_EQ(refused().message, message);
    CitationStoreWriter other_store(scratch.path() / "other.store");
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path())) << "nothing was committed";
  commit_plain(path, PlainDocuments(1).some(20), "file");
  CitationStoreWriter first(path);
  first.compact();  // puts a new file in place
  EXPECT_EQ(refused().message, message);
}

TEST(CitationStore, WhatIsNotCommittedIsDropped) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "citations.store";
  const PlainStore some = PlainDocuments(1).some(20);
  commit_plain(path, some, "file");
  const std::string before = content_of(path);
  {
    CitationStoreWriter writer(path);
    CitationStoreWriter::Batch batch(writer);
    add_plain(batch, PlainDocuments(2).some(2000));
    batch.hand_over();
  }
  EXPECT_EQ(content_of(path), before);
}

TEST(CitationStore, LinksToOneDocumentKeepTheirAttributes) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "citations.store";
  for (const char* const source : {"examiner", "applicant", "examiner"}) {
    CitationStoreWriter writer(path);
    CitationStoreWriter::Batch batch(writer);
    const Link link{.document = KeyParts::of("EP1"), .attributes = {.source = source}};
    batch.add("US2", {.kind = "B2"}, {&link, 1});
    batch.hand_over();
    writer.commit();
  }
  const CitationStore store = CitationStore::open(path);
  EXPECT_EQ(store.counts().links_of(LinkRole::kCites), 2U);
  EXPECT_EQ(plain_store(store)["US2"]["B2"].links.size(), 2U);
}

}  // namespace
}  // namespace prescope
