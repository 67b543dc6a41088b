"""The studies of the sources, rerun: each asks a source's question again on this machine or in a model of it."""
