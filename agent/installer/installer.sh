#!/bin/sh
# Farhand agent installer for @RUNTIME@: fetches the agent from the server, checks it and runs its "install" command.
set -eu

usage="Farhand agent installer for @RUNTIME@

  sh Farhand.Agent.Installer install -s SERVER -t TENANT [-ki KEY] [-i INSTANCE] [--data-dir FOLDER] ...
  sh Farhand.Agent.Installer uninstall [-i INSTANCE] [--data-dir FOLDER] [--keep-data]

Uninstalling removes settings, key and log of the device too; --keep-data leaves them.
The secret of the installer key is read from FARHAND_INSTALLER_KEY_SECRET: what stands on a command line, as it does after
-ks, other users of this system can list. With \"-ks -\" it is asked for. With -sp sha256//... nothing is taken from a
server that does not show this key. Everything after \"install\" goes to the agent: its own --help names the other options.
As root this installs for the whole system, as any other user below ~/.farhand."

fail() {
  printf 'Error: %s\n' "$1" >&2
  exit 1
}

# With a pin nothing but the key of the server counts, whoever issued its certificate and whatever name it has, and nobody
# is sent elsewhere: another server with this key may do that, to a place without TLS.
# With a third argument its content is posted as JSON. $code is the status of the answer, where the program tells it.
# fetch URL FILE [POSTED]
fetch() {
  code=''
  if command -v curl >/dev/null 2>&1; then
    code=$(curl -fsSL ${pin:+-k --proto =https --max-redirs 0 --pinnedpubkey "$pin"} --retry 2 --connect-timeout 15 \
      ${3:+--no-show-error --retry 0 -H 'content-type: application/json' --data-binary "@$3"} -w '%{http_code}' -o "$2" "$1") || refuse_key $? 90
  elif [ -n "$pin" ] && ! wget --help 2>&1 | grep -q pinnedpubkey; then
    fail 'Downloading with a pinned key needs curl, or GNU wget 1.18 or newer. Install one of them and try again.'
  elif command -v wget >/dev/null 2>&1; then
    wget_status=0
    said=$(wget -q ${pin:+--no-check-certificate --https-only --max-redirect=0 --pinnedpubkey="$pin"} --tries=3 --timeout=60 \
      ${3:+-S --header 'content-type: application/json' --post-file="$3"} -O "$2" "$1" 2>&1) || wget_status=$?
    code=$(printf '%s' "$said" | sed -n 's|^ *HTTP/[0-9.]* \([0-9]*\).*|\1|p' | sed '$!d')
    [ "$wget_status" -eq 0 ] || refuse_key "$wget_status" 5
  else
    fail 'Downloading needs curl or wget. Install one of them and try again.'
  fi
}

# Ends with the reason when a download failed with the status of another key; otherwise it just failed.
# refuse_key STATUS STATUS_OF_OTHER_KEY
refuse_key() {
  [ -n "$pin" ] && [ "$1" -eq "$2" ] || return 1
  seen=$(curl -kv --proto =https --pinnedpubkey "$pin" -o /dev/null "$origin/" 2>&1 |
    sed -n 's|.*public key hash: *\(sha256//[A-Za-z0-9+/=]*\).*|\1|p') || true
  fail "The server at $origin does not have the key that the command names, so nothing was taken from it. Expected $pin, seen ${seen:-another one}. If the server got a new key, copy the command from its Deploy page again; otherwise something on this network answers in its place."
}

# sha256 FILE
sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  else
    shasum -a 256 "$1" | cut -d ' ' -f 1
  fi
}

# member NAME FILE: a string member of a flat JSON object
member() {
  tr -d '\n' <"$2" | sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p"
}

# json_text TEXT: TEXT as it stands in a JSON string. No program gets it as an argument: printf is one of the shell itself.
json_text() {
  printf '%s' "$1" | sed 's/[\\"]/\\&/g'
}

# Leaves no secret in the environment: the programs that this script runs have no use for it, but for the agent.
take_secret() {
  secret=${FARHAND_INSTALLER_KEY_SECRET-}
  unset FARHAND_INSTALLER_KEY_SECRET
}

read_options() {
  server='' tenant='' instance='' data_dir='' key='' pin='' signed=''
  while [ $# -gt 0 ]; do
    case $1 in
      -s | --server-uri) server=${2-} ;;
      --server-uri=*) server=${1#*=} ;;
      -i | --instance-id) instance=${2-} ;;
      --instance-id=*) instance=${1#*=} ;;
      -t | --tenant-id) tenant=${2-} ;;
      --tenant-id=*) tenant=${1#*=} ;;
      -ki | --installer-key-id) key=${2-} ;;
      --installer-key-id=*) key=${1#*=} ;;
      -sp | --server-pin) pin=${2-} ;;
      --server-pin=*) pin=${1#*=} ;;
      --bundle-sha256) signed=${2-} ;;
      --bundle-sha256=*) signed=${1#*=} ;;
      --data-dir) data_dir=${2-} ;;
      --data-dir=*) data_dir=${1#*=} ;;
      -ks | --installer-key-secret) secret=${2-} ;;
      --installer-key-secret=*) secret=${1#*=} ;;
    esac
    shift
  done
  case $instance in
    *[!A-Za-z0-9._-]* | . | .. | default) fail "-i may hold letters, digits, \".\", \"_\" and \"-\", and must not be \"default\"." ;;
  esac
}

check_pin() {
  case ${pin#sha256//} in
    "$pin" | *[!A-Za-z0-9+/=]*) fail "-sp is sha256// and 44 characters of base64, not \"$pin\"." ;;
  esac
  case $server in https://*) ;; *) fail '-sp needs a server address that begins with https://.' ;; esac
}

# The folder rules are `foldersFor` of agent/platform/unix/files.ts.
choose_folders() {
  case @RUNTIME@ in
    osx-*) programs='/Library/Application Support' ;;
    *) programs=/usr/local/bin ;;
  esac
  elsewhere='Another user may have installed one: run this as that user.'
  if [ -n "$data_dir" ]; then
    settings=$data_dir program=$data_dir/program
  elif [ "$(id -u)" -eq 0 ]; then
    settings=/etc/farhand/${instance:-default} program=$programs/Farhand/${instance:-default}
  else
    settings=$HOME/.farhand/${instance:-default} program=$HOME/.farhand/${instance:-default}/program
    if [ -e "$programs/Farhand/${instance:-default}" ]; then
      elsewhere="The agent of this device is installed for the whole system, in $programs/Farhand/${instance:-default}: run this as root (sudo)."
    fi
  fi
}

# Whether somebody else prepared a folder, or could change it or one above it: the rules of agent/platform/unix/private-folder.ts.
# refuse_prepared FOLDER
refuse_prepared() {
  [ -e "$1" ] || [ -L "$1" ] || return 0
  found=$(find "$1" -prune \( ! -type d -o ! -user "$(id -u)" -o -perm -0020 -o -perm -0002 \))
  [ -z "$found" ] || fail "$1 is a link, or belongs to another user, or others may write to it, so they could change what is installed there. Look at what is in it, delete it, and try again."
}

# refuse_open_above FOLDER
refuse_open_above() {
  above=$1
  while [ ! -d "$above" ]; do
    above=$(dirname "$above")
  done
  above=$(cd -P "$above" && pwd)
  while [ "$above" != / ]; do
    found=$(find "$above" -prune \( ! -user 0 ! -user "$(id -u)" -o -perm -0002 ! -perm -1000 \))
    [ -z "$found" ] || fail "$above belongs to another user, or every user may write to it, so others could change what is installed in $1. Choose another folder."
    above=$(dirname "$above")
  done
}

check_folders() {
  case $settings$program in *[[:cntrl:]]*) fail "The folder of the agent must not hold control characters: choose another --data-dir." ;; esac
  for folder in "$settings" "$program"; do
    refuse_prepared "$folder"
    refuse_open_above "$folder"
  done
}

check_system() {
  seen="$(uname -s)-$(uname -m)"
  case "@RUNTIME@:$seen" in
    linux-x64:Linux-x86_64 | linux-arm64:Linux-aarch64 | linux-arm64:Linux-arm64 | osx-x64:Darwin-x86_64 | osx-arm64:Darwin-arm64) ;;
    *) fail "This installer is for @RUNTIME@, but this system is $seen. Choose its own command on the Deploy page." ;;
  esac
}

# Leaves nothing of an installation that failed: a version that nothing starts, and folders that were made for it.
clean_up() {
  [ -z "$is_hidden" ] || stty echo </dev/tty
  rm -rf "$work"
  [ -n "$version" ] && ! [ "$program/current" -ef "$version" ] || return 0
  rm -rf "$version"
  folder=$program/versions
  while [ -n "$made" ] && rmdir "$folder" 2>/dev/null && [ "$folder" != "$made" ]; do
    folder=$(dirname "$folder")
  done
}

begin() {
  version='' made='' is_hidden=''
  work=$(mktemp -d)
  trap clean_up EXIT
  trap 'exit 1' HUP INT TERM
}

ask_secret() {
  printf 'Secret of the installer key: ' >/dev/tty
  is_hidden=yes
  stty -echo </dev/tty
  read -r secret </dev/tty || true
  stty echo </dev/tty
  is_hidden=''
  printf '\n' >/dev/tty
}

# Asks whether the server takes the key, before anything is downloaded. Where it says neither yes nor no, registering decides.
check_key() {
  [ "$secret" != - ] || ask_secret
  [ -n "$secret" ] || fail 'The secret of the key is missing: put it in FARHAND_INSTALLER_KEY_SECRET, or give "-ks -" to be asked.'
  printf '{"installerKeyId":"%s","installerKeySecret":"%s","tenantId":"%s"}' \
    "$(json_text "$key")" "$(json_text "$secret")" "$(json_text "${tenant:-00000000-0000-0000-0000-000000000000}")" >"$work/key"
  fetch "$origin/api/appliance/v1/installer-keys/check" "$work/answer" "$work/key" || true
  rm -f "$work/key"
  case $code in
    400 | 403) fail "$origin rejects the installer key, so nothing was installed. The key may be unknown, spent, expired, or of another tenant. Take a fresh install command from the Deploy page of the server." ;;
    429) fail "$origin got too many wrong installer keys from this address, so nothing was installed. Wait a minute and try again." ;;
  esac
}

download() {
  fetch "$origin/api/agent/updates/get-bundle-metadata/@RUNTIME_NAME@" "$work/metadata" ||
    fail "Cannot get the agent's description from $origin. Is the address right, and does this server offer an agent for @RUNTIME@?"
  brand=$(member brandName "$work/metadata")
  [ "$brand" = Farhand ] || fail "$origin offers the agent of \"$brand\", not of Farhand. Download its own installer."
  url=$(member bundleDownloadUrl "$work/metadata")
  bundle=${url%.zip}.tar.gz
  printf 'Downloading Farhand agent %s ...\n' "$(member version "$work/metadata")"
  fetch "$origin$bundle" "$work/bundle" || fail "Cannot download $origin$bundle."
  fetch "$origin$bundle.sha256" "$work/sha256" || fail "Cannot download $origin$bundle.sha256."
  # An agent that updates itself names the hash that the release key of its server has signed.
  expected=${signed:-$(cut -d ' ' -f 1 "$work/sha256")}
  actual=$(sha256 "$work/bundle")
  [ "$expected" = "$actual" ] ||
    fail "The download is damaged${signed:+, or not what the release key of the server signed}: its SHA-256 should be $expected and is $actual. Try again."
}

# The hash by which the agent knows its bundle: the signed one, as everything else is only what the server says.
bundle_hash() {
  if [ -n "$signed" ]; then printf '%s\n' "$signed"; else member bundleSha256 "$work/metadata"; fi
}

# Unpacks the bundle as a version beside the one that runs. Nothing names it until its own agent switches to it.
place() {
  above=$program/versions
  while [ ! -d "$above" ]; do
    made=$above
    above=$(dirname "$above")
  done
  mkdir -p "$program/versions" 2>/dev/null && version=$(mktemp -d "$program/versions/$(printf '%.12s' "$actual")-XXXXXX") ||
    fail "Cannot create a folder in $program. Run this with sudo, or without to install for your account only."
  tar -xzof "$work/bundle" -C "$version" || fail "Cannot unpack the agent into $version. Is the disk full?"
  bundle_hash >"$version/bundle.sha256"
  chmod 755 "$version"
  chmod -R go-w "$version"
  "$version/node" --version >/dev/null 2>&1 ||
    fail 'This system cannot run the agent: it needs glibc 2.28 or newer, and a file system that allows programs.'
}

# Has the new version start itself. Without a key it is an update, which is not tried again by itself when it failed.
# start_new OPTION...
start_new() {
  if run_agent "$version" install "$@"; then
    # The older two are those of installers that moved the program as a whole.
    rm -rf "$settings/.farhand-bundle.failed" "$program.new" "$program.old"
  else
    [ -n "$key" ] || [ ! -d "$settings" ] || bundle_hash >"$settings/.farhand-bundle.failed"
    exit 1
  fi
}

# Runs the agent in a folder with these arguments, less the secret, which goes where nobody can list it.
# run_agent FOLDER COMMAND [OPTION...]
run_agent() {
  agent=$1/Farhand.Agent
  shift
  left=$#
  while [ "$left" -gt 0 ]; do
    argument=$1
    shift
    left=$((left - 1))
    case $argument in
      -ks | --installer-key-secret)
        [ "$left" -eq 0 ] || shift
        left=$((left - 1))
        ;;
      --installer-key-secret=*) ;;
      *) set -- "$@" "$argument" ;;
    esac
  done
  FARHAND_INSTALLER_KEY_SECRET=$secret "$agent" "$@" </dev/null
}

main() {
  umask 022
  case " $* " in *' --help '* | *' -h '*) command=help ;; *) command=${1-help} ;; esac
  [ $# -gt 0 ] && shift
  take_secret
  read_options "$@"
  choose_folders
  case $command in
    install)
      check_system
      origin=$(printf '%s' "$server" | sed -n 's|^\(https\{0,1\}://[^/]*\).*|\1|p')
      [ -z "$pin" ] || check_pin
      [ -n "$origin" ] || fail 'The server address is missing or not http(s): -s https://farhand.example'
      check_folders
      begin
      [ -z "$key" ] || check_key
      download
      place
      start_new "$@"
      ;;
    uninstall)
      [ -x "$program/Farhand.Agent" ] || fail "No agent is installed in $program. $elsewhere"
      check_folders
      run_agent "$program" uninstall "$@"
      ;;
    help) printf '%s\n' "$usage" ;;
    *) fail 'Say what to do: "install -s SERVER -t TENANT -ki KEY" or "uninstall". --help tells more.' ;;
  esac
}

# The last line: a download that was cut off runs nothing.
main "$@"
