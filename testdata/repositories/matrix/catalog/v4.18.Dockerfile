FROM registry.example.com/openshift4/registry-rhel9:v4.18
ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]
COPY catalog/v4.18 /configs
LABEL operators.operatorframework.io.index.configs.v1=/configs
