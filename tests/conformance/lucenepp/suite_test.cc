#include "conformance/suite.h"
#include "conformance/lucenepp/lucene_subject.h"

namespace prescope::conformance {

INSTANTIATE_TEST_SUITE_P(Lucenepp, Conformance,
                         testing::Values(NamedSubject{"Single", lucene_single},
                                         NamedSubject{"Multi", lucene_multi},
                                         NamedSubject{"Parallel", lucene_parallel}),
                         name_of);

}  // namespace prescope::conformance
