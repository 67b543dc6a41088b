"""What the source says, as numbers. Nothing of ours stands here."""
NAME = "scatter"
REPLAY_CYCLES = {"rank": 39, "status": 31}
REPLAY_NODES = 32
BEST_PERCENT, BEST_NODES = 78.93, 32
# The source's numbered figures and its table: where each is here.
FIGURES = {
    "figure 1": "a diagram: the set order, P1 to P31",
    "figure 2": "redrawn in \"The example, cycle by cycle\": the upper bars and rank order",
    "figure 3": "a diagram: the changed order; it is status order's in \"The example, cycle by cycle\"",
    "figure 4": "redrawn in \"The example, cycle by cycle\": status order",
    "figure 5": "redrawn in both readings; curve unknown: of its values the text gives 78.93 %",
    "table 1": "what was simulated: bus, nodes and sizes; the sweep here has the same",
}


def figures():
    return list(FIGURES.items())
