#!/bin/sh
# The walk with kubectl.
set -eu
manifests=$1
quiet() { "$@" >/dev/null; }

quiet kubectl apply --server-side -f "$manifests"
quiet kubectl rollout status deployment/web
echo applied

quiet kubectl wait --for=condition=Installed clusterextension/ferry --timeout=60s
version() { kubectl get clusterextension ferry -o 'jsonpath={.status.install.bundle.version}'; }
echo "installed $(version)"

quiet kubectl patch clusterextension ferry --type merge -p '{"spec":{"source":{"catalog":{"version":"1.1.0"}}}}'
tries=600
until [ "$(version)" = 1.1.0 ]; do
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] || { echo "1.1.0 is not installed" >&2; exit 1; }
  sleep 0.1
done
echo "updated $(version)"

quiet kubectl drain node-1 --ignore-daemonsets
quiet kubectl rollout status deployment/web
[ -z "$(kubectl get pods -o name --field-selector spec.nodeName=node-1)" ]
echo drained

# With its namespace an account is gone at once.
quiet kubectl delete --ignore-not-found -f "$manifests"
[ -z "$(kubectl get clusterextensions,pods -o name)" ]
echo deleted
