"""The estimator as samples come: recursion, gate, change detection, checkpoints."""
