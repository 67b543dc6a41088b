"""The deposit study: MPI over VMMC for Myrinet (2000), rerun on shared memory and on a model of its network."""
