// The module as the program sees it.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "conformance/watched.h"
#include "prescope/engine.h"
#include "prescope/error.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

EngineFactory* factory() {
  void* module = ::dlopen(OWN_ENGINE_MODULE, RTLD_NOW);
  if (module == nullptr) throw std::runtime_error(::dlerror());
  return reinterpret_cast<EngineFactory*>(::dlsym(module, kEngineFactorySymbol));
}

class OwnModuleTest : public testing::Test {
 protected:
  OwnModuleTest() {
    const int file = ::mkstemp(path_.data());
    ::close(file);
    // "valve pump" finds 3, 2, 1 and 1 of its words in them.
    std::ofstream(path_) << "EP1A1\tvalve seat\nEP2A1\tvalve pump\nEP3A1\tpump pump pump\n"
                            "EP3B1\tpump\nEP4A1\tlens\n";
  }
  ~OwnModuleTest() override { fs::remove(path_); }

  std::vector<std::string> search(const ArmConfig& arm, std::span<const Docno> exclude) {
    const auto index = engine_.open(path_, watched_.experiment());
    std::vector<Hit> hits;
    QueryScope scope(watched_.experiment(), TopicId{"T1"});
    index->searcher(arm)->search(
        {.topic = "T1", .text = "valve pump", .exclude = exclude, .depth = 10}, &hits);
    std::vector<std::string> docnos;
    for (const Hit& hit : hits) docnos.push_back(hit.docno.text());
    return docnos;
  }

  std::string path_ = (fs::temp_directory_path() / "prescope-own-XXXXXX").string();
  Watched watched_{Watched::Citations{{"T1", "EP2"}}, {.docno = DocnoPolicy::kPatent}};
  Engine& engine_ = *factory()(kEngineApiVersion);
  const ArmConfig plain_{ArmId{"a"}, {}};
};

TEST_F(OwnModuleTest, ServesAndIsObserved) {
  EXPECT_THAT(search(plain_, {}), ElementsAre("EP3A1", "EP2A1", "EP1A1", "EP3B1"));
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(2));
}

TEST_F(OwnModuleTest, LeavesOutEveryDocumentOfAnExcludedPatent) {
  const std::vector<Docno> exclude = {Docno{"EP-0000003"}};
  EXPECT_THAT(search(plain_, exclude), ElementsAre("EP2A1", "EP1A1"));
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(1));
}

TEST_F(OwnModuleTest, AnArmChoosesTheOrder) {
  EXPECT_THAT(search({ArmId{"a"}, {{"order", "docno", "x"}}}, {}),
              ElementsAre("EP1A1", "EP2A1", "EP3A1", "EP3B1"));
  EXPECT_THROW(search({ArmId{"a"}, {{"order", "size", "x"}}}, {}), Error);
}

TEST_F(OwnModuleTest, OtherInterfaceVersionGetsNoEngine) {
  EXPECT_EQ(factory()(kEngineApiVersion + 1), nullptr);
}

}  // namespace
}  // namespace prescope::conformance
