"""The benchmarks as suites: official loaders, generators, the shipped data."""
