"""Trajectories: what a search saw, one Arrow row per state or failed tactic, and one root row per theorem."""
