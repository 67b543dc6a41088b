"""The hbm study: MPI's buffers in on-package memory (KIISE Transactions 44(2), 2017), rerun on a model."""
