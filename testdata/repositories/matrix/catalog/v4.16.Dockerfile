FROM registry.example.com/openshift4/registry-rhel9:v4.16
ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]
COPY catalog/v4.16 /configs
LABEL operators.operatorframework.io.index.configs.v1=/configs
