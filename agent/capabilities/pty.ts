import { statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { win32 } from 'node:path'
import { spawn, type IPty } from '@lydell/node-pty'
import { environment, shellEnvironment } from '../base/config.ts'
import { platform } from '../platform/index.ts'
import { isProgram } from '../platform/unix-shells.ts'

/** Login shell of the agent's user; accounts without a login shell use the system's default. */
export function loginShell(): string {
  if (process.platform === 'win32') {
    return `${environment.windows}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`
  }
  return chooseShell(userInfo().shell ?? '', process.platform)
}

/** Chooses the shell. On macOS root's `/bin/sh` is replaced by zsh, the default there since 2019. */
export function chooseShell(ofUser: string, system: NodeJS.Platform, isThere = isProgram): string {
  const isUsed = !/(nologin|false)$/.test(ofUser) && !(system === 'darwin' && ofUser === '/bin/sh')
  const usual = system === 'darwin' ? ['/bin/zsh'] : []
  return [...(isUsed ? [ofUser] : []), ...usual, '/bin/bash', '/bin/sh'].find(isThere) ?? '/bin/sh'
}

/** Shells for terminals: the login shell, then the system's other shells. */
export const availableShells = (): string[] => [...new Set([loginShell(), ...platform.shells()])]

const shellArguments = (shell: string) => {
  const name = win32.basename(shell).replace(/\.exe$/i, '')
  return /^(powershell|pwsh)$/i.test(name) ? ['-NoLogo'] : /^(ba|z|k|da|fi)?sh$/.test(name) ? ['-l'] : []
}

/** Environment of programs in a terminal and of commands without a terminal. */
export const programEnvironment = (shell: string): Record<string, string> =>
  process.platform === 'win32' ? shellEnvironment() : unixEnvironment(shell)

function unixEnvironment(shell: string) {
  const { username } = userInfo()
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    // Without a UTF-8 locale, programs print borders and umlauts as question marks.
    LANG: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8',
    ...shellEnvironment(),
    HOME: environment.home,
    USER: username,
    LOGNAME: username,
    SHELL: shell,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  }
}

export const homeFolder = (): string => {
  try {
    return statSync(environment.home).isDirectory() ? environment.home : '/'
  } catch {
    return '/'
  }
}

/** Spawns `shell` on a new pseudo-terminal, in the home folder. Throws when no pseudo-terminal is available. */
export function openPty(shell: string, columns: number, rows: number): IPty {
  return spawn(shell, shellArguments(shell), {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: homeFolder(),
    env: programEnvironment(shell),
  })
}
