"""What files of theorems, proofs, tactic pairs and trajectories hold, in figures: read in batches, whatever their size."""
