"""The Hera workflows: one file per workflow; templates.py alone knows Argo's fields."""
