# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of this folder; to be sourced. Sets `root`, `cache`, `preset`; gives `step`, `die`, `apt_need`.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${PLIANT_CACHE:-${HOME:-/tmp}/.cache/pliant}
# What the scripts build and run unless told otherwise; demo and test share it, so that a newcomer builds once.
preset=${PLIANT_PRESET:-dev}

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Seconds since $1 (an EPOCHREALTIME), with one decimal.
elapsed() { awk -v a="${1/,/.}" -v b="${EPOCHREALTIME/,/.}" 'BEGIN { printf "%.1f", b - a }'; }

# step TEXT COMMAND...: runs quietly, with one closing line that says how long it took. The output is shown only when
# the command fails; meanwhile a sign of life comes every ten seconds, since a silent minute looks like a hang.
step() {
  local text=$1 log pid status=0 begin=$EPOCHREALTIME next=$((SECONDS + 10))
  shift
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  # An interrupt must not leave the command behind.
  trap 'kill "$pid" 2>/dev/null; rm -f "$log"; exit 130' INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    if ((SECONDS >= next)); then
      printf '  ... %s (%s s) %s\n' "$text" "$(elapsed "$begin")" \
        "$(tr '\r' '\n' <"$log" | tail -n 1 | tr -cd ' -~' | cut -c 1-80)"
      next=$((SECONDS + 10))
    fi
    sleep 0.1
  done
  wait "$pid" || status=$?
  trap - INT TERM
  if ((status)); then
    # Ninja's progress lines would bury the error.
    sed '/^\[[0-9]*\/[0-9]*\] /d' "$log" >&2
    rm -f "$log"
    printf 'error: %s failed after %s s (status %d); its output is above\n' "$text" "$(elapsed "$begin")" "$status" >&2
    return "$status"
  fi
  rm -f "$log"
  printf '  %-58s %7s s\n' "$text" "$(elapsed "$begin")"
}

# as_root COMMAND...: as it is for root, through sudo for others.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "installing packages needs root: run this as root or install sudo"
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    -o DPkg::Lock::Timeout=600 -o APT::Color=0 "$@"
}

# Prints those of the given packages that are not installed.
apt_missing() {
  local have
  # dpkg-query exits with 1 when it knows nothing of one of them, which is what we ask.
  have=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
  printf '%s\n' "$@" | grep -vxF -f <(printf '%s\n' "$have") || true
}

# apt_need WHAT PACKAGE...: installs the missing ones of these packages; instant when there are none.
apt_need() {
  local what=$1 missing
  shift
  command -v apt-get >/dev/null || die "this needs Debian 12 (apt-get is missing)"
  mapfile -t missing < <(apt_missing "$@")
  ((${#missing[@]})) || return 0
  # sudo's question must come before `step` takes the terminal away.
  if [[ $(id -u) != 0 ]]; then as_root true; fi
  step "package lists" as_root apt-get update -q -o Acquire::Retries=2 -o APT::Update::Error-Mode=any ||
    die "the package lists cannot be fetched: is this machine online? missing: ${missing[*]}"
  step "$what: ${#missing[@]} packages" apt_install "${missing[@]}" ||
    die "packages could not be installed: ${missing[*]}"
}
