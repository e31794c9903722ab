#!/usr/bin/env bash
# Puts fbc of a version in front of PATH, from a release archive whose checksum is checked.
set -euo pipefail

if [ -z "${FBC_VERSION:-}" ]; then
  fbc version
  exit 0
fi

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) triple=x86_64-unknown-linux-musl ;;
  Linux-aarch64) triple=aarch64-unknown-linux-musl ;;
  *)
    echo "::error::there is no archive of fbc for $(uname -s) on $(uname -m); install fbc yourself and set version to ''"
    exit 2
    ;;
esac

if [ -z "${FBC_DOWNLOAD_URL:-}${FBC_REPOSITORY:-}" ]; then
  echo "::error::set download-url to where the archives of fbc ${FBC_VERSION} are, or version to '' to run the fbc in PATH"
  exit 2
fi
name="fbc-${FBC_VERSION}-${triple}"
releases="${FBC_DOWNLOAD_URL:-${GITHUB_SERVER_URL:-https://github.com}/${FBC_REPOSITORY:-}/releases/download/v${FBC_VERSION}}"
directory="${RUNNER_TEMP:?RUNNER_TEMP is not set}/fbc"
mkdir -p "$directory"
cd "$directory"
for file in "$name.tar.gz" "$name.tar.gz.sha256"; do
  if ! curl --fail --silent --show-error --location --retry 3 --output "$file" "$releases/$file"; then
    echo "::error::cannot download $releases/$file"
    exit 2
  fi
done
if command -v sha256sum >/dev/null; then
  sha256sum --check --quiet "$name.tar.gz.sha256"
else
  shasum --algorithm 256 --check --quiet "$name.tar.gz.sha256"
fi
tar -xzf "$name.tar.gz"
echo "$directory/$name" >>"$GITHUB_PATH"
"$directory/$name/fbc" version
