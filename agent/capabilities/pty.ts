import { statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { win32 } from 'node:path'
import { spawn, type IPty } from '@lydell/node-pty'
import { environment, shellEnvironment } from '../base/config.ts'
import { platform } from '../platform/index.ts'
import { isProgram } from '../platform/unix-shells.ts'

/** The login shell of the user that the agent runs as; accounts that must not log in get the system's shell. */
export function loginShell(): string {
  if (process.platform === 'win32') {
    return `${environment.windows}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`
  }
  return chooseShell(userInfo().shell ?? '', process.platform)
}

/** On macOS root has a shell that nobody uses by hand; people there have had zsh since 2019. */
export function chooseShell(ofUser: string, system: NodeJS.Platform, isThere = isProgram): string {
  const isUsed = !/(nologin|false)$/.test(ofUser) && !(system === 'darwin' && ofUser === '/bin/sh')
  const usual = system === 'darwin' ? ['/bin/zsh'] : []
  return [...(isUsed ? [ofUser] : []), ...usual, '/bin/bash', '/bin/sh'].find(isThere) ?? '/bin/sh'
}

/** What a terminal can run: the login shell, then the others that this system allows. */
export const availableShells = (): string[] => [...new Set([loginShell(), ...platform.shells()])]

const shellArguments = (shell: string) => {
  const name = win32.basename(shell).replace(/\.exe$/i, '')
  return /^(powershell|pwsh)$/i.test(name) ? ['-NoLogo'] : /^(ba|z|k|da|fi)?sh$/.test(name) ? ['-l'] : []
}

/** What programs of a terminal, or of a command without one, find around them. */
export const programEnvironment = (shell: string): Record<string, string> =>
  process.platform === 'win32' ? shellEnvironment() : unixEnvironment(shell)

function unixEnvironment(shell: string) {
  const { username } = userInfo()
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    // Without a UTF-8 locale programs draw their borders and umlauts as question marks.
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

/** Starts `shell` on a new pseudo-terminal, in the home folder. Throws when the system has no terminal to give. */
export function openPty(shell: string, columns: number, rows: number): IPty {
  return spawn(shell, shellArguments(shell), {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: homeFolder(),
    env: programEnvironment(shell),
  })
}
