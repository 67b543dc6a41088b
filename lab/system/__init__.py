"""This machine's tables in the form of the hybrid study's tables 1 and 2, and as a machine file for models."""
