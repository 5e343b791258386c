#!/bin/bash
# Runs before the Debian package is removed or replaced. "apt remove" keeps the data, "apt purge" deletes it (after-purge.sh).
set -e
if [ "$1" = remove ] && [ -e /etc/systemd/system/farhand-server.service ]; then
  '/opt/Farhand/farhand' service uninstall || echo 'The service of Farhand could not be removed: systemctl disable --now farhand-server'
fi
