#pragma once

/// Of functions that run in a host's query, after its search: they stand together in the library,
/// so that few pages and lines of code have to be fetched for them.
#define PRESCOPE_QUERY_PATH [[gnu::hot, gnu::section("prescope_query_path")]]

/// Of what they seldom need: it stands elsewhere.
#define PRESCOPE_QUERY_PATH_ASIDE [[gnu::cold, gnu::noinline]]
