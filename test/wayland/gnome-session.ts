import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canActAsSomebody, somebody } from '../support/somebody.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const programs = ['gnome-shell', 'gjs', 'foot', 'wl-copy', 'pipewire', 'wireplumber', 'setpriv', 'dbus-run-session']
const missing = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0)

/** Reason why no GNOME session can run here; undefined where one can. */
export const gnomeProblem: string | undefined =
  missing.length > 0
    ? `gnome.test.ts needs ${missing.join(', ')}.`
    : canActAsSomebody
      ? undefined
      : 'gnome.test.ts needs root and another user.'

export const backgroundColor: [number, number, number] = [0x33, 0x66, 0x99]
export const terminalColor: [number, number, number] = [0x20, 0x80, 0x40]

/** Session of GNOME Shell with two virtual monitors, of a user who is not root. */
export interface GnomeSession {
  /** Runs a program in the session. */
  run(program: string, ...args: string[]): Promise<string>
  /** Bytes that the terminal has received; clicks arrive as escape sequences. */
  typed(): string
  stop(): Promise<void>
}

/** Ends with its group: GNOME Shell needs PipeWire, and a bus in the place of the system's. */
const script = `
pipewire & wireplumber &
gnome-shell --headless --wayland --no-x11 --virtual-monitor 1280x720 --virtual-monitor 1024x768 &
until [ -S $XDG_RUNTIME_DIR/wayland-0 ]; do sleep 0.2; done
echo $DBUS_SESSION_BUS_ADDRESS > $HOME/bus
until gdbus call --session --dest org.gnome.Shell --object-path /org/gnome/Shell --method org.freedesktop.DBus.Peer.Ping
do sleep 0.2; done
WAYLAND_DISPLAY=wayland-0 foot -o initial-window-mode=maximized -o colors.background=$COLOR sh $HOME/reader.sh
wait
`

export async function startGnome(): Promise<GnomeSession> {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-gnome-'))
  const typedFile = join(folder, 'typed')
  const settings = join(folder, '.config', 'glib-2.0', 'settings')
  mkdirSync(settings, { recursive: true })
  writeFileSync(
    join(settings, 'keyfile'),
    `[org/gnome/desktop/background]\npicture-options='none'\ncolor-shading-type='solid'\nprimary-color='#${Buffer.from(backgroundColor).toString('hex')}'\n`,
  )
  const reader = join(folder, 'reader.sh')
  writeFileSync(reader, `printf '\\033[?1006h\\033[?1000h'; stty raw -echo; exec cat > ${typedFile}\n`)
  const own = [
    folder,
    join(folder, '.config'),
    join(folder, '.config', 'glib-2.0'),
    settings,
    join(settings, 'keyfile'),
  ]
  for (const path of [...own, reader]) {
    chownSync(path, somebody.uid, somebody.gid)
  }
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    XDG_RUNTIME_DIR: folder,
    XDG_CURRENT_DESKTOP: 'GNOME',
    XDG_SESSION_TYPE: 'wayland',
    GSETTINGS_BACKEND: 'keyfile',
    LIBGL_ALWAYS_SOFTWARE: '1',
    COLOR: Buffer.from(terminalColor).toString('hex'),
  }
  const asUser = [`--reuid=${somebody.uid}`, `--regid=${somebody.gid}`, '--clear-groups']
  const outer = `export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS; exec dbus-run-session -- sh -c '${script}'`
  const session = spawn('setpriv', [...asUser, 'dbus-run-session', '--', 'sh', '-c', outer], {
    env,
    stdio: 'ignore',
    detached: true,
  })
  const ended = once(session, 'exit')
  await until(() => existsSync(typedFile))
  const bus = readFileSync(join(folder, 'bus'), 'utf8').trim()
  const within = { ...env, WAYLAND_DISPLAY: 'wayland-0', DBUS_SESSION_BUS_ADDRESS: bus }
  return {
    async run(name, ...args) {
      const { stdout } = await run('setpriv', [...asUser, name, ...args], { env: within })
      return stdout
    },
    typed: () => readFileSync(typedFile, 'utf8'),
    async stop() {
      if (session.exitCode === null && session.pid !== undefined) {
        process.kill(-session.pid, 'SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}
