"""What all studies share: steps, progress, programs, findings, the machine's description, charts and the page."""
