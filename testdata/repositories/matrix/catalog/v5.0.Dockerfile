FROM registry.example.com/openshift5/registry-rhel9:v5.0
ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]
COPY catalog/v5.0 /configs
LABEL operators.operatorframework.io.index.configs.v1=/configs
