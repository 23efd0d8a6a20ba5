// The conformance suite for Xapian: one database, two, and two behind servers.
#include "conformance/suite.h"
#include "conformance/xapian/xapian_subject.h"

namespace prescope::conformance {
namespace {

INSTANTIATE_TEST_SUITE_P(Xapian, Conformance,
                         testing::Values(NamedSubject{"XapianLocal", xapian_local},
                                         NamedSubject{"XapianMulti", xapian_multi},
                                         NamedSubject{"XapianRemote", xapian_remote}),
                         name_of);

}  // namespace
}  // namespace prescope::conformance
