import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { CommandLine } from '../base/command-line.ts'

export const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The shells that this system allows, one of each name; what refuses log-ins is no shell. */
export function unixShells(listFile = '/etc/shells'): string[] {
  let text = ''
  try {
    text = readFileSync(listFile, 'utf8')
  } catch {
    // A system without the list has its two usual ones.
    text = '/bin/bash\n/bin/sh'
  }
  const shells = new Map<string, string>()
  for (const line of text.split('\n')) {
    const file = line.trim()
    const name = basename(file)
    if (file.startsWith('/') && !shells.has(name) && !/^(nologin|false|git-shell)$/.test(name) && isProgram(file)) {
      shells.set(name, file)
    }
  }
  return [...shells.values()]
}

/** The shell reads all of the command first: what the command starts finds an empty input, as with `sh -c`. */
export const unixCommandLine = (command: string): { line: CommandLine; input: string } => ({
  line: ['/bin/sh', '-c', 'set -- "$(cat)"; exec </dev/null; eval "shift; $1"'],
  input: command,
})
