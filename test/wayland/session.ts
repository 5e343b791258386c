import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { canActAsSomebody, somebody } from '../support/somebody.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)

export const backgroundColor: [number, number, number] = [0x33, 0x66, 0x99]
export const terminalColor: [number, number, number] = [0x20, 0x80, 0x40]

export const hex = (color: readonly number[]): string => Buffer.from(color).toString('hex')

/** How a compositor is started, in a folder of its own. */
export interface Compositor {
  name: string
  /** Programs that it needs. */
  programs: readonly string[]
  socket: string
  /** Script of the session, within a session bus. Writes the compositor's process id to `$HOME/pid`. */
  script: string
  /** Files below the folder, with their text. */
  files: Readonly<Record<string, string>>
  environment: Readonly<Record<string, string>>
}

/** Session with two monitors in memory, of a user who is not root. A terminal fills the first monitor. */
export interface WaylandSession {
  /** Name of the desktop environment, which no other session on this machine has. */
  desktopName: string
  folder: string
  /** Address of the session bus. */
  bus: string
  /** Runs a program in the session. */
  run(program: string, ...args: string[]): Promise<string>
  /** Bytes that the terminal has received; clicks arrive as escape sequences. */
  typed(): string
  /** Ends the compositor as a crash would. */
  kill(): void
  stop(): Promise<void>
}

/** Returns the reason why the session of a compositor cannot run here; undefined where it can. */
export function problemOf({ name, programs }: Compositor): string | undefined {
  const needed = [...programs, 'foot', 'wl-copy', 'wl-paste', 'setpriv', 'dbus-run-session']
  const missing = needed.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
  if (missing.length > 0) {
    return `A session of ${name} needs ${missing.join(', ')}.`
  }
  return canActAsSomebody ? undefined : `A session of ${name} needs root and another user.`
}

/** Command for a terminal whose program records every byte. */
export const terminal = (options = ''): string =>
  `foot -o colors.background=${hex(terminalColor)} ${options} sh $HOME/reader.sh`

const reader = `printf '\\033[?1006h\\033[?1000h'; stty raw -echo; exec cat > $HOME/typed\n`

/** Folders between a file and the folder, the outermost first. */
const foldersOf = (file: string): string[] =>
  dirname(file) === '.' ? [] : [...foldersOf(dirname(file)), dirname(file)]

export async function startSession(compositor: Compositor): Promise<WaylandSession> {
  const folder = mkdtempSync(join(tmpdir(), `farhand-${compositor.name}-`))
  const files = { ...compositor.files, 'reader.sh': reader, 'session.sh': compositor.script }
  await chown(folder, somebody.uid, somebody.gid)
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(folder, dirname(file)), { recursive: true })
    await writeFile(join(folder, file), text)
    for (const path of [...foldersOf(file), file]) {
      await chown(join(folder, path), somebody.uid, somebody.gid)
    }
  }
  const desktopName = `${compositor.name}:${basename(folder)}`
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    XDG_RUNTIME_DIR: folder,
    XDG_CURRENT_DESKTOP: desktopName,
    XDG_SESSION_TYPE: 'wayland',
    ...compositor.environment,
  }
  const asUser = [`--reuid=${somebody.uid}`, `--regid=${somebody.gid}`, '--clear-groups']
  // Two buses: the outer one stands in the place of the system's.
  const within = 'export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS; exec dbus-run-session -- sh -c "$INNER"'
  const session = spawn('setpriv', [...asUser, 'dbus-run-session', '--', 'sh', '-c', within], {
    env: { ...env, INNER: 'echo $DBUS_SESSION_BUS_ADDRESS > $HOME/bus; exec sh $HOME/session.sh' },
    stdio: 'ignore',
    detached: true,
  })
  const ended = once(session, 'exit')
  const text = (file: string) => readFileSync(join(folder, file), 'utf8')
  const stop = async () => {
    if (session.exitCode === null && session.pid !== undefined) {
      process.kill(-session.pid, 'SIGKILL')
      await ended
    }
    // Mounted by the document portal, which Chromium starts.
    spawnSync('umount', ['--lazy', join(folder, 'doc')])
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  await until(() => {
    if (session.exitCode !== null) {
      throw new Error(`The session of ${compositor.name} ended with status ${session.exitCode}.`)
    }
    return existsSync(join(folder, 'typed'))
  })
  const bus = text('bus').trim()
  const inSession = { ...env, WAYLAND_DISPLAY: compositor.socket, DBUS_SESSION_BUS_ADDRESS: bus }
  return {
    desktopName,
    folder,
    bus,
    async run(name, ...args) {
      const { stdout } = await run('setpriv', [...asUser, name, ...args], { env: inSession })
      return stdout
    },
    typed: () => text('typed'),
    kill: () => process.kill(Number(text('pid')), 'SIGKILL'),
    stop,
  }
}
