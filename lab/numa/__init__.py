"""Effects of memory parallelism in multicore NUMA systems (KIISE 2016), rerun."""
