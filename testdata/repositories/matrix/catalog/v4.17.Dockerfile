FROM registry.example.com/openshift4/registry-rhel9:v4.17
ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]
COPY catalog/v4.17 /configs
LABEL operators.operatorframework.io.index.configs.v1=/configs
