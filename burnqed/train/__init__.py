"""Training of the policy and of the head."""

import os

# Read once, when torch loads its thread library: threads that wait for work sleep instead of spinning. Spinning made fine-tuning of the
# small model on two busy cores take three to ten times the CPU time.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
