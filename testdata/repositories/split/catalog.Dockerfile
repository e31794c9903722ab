ARG OPM_IMAGE=quay.io/operator-framework/opm:latest
FROM ${OPM_IMAGE} AS builder
ARG INPUT_DIR
COPY ./${INPUT_DIR}/ /configs/beacon-operator
FROM ${OPM_IMAGE}
COPY --from=builder /configs /configs
