"""The scatter study: a root that looks at the nodes' channels before it sends."""
