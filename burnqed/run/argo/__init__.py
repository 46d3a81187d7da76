"""Workflows on a cluster: through the Argo server or through the Kubernetes API, whichever is configured."""
