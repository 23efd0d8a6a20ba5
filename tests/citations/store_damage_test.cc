// Damaged and hostile citation stores are refused; reading one never crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "citations/store/store_state.h"
#include "citations/store_samples.h"
#include "support/number_of_cases.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

/// Three segments, a file that was never merged.
std::string undamaged_store(const ScratchFolder& scratch) {
  const auto path = scratch.path() / "undamaged";
  PlainDocuments documents(11);
  commit_plain(path, documents.some(150), "one");
  commit_plain(path, documents.some(30), "two");
  commit_plain(path, documents.some(30), "three");
  return content_of(path);
}

HeaderSlot slot_in(const std::string& bytes, std::uint64_t offset) {
  HeaderSlot slot;
  std::memcpy(&slot, bytes.data() + offset, sizeof slot);
  return slot;
}

HeaderSlot newest_slot_in(const std::string& bytes) {
  const HeaderSlot a = slot_in(bytes, 0), b = slot_in(bytes, kSlotDistance);
  return a.sequence > b.sequence ? a : b;
}

/// Makes the checksums of headers and directory right, as somebody would who means harm.
void mend_checksums(std::string& bytes) {
  for (const std::uint64_t offset : {std::uint64_t{0}, kSlotDistance}) {
    if (bytes.size() < offset + sizeof(HeaderSlot)) return;
    HeaderSlot slot = slot_in(bytes, offset);
    if (slot.directory_offset <= bytes.size() &&
        slot.directory_size <= bytes.size() - slot.directory_offset) {
      slot.directory_checksum =
          checksum_of(std::string_view(bytes).substr(slot.directory_offset, slot.directory_size));
    }
    slot.checksum = slot.right_checksum();
    std::memcpy(bytes.data() + offset, &slot, sizeof slot);
  }
}

/// Reads everything in every way. Returns the error's message; empty if there is none.
std::string message_of_reading(const std::filesystem::path& path, bool verifies) {
  try {
    const CitationStore store = CitationStore::open(path);
    (void)store.files();
    static const PlainStore kDocuments = PlainDocuments(11).some(150);
    for (const auto& [key, publications] : kDocuments) {
      try {
        if (const auto document = store.find(key)) (void)plain_document(*document);
      } catch (const std::logic_error&) {  // a link is given twice
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      }
    }
    if (verifies) {
      store.verify();
    } else {
      (void)plain_store(store);
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput) << error.what();
    return error.what();
  } catch (const std::logic_error&) {
    return "wrong content";
  }
  return {};
}

/// Changes some bytes, most often few, or cuts or extends the file.
void damage(std::string& bytes, std::mt19937_64& random) {
  const HeaderSlot slot = newest_slot_in(bytes);
  const auto place = [&]() -> std::size_t {
    switch (random() % 4) {
      case 0:
        return random() % sizeof(HeaderSlot) + random() % 2 * kSlotDistance;
      case 1:
        return slot.directory_offset + random() % slot.directory_size;
      default:
        return kFirstByte + random() % (bytes.size() - kFirstByte);
    }
  };
  switch (random() % 8) {
    case 0:
      bytes.resize(random() % bytes.size());
      return;
    case 1: {  // a number that is too large
      const std::size_t at = std::min(place(), bytes.size() - 8);
      const std::uint64_t value = random() % 2 == 0 ? random() : UINT64_MAX >> random() % 64;
      std::memcpy(bytes.data() + at, &value, 1U << random() % 4);
      return;
    }
    case 2: {
      const std::size_t at = place(), size = random() % 200;
      bytes.replace(at, size, std::string(std::min(size, bytes.size() - at), '\0'));
      return;
    }
    default:
      for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips) {
        char& byte = bytes[place()];
        byte = static_cast<char>(byte ^ 1 << random() % 8);
      }
  }
}

TEST(CitationStoreDamage, TwoThousandDamagedFilesAreRefusedOrReadable) {
  const ScratchFolder scratch;
  const std::string whole = undamaged_store(scratch);
  std::mt19937_64 random(8);
  std::map<std::string, int> messages;
  for (std::uint64_t i = 0; i < number_of_cases(2000); ++i) {
    std::string bytes = whole;
    damage(bytes, random);
    const bool is_hostile = random() % 2 == 0;
    if (is_hostile) mend_checksums(bytes);
    SCOPED_TRACE("case " + std::to_string(i));
    const auto path = scratch.write("damaged", bytes);
    (void)message_of_reading(path, false);
    const std::string message = message_of_reading(path, true);
    ++messages[message.substr(0, message.find(';')).substr(0, message.find(" at byte"))];
  }
  EXPECT_GT(messages.size(), 5U);
}

TEST(CitationStoreDamage, VerifyFindsEveryChangedByteOfTheState) {
  const ScratchFolder scratch;
  const std::string whole = undamaged_store(scratch);
  struct Range {
    std::uint64_t begin, size;
  };
  const HeaderSlot slot = newest_slot_in(whole);
  std::vector<Range> ranges = {{slot.directory_offset, slot.directory_size}};
  const CitationStore store = CitationStore::open(scratch.path() / "undamaged");
  for (const Segment& segment : store.state().segments()) {
    ranges.push_back({segment.info().offset, segment.info().size});
  }
  ASSERT_EQ(ranges.size(), 4U);
  std::mt19937_64 random(9);
  for (std::uint64_t i = 0; i < number_of_cases(300); ++i) {
    const Range& range = ranges[i % ranges.size()];
    const std::size_t at = range.begin + random() % range.size;
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
    EXPECT_THAT(message_of_reading(scratch.write("changed", bytes), true),
                testing::HasSubstr("wrong checksum"));
  }
}

TEST(CitationStoreDamage, MessagesSayPlaceAndRemedy) {
  const ScratchFolder scratch;
  const std::string whole = undamaged_store(scratch);
  const auto message = [&](const std::string& bytes) {
    return message_of_reading(scratch.write("s", bytes), true);
  };
  const std::string name = (scratch.path() / "s").string();
  const std::string no_store =
      name + ": not a citation store; expected a file that 'prescope citations import' wrote";
  EXPECT_EQ(message(""), no_store);
  EXPECT_EQ(message("US1 0 US2 1\n"), no_store);
  EXPECT_EQ(
      message(whole.substr(0, whole.size() - 1)),
      fmt::format("{}: has {} bytes of at least {}: it was cut; import the files again into a "
                  "new store",
                  name, whole.size() - 1, whole.size()));
  std::string headers = whole;
  headers[16] = static_cast<char>(headers[16] ^ 1);
  headers[kSlotDistance + 16] = static_cast<char>(headers[kSlotDistance + 16] ^ 1);
  EXPECT_EQ(message(headers), name +
                                  ": both headers of the citation store have a wrong checksum; "
                                  "import the files again into a new store");
}

TEST(CitationStoreDamage, OtherFormatVersionsAreRefused) {
  const ScratchFolder scratch;
  std::string bytes = undamaged_store(scratch);
  for (const std::uint64_t offset : {std::uint64_t{0}, kSlotDistance}) {
    HeaderSlot slot = slot_in(bytes, offset);
    slot.version = kCitationStoreVersion + 1;
    std::memcpy(bytes.data() + offset, &slot, sizeof slot);
  }
  mend_checksums(bytes);
  const auto path = scratch.write("newer", bytes);
  const std::string message =
      path.string() +
      ": a citation store of format 2; this program reads format 1 with low bytes first; import "
      "the files again into a new store";
  EXPECT_EQ(message_of_reading(path, true), message);
  EXPECT_EQ(refusal_of([&] { CitationStoreWriter writer(path); }).message, message);
  EXPECT_EQ(content_of(path), bytes);
}

/// The other header is of an older state, which must not be taken for the newest one.
TEST(StoreDamage, ADamagedHeaderIsNotPassedOver) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "a.store";
  {
    CitationStoreWriter writer(path);
    for (const char* key : {"EP1", "EP2"}) {
      CitationStoreWriter::Batch batch(writer);
      batch.add(key, {.kind = "A1"}, {});
      batch.hand_over();
      writer.commit();
    }
  }
  const std::string whole = content_of(path);
  for (const std::uint64_t offset : {std::uint64_t{0}, kSlotDistance}) {
    for (const std::size_t at : {0, 8, 20, 40}) {
      std::string damaged = whole;
      damaged[offset + at] ^= 4;
      const std::filesystem::path other = folder.write("b.store", damaged);
      EXPECT_THROW((void)CitationStore::open(other), Error) << offset << ' ' << at;
    }
  }
  EXPECT_EQ(CitationStore::open(path).counts().documents, 2U);
}

}  // namespace
}  // namespace prescope
