import { statSync } from 'node:fs'
import { win32 } from 'node:path'
import { spawn, type IPty } from '@lydell/node-pty'
import { environment } from '../base/environment.ts'
import { platform } from '../platform/index.ts'

/** Shells for terminals: the login shell, then the system's other shells. */
export const availableShells = (): string[] => [
  ...new Set([platform.terminals.loginShell(), ...platform.terminals.shells()]),
]

const shellArguments = (shell: string) => {
  const name = win32.basename(shell).replace(/\.exe$/i, '')
  return /^(powershell|pwsh)$/i.test(name) ? ['-NoLogo'] : /^(ba|z|k|da|fi)?sh$/.test(name) ? ['-l'] : []
}

export const homeFolder = (): string => {
  try {
    return statSync(environment.home).isDirectory() ? environment.home : '/'
  } catch {
    return '/'
  }
}

/** Spawns `shell` on a new pseudo-terminal, in the home folder. Throws when no pseudo-terminal is available. */
export function openPty(
  shell: string,
  { columns, rows, visitorName = '' }: { columns: number; rows: number; visitorName?: string },
): IPty {
  return spawn(shell, shellArguments(shell), {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: homeFolder(),
    env: { ...platform.terminals.environment(shell), ...(visitorName !== '' && { FARHAND_VISITOR: visitorName }) },
  })
}
