#pragma once

/// Of functions that run in a host's query, after its search: they stand together in the library,
/// so that few pages and lines of code have to be fetched for them.
#define[[gnu::hot, gnu::section("prescope_query_path")]]

/// Of what they seldom need: it stands elsewhere.
#define[[gnu::cold, gnu::noinline]]
