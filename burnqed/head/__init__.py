"""The energy head: what the search asks about a proof state."""
