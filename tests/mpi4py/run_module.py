"""One rank of a run of mpi4py's own tests; see picked_tests.py. The workers that tests of pools spawn import this file, as
they do with every main program, and must find nothing that runs."""
if __name__ == "__main__":
    import picked_tests  # noqa: F401  runs the tests
