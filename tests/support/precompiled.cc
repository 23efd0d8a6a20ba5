// An empty source for the precompiled headers of the tests.
