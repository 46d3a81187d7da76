"""What `import burnqed` offers: proofs from a script, a notebook or a thread, and what runs have left in a store."""
