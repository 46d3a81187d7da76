"""Finds the packages; everything else stands in pyproject.toml. `workflows/` installs under a name that nothing else uses."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["burnqed", "burnqed.*"]), "burnqed_workflows"])
