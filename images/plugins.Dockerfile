# One of the images with the wheels in a folder, for Lean backends and heads of other packages:
#     docker build -t REGISTRY/burnqed-worker:0.1.0-mine --build-arg IMAGE=REGISTRY/burnqed-worker:0.1.0 -f images/plugins.Dockerfile FOLDER
ARG IMAGE
FROM ${IMAGE}
USER 0:0
COPY *.whl /tmp/wheels/
# The images have no pip.
RUN python -m venv /tmp/tools \
 && /tmp/tools/bin/python -m pip --python /opt/venv/bin/python install --no-cache-dir /tmp/wheels/*.whl \
 && rm -r /tmp/tools /tmp/wheels
USER 1000:1000
