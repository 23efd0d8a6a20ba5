#pragma once

/// Of functions that run in a host's query, after its search: they stand together in the library,
/// so that few pages and lines of code have to be fetched for them.
#define PRESCOPE_QUERY_PATH [[gnu::hot]]
