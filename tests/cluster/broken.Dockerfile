# The worker's image with a bug in one step, for the tests on a cluster.
ARG WORKER
FROM ${WORKER}
USER 0
RUN python -c 'import burnqed.steps.report as step; open(step.__file__, "a").write("\nverdict = None\n")'
USER 1000:1000
