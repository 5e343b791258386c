#!/bin/sh
# with-keyring.sh COMMAND…   a D-Bus session of its own with an unlocked login keyring, kept in $KEYRING_HOME
set -eu
export HOME="$KEYRING_HOME"
export XDG_DATA_HOME="$HOME/.local/share" XDG_CACHE_HOME="$HOME/.cache" XDG_RUNTIME_DIR="$HOME/run"
mkdir -p -m 700 "$XDG_RUNTIME_DIR" "$XDG_DATA_HOME/keyrings" "$XDG_CACHE_HOME"
exec dbus-run-session -- sh -c '
  printf "%s" "${KEYRING_PASSWORD:-test}" | gnome-keyring-daemon --unlock --components=secrets >/dev/null
  "$@"' sh "$@"
