#!/usr/bin/env bash
# Validates: annotations for the pull request, a SARIF file for code scanning, and the exit code as an output.
# The step itself succeeds, so that later steps can report; the last step of the action judges.
set -euo pipefail

# In a container, the checkout often belongs to another user, and git would refuse to read it.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0="$PWD"

arguments=()
if [ -n "${FBC_BASE:-}" ]; then
  arguments+=(--base "$FBC_BASE")
fi
# Words of a command line, which the workflow's author wrote, on one line or on several.
further=()
while read -r -a words; do
  further+=(${words[@]+"${words[@]}"})
done <<<"${FBC_ARGUMENTS:-}"
catalogs=()
while IFS= read -r line; do
  if [ -n "$line" ]; then
    catalogs+=("$line")
  fi
done <<<"${FBC_CATALOGS:-.}"

sarif="${RUNNER_TEMP:?RUNNER_TEMP is not set}/fbc.sarif"
status=0
fbc validate ${arguments[@]+"${arguments[@]}"} ${further[@]+"${further[@]}"} \
  -o "sarif=$sarif" -o github "${catalogs[@]}" || status=$?
echo "exit-code=$status" >>"$GITHUB_OUTPUT"
if [ "$status" -ge 2 ]; then
  echo "::error::fbc could not validate; the log of this step says why"
  exit "$status"
fi
echo "sarif-file=$sarif" >>"$GITHUB_OUTPUT"
