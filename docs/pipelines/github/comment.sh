#!/usr/bin/env bash
# Writes what a change means to the summary of the run and to a comment on the pull request. A comment that an earlier
# run wrote is updated, so that there is one.
set -euo pipefail

# In a container, the checkout often belongs to another user, and git would refuse to read it.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0="$PWD"

# Commits that the base gained since then are not part of this change.
base="$(git merge-base "$FBC_BASE" HEAD 2>/dev/null || echo "$FBC_BASE")"
marker='<!-- fbc diff -->'
body="${RUNNER_TEMP:?RUNNER_TEMP is not set}/fbc-comment.md"
echo "$marker" >"$body"
has_catalog=false
has_changes=false
while IFS= read -r catalog; do
  if [ -z "$catalog" ]; then
    continue
  fi
  # Git knows paths from the root of a repository, which is an empty path.
  path="${catalog#"$PWD"/}"
  path="${path#./}"
  if [ "$path" = . ]; then
    path=
  fi
  old="$base:$path"
  if ! git cat-file -e "$old" 2>/dev/null; then
    echo "$catalog is new" >>"$body"
    has_changes=true
    continue
  fi
  # 0 and 1 are answers; the action judges by `fbc validate`.
  status=0
  before="$(wc -c <"$body")"
  fbc diff "$old" "$catalog" -o markdown --fail-on any >>"$body" || status=$?
  if [ "$status" -ge 2 ]; then
    exit "$status"
  fi
  if [ "$status" -eq 1 ]; then
    has_changes=true
    if [ "$(wc -c <"$body")" -eq "$before" ]; then
      echo "$catalog cannot be compared, because one of the two cannot be loaded: \`fbc validate\` says why" >>"$body"
    fi
  fi
  has_catalog=true
done <<<"${FBC_CATALOGS:-.}"
if [ "$has_catalog" = true ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  cat "$body" >>"$GITHUB_STEP_SUMMARY"
fi

api() {
  curl --silent --show-error --fail-with-body --header "Authorization: Bearer $GITHUB_TOKEN" \
    --header 'Accept: application/vnd.github+json' "$@"
}

comments="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$FBC_PULL_REQUEST/comments"
mine=
page=1
while :; do
  if ! answer="$(api "$comments?per_page=100&page=$page")"; then
    echo "::warning::comments cannot be read"
    exit 0
  fi
  mine="$(jq --raw-output --arg marker "$marker" 'map(select((.body // "") | startswith($marker)))[0].id // empty' <<<"$answer")"
  if [ -n "$mine" ] || [ "$(jq length <<<"$answer")" -lt 100 ]; then
    break
  fi
  page=$((page + 1))
done
if [ -n "$mine" ]; then
  target=(--request PATCH "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments/$mine")
elif [ "$has_changes" = false ]; then
  # There is nothing to say, and nothing to take back.
  exit 0
else
  target=(--request POST "$comments")
fi
if ! jq --raw-input --slurp '{body: .}' "$body" | api "${target[@]}" --data @- >"$RUNNER_TEMP/fbc-answer.json"; then
  # Pull requests from forks have a token that may only read.
  echo "::warning::the comment cannot be written: $(jq --raw-output '.message // "no reason given"' "$RUNNER_TEMP/fbc-answer.json" || true)"
fi
