"""Running tau2-bench: what the runner adds to it, what it guards it against, and playing it without a model."""
