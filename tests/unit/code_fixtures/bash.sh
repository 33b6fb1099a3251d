#!/usr/bin/env bash
# Sends parcels.
set -euo pipefail

source "$(dirname "$0")/lib/scales.sh"
. /etc/parcel.conf

readonly MAX_WEIGHT=30
export API_KEY="not-for-records"
verbose=1

# Gives kilograms.
#
# shellcheck disable=SC2034
weigh() {
  local raw=$1
  # TODO: round up
  if [ "$raw" -gt "$MAX_WEIGHT" ]; then
    calibrate "$raw" | sort | "$SCALE" --tare
  fi
  echo "$(scales::read "$raw" || ./bin/guess.sh)"
}

function send {
  weigh "$1" && sudo deliver --to "$2"
}

_hide() (
  rm -f "$1"
)

żółć() {
  send "$@"
}

cat <<EOF
# TODO: this is a text
$(send nobody)
EOF

test_send() {
  assert_equals 1 "$(send 1)"
}

send "$@"
