#!/bin/bash
# Runs before the Debian package is removed or replaced. "apt remove" keeps the data, "apt purge" deletes it (after-purge.sh).
set -e
if [ "$1" = remove ] && [ -e /etc/systemd/system/farhand-server.service ]; then
  # Chromium starts neither without a display nor as root, unless told.
  '/opt/Farhand/farhand' --no-sandbox --ozone-platform=headless service uninstall ||
    echo 'The service of Farhand could not be removed: systemctl disable --now farhand-server'
fi
