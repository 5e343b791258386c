import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { canActAsSomebody, somebody } from '../support/somebody.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const programs = ['sway', 'foot', 'wl-copy', 'wl-paste', 'setpriv', 'dbus-run-session']
const missing = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0)

/** Reason why no sway session can run here; undefined where one can. */
export const swayProblem: string | undefined =
  missing.length > 0
    ? `sway.test.ts needs ${missing.join(', ')}.`
    : canActAsSomebody
      ? undefined
      : 'sway.test.ts needs root and another user.'

export const backgroundColor: [number, number, number] = [0x33, 0x66, 0x99]
export const terminalColor: [number, number, number] = [0x20, 0x80, 0x40]

/** Session of sway with two outputs in memory, of a user who is not root. */
export interface SwaySession {
  /** Name of the desktop environment, which no other session on this machine has. */
  desktopName: string
  /** Sends a command to sway. */
  command(text: string): Promise<void>
  /** Runs a program in the session. */
  run(program: string, ...args: string[]): Promise<string>
  /** Bytes that the terminal has received; clicks arrive as escape sequences. */
  typed(): string
  /** Ends sway as a crash would. */
  kill(): void
  stop(): Promise<void>
}

export async function startSway(): Promise<SwaySession> {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-sway-'))
  const desktopName = basename(folder)
  const typedFile = join(folder, 'typed')
  const socket = join(folder, 'sway.sock')
  const reader = join(folder, 'reader.sh')
  const color = Buffer.from(terminalColor).toString('hex')
  writeFileSync(reader, `printf '\\033[?1006h\\033[?1000h'; stty raw -echo; exec cat > ${typedFile}\n`)
  writeFileSync(
    join(folder, 'config'),
    [
      'output HEADLESS-1 mode 1280x720@60Hz position 0 0',
      'output HEADLESS-2 mode 1024x768@60Hz position 1280 0',
      `output * bg #${Buffer.from(backgroundColor).toString('hex')} solid_color`,
      'xwayland disable',
      'default_border none',
      'workspace 1 output HEADLESS-1',
      'workspace 2 output HEADLESS-2',
      'workspace 1',
      `exec foot -o colors.background=${color} sh ${reader}`,
    ].join('\n'),
  )
  chmodSync(folder, 0o700)
  for (const path of [folder, reader, join(folder, 'config')]) {
    chownSync(path, somebody.uid, somebody.gid)
  }
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    XDG_RUNTIME_DIR: folder,
    XDG_CURRENT_DESKTOP: desktopName,
    SWAYSOCK: socket,
    WLR_BACKENDS: 'headless',
    WLR_LIBINPUT_NO_DEVICES: '1',
    WLR_RENDERER: 'pixman',
    WLR_HEADLESS_OUTPUTS: '2',
  }
  const asUser = [`--reuid=${somebody.uid}`, `--regid=${somebody.gid}`, '--clear-groups']
  const program = ['dbus-run-session', '--', 'sh', '-c', `echo $$ > ${folder}/pid; exec sway -c ${folder}/config`]
  const bus = spawn('setpriv', [...asUser, ...program], { env, stdio: 'ignore' })
  const ended = once(bus, 'exit')
  await until(() => existsSync(typedFile))
  const within = { ...env, WAYLAND_DISPLAY: 'wayland-1' }
  const runIn = async (name: string, ...args: string[]) => {
    const { stdout } = await run('setpriv', [...asUser, name, ...args], { env: within })
    return stdout
  }
  const kill = () => process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL')
  return {
    desktopName,
    command: async (text) => void (await runIn('swaymsg', text)),
    run: runIn,
    typed: () => readFileSync(typedFile, 'utf8'),
    kill,
    async stop() {
      if (bus.exitCode === null) {
        kill()
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
