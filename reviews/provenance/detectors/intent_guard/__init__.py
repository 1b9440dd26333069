"""IntentGuard: the plan gate and the tool gate. Rewrites are counted by `reviews.checks`."""
