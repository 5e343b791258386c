import { readFileSync } from 'node:fs'
import path from 'node:path'
import { backgroundColor, hex, terminal, type Compositor } from './session.ts'

const programOf = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8')
const portalProgram = '/usr/libexec/xdg-desktop-portal'

/** sway with two outputs in memory. */
export const sway: Compositor = {
  name: 'sway',
  programs: ['sway', 'swaymsg'],
  socket: 'wayland-1',
  script: 'echo $$ > $HOME/pid; export SWAYSOCK=$HOME/sway.sock; exec sway -c $HOME/config',
  files: {
    config: [
      'output HEADLESS-1 mode 1280x720@60Hz position 0 0',
      'output HEADLESS-2 mode 1024x768@60Hz position 1280 0',
      `output * bg #${hex(backgroundColor)} solid_color`,
      'xwayland disable',
      'default_border none',
      // New windows keep the focus wherever the pointer is.
      'focus_follows_mouse no',
      'workspace 1 output HEADLESS-1',
      'workspace 2 output HEADLESS-2',
      'workspace 1',
      `exec ${terminal()}`,
    ].join('\n'),
  },
  environment: {
    WLR_BACKENDS: 'headless',
    WLR_LIBINPUT_NO_DEVICES: '1',
    WLR_RENDERER: 'pixman',
    WLR_HEADLESS_OUTPUTS: '2',
  },
}

/** GNOME Shell with two virtual monitors; it needs PipeWire. In its unsafe mode tests can run code within it. */
export const gnome: Compositor = {
  name: 'GNOME',
  programs: ['gnome-shell', 'gjs', 'pipewire', 'wireplumber', 'gdbus'],
  socket: 'wayland-0',
  script: `
pipewire & wireplumber &
gnome-shell --headless --wayland --no-x11 --unsafe-mode --virtual-monitor 1600x1000 --virtual-monitor 1600x980 &
echo $! > $HOME/pid
until gdbus call --session --dest org.gnome.Shell --object-path /org/gnome/Shell --method org.freedesktop.DBus.Peer.Ping
do sleep 0.2; done
export WAYLAND_DISPLAY=wayland-0
until [ -e $HOME/typed ]; do ${terminal('-o initial-window-mode=maximized')}; done
wait
`,
  files: {
    'entry.js': programOf('entry.js'),
    '.config/glib-2.0/settings/keyfile': `[org/gnome/desktop/background]
picture-options='none'
color-shading-type='solid'
primary-color='#${hex(backgroundColor)}'
`,
  },
  environment: { GSETTINGS_BACKEND: 'keyfile', LIBGL_ALWAYS_SOFTWARE: '1' },
}

/**
 * Desktop that only its portal shows, as KDE's: Weston in front, the part of the portal that asks the person in gjs, and
 * behind that a Mutter, which no agent finds by the name of its socket.
 */
export const portal: Compositor = {
  name: 'portal',
  programs: ['weston', 'mutter', 'gjs', 'pipewire', 'wireplumber', portalProgram],
  socket: 'wayland-2',
  script: `
pipewire & wireplumber &
dbus-run-session -- sh -c 'echo $DBUS_SESSION_BUS_ADDRESS > $HOME/screen-bus
exec mutter --headless --wayland --no-x11 --wayland-display=screen --virtual-monitor 1280x720' &
until [ -S $XDG_RUNTIME_DIR/screen ]; do sleep 0.2; done
weston --backend=headless-backend.so --socket=wayland-2 --idle-time=0 &
echo $! > $HOME/pid
gjs -m $HOME/backend.js &
until gdbus introspect --session --dest org.freedesktop.impl.portal.desktop.farhand --object-path /; do sleep 0.2; done
XDG_DESKTOP_PORTAL_DIR=$HOME/portals ${portalProgram} &
export WAYLAND_DISPLAY=screen
until [ -e $HOME/typed ]; do ${terminal('-o initial-window-mode=fullscreen')}; done
wait
`,
  files: {
    'backend.js': programOf('portal-backend.js'),
    'portals/farhand.portal': `[portal]
DBusName=org.freedesktop.impl.portal.desktop.farhand
Interfaces=org.freedesktop.impl.portal.RemoteDesktop;org.freedesktop.impl.portal.ScreenCast
UseIn=portal
`,
  },
  environment: { LIBGL_ALWAYS_SOFTWARE: '1' },
}
