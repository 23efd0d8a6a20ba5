#include "conformance/suite.h"
#include "conformance/run_file/run_subject.h"

namespace prescope::conformance {

INSTANTIATE_TEST_SUITE_P(RunFile, Conformance, testing::Values(NamedSubject{"Run", run_subject}),
                         name_of);

}  // namespace prescope::conformance
