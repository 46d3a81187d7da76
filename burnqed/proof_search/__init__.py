"""Best-first search: many theorems at once, policy and Lean both busy."""
