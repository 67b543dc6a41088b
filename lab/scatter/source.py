"""What the source says, as numbers. Nothing of ours stands here."""
NAME = "scatter"
REPLAY_CYCLES = {"rank": 39, "status": 31}
REPLAY_NODES = 32
BEST_PERCENT, BEST_NODES = 78.93, 32
