"""Beyond this machine: collectives, start and memory of jobs on many nodes, on fabrics that are described."""
