#!/bin/sh
# The walk with helm, whose chart makes what the other clients apply; helm does not drain, so kubectl does.
set -eu
chart=$(dirname "$0")/chart
quiet() { "$@" >/dev/null; }
version() { kubectl get clusterextension ferry -o 'jsonpath={.status.install.bundle.version}'; }
status() { helm history harbour -o json | sed -e 's/.*"status":"\([a-z-]*\)"[^}]*}]$/\1/'; }

quiet helm install harbour "$chart" --wait --timeout 60s
quiet kubectl rollout status deployment/web
echo applied

quiet kubectl wait --for=condition=Installed clusterextension/ferry --timeout=60s
echo "installed $(version)"

quiet helm upgrade harbour "$chart" --set version=1.1.0 --wait --timeout 60s
quiet kubectl wait --for='jsonpath={.status.install.bundle.version}=1.1.0' clusterextension/ferry --timeout=60s
echo "updated $(version)"

quiet kubectl drain node-1 --ignore-daemonsets
quiet kubectl rollout status deployment/web
[ -z "$(kubectl get pods -o name --field-selector spec.nodeName=node-1)" ]
echo drained

# What only helm does: a release that is refused leaves the one before, and an earlier one comes back.
if helm upgrade harbour "$chart" --set replicas=-1 --wait --timeout 60s >/dev/null 2>&1; then
  echo "a Deployment of -1 replicas is accepted" >&2
  exit 1
fi
refused=$(status)
quiet helm rollback harbour 1 --wait --timeout 60s
rolled_back=$(status)

quiet helm uninstall harbour --wait --timeout 60s
[ -z "$(kubectl get clusterextensions,pods,secrets -o name)" ]
echo deleted
echo "refused upgrade $refused, rollback $rolled_back"
