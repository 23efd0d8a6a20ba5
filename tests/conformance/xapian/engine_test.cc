#include <fstream>

#include "conformance/engine_tests.h"
#include "conformance/xapian/database_folder.h"
#include "conformance/xapian/database_server.h"
#include "xapian_engine.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

void write_foreign(const fs::path& folder) {
  Xapian::WritableDatabase writer(folder.string(), Xapian::DB_CREATE);
  writer.add_document(to_xapian({"EP1", "valve"}, DocnoIn::kNowhere));
  writer.commit();
}

std::unique_ptr<Engine> make() { return std::make_unique<xapian::XapianEngine>(); }

const EngineUnderTest kXapian{
    .name = "Xapian",
    .make = make,
    .engine_name = "xapian",
    .version_prefix = "1.4.",
    .rankers = {"bm25", "tfidf", "pl2", "coord"},
    .longest_docno = 244,
    .holds_none = "holds no Xapian database",
    .no_docnos = "no term with the prefix 'Q' and no value in slot 0",
    .write_foreign = write_foreign,
    .commit_file = [](const fs::path& folder) { return folder / "iamglass"; },
    .sound_part = 2,
    .open_writer = [](const fs::path& folder) -> std::shared_ptr<void> {
      return std::make_shared<Xapian::WritableDatabase>(folder.string(), Xapian::DB_OPEN);
    }};
INSTANTIATE_TEST_SUITE_P(Engine, EngineConformance, testing::Values(kXapian), name_of_engine);

class XapianEngineTest : public EngineTest {
 protected:
  XapianEngineTest() : EngineTest(make()) {}
};

TEST_F(XapianEngineTest, DocnosMayBeInAValueSlotOnly) {
  DatabaseFolder slots;
  slots.move_docnos(DocnoIn::kSlot);
  slots.add({{"EP1", "XAvalv XAvalv XApump"}, {"EP2", "XAvalv XApump XApump"}, {"EP3", "XApump"}});
  for (const DocnoPolicy policy : {DocnoPolicy::kRaw, DocnoPolicy::kPatent}) {
    Watched watched(Watched::Citations{{"T1", "EP2"}}, {.docno = policy});
    const auto index = engine_->open(slots.shard(0), watched.experiment());
    QueryScope scope(watched.experiment(), TopicId{"T1"});
    EXPECT_THAT(search(*index, "valve"), ElementsAre("EP1", "EP2"));
    EXPECT_THAT(search(*index, "valve", std::vector{Docno{"EP1"}}), ElementsAre("EP2"));
    EXPECT_EQ(index->document(Docno{"EP3"})->docno.text(), "EP3");
    const std::vector<Seen> seen = watched.seen();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].hits, (std::vector<JudgedHit>{{2, {}}}));
    EXPECT_EQ(seen[1].hits, (std::vector<JudgedHit>{{1, {}}}));
  }
}

TEST_F(XapianEngineTest, ADocumentOfSeveralDocnosHasTheOneThatIsJudged) {
  DatabaseFolder database;
  database.add({{"EP1", "QEP2 XAvalv"}});
  Watched watched(Watched::Citations{{"T1", "EP2"}});
  const auto index = engine_->open(database.shard(0), watched.experiment());
  EXPECT_THAT(search(*index, "valve"), ElementsAre("EP1"));
  QueryScope scope(watched.experiment(), TopicId{"T1"});
  EXPECT_THAT(search(*index, "valve"), ElementsAre("EP2"));
}

/// EP1, EP3 in one database, EP2, EP4 in another, and a stub file that names both.
class StubTest : public XapianEngineTest {
 protected:
  void expect_whole_index(const std::string& stub) {
    const fs::path file = root_.path() / "stub";
    std::ofstream(file) << stub;
    Watched watched(Watched::Citations{{"T1", "EP3"}, {"T1", "EP2"}});
    const auto index = engine_->open(file, watched.experiment());
    EXPECT_EQ(index->num_documents(), 4U);
    {
      QueryScope scope(watched.experiment(), TopicId{"T1"});
      EXPECT_THAT(search(*index, "valve", std::vector{Docno{"EP4"}}),
                  ElementsAre("EP3", "EP2", "EP1"));
    }
    EXPECT_THAT(watched.only_ranks(), ElementsAre(1, 2));
    EXPECT_EQ(index->document(Docno{"EP2"})->docno.text(), "EP2");
  }

  void build_shards() {
    const auto patents = valve_patents(4);
    build({patents[0], patents[2]}, root_.path() / "one");
    build({patents[1], patents[3]}, root_.path() / "two");
  }
};

TEST_F(StubTest, OfTwoLocalDatabases) {
  build_shards();
  expect_whole_index("auto one\nauto two\n");
}

TEST_F(StubTest, OfTwoServers) {
  build_shards();
  DatabaseServer one(root_.path() / "one");
  DatabaseServer two(root_.path() / "two");
  const auto line = [](const DatabaseServer& server) {
    return "remote 127.0.0.1:" + std::to_string(server.port()) + "\n";
  };
  expect_whole_index(line(one) + line(two));
  one.stop();
  Watched watched(Watched::Citations{{"T1", "EP3"}});
  expect_error(ErrorCode::kIo, "a server does not answer",
               [&] { return engine_->open(root_.path() / "stub", watched.experiment()); });
}

}  // namespace
}  // namespace prescope::conformance
