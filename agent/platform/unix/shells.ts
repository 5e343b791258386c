import { randomUUID } from 'node:crypto'
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { CommandLine } from '../../base/command-line.ts'

export const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Reads the allowed shells, one path per name; excludes programs that reject logins. */
export function unixShells(listFile = '/etc/shells'): string[] {
  let text = ''
  try {
    text = readFileSync(listFile, 'utf8')
  } catch {
    // Default shells for systems without the list.
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

/**
 * Runs `$1` without the end mark `$2`; rejects a command without the mark, because the pipe was cut and a prefix would
 * run.
 */
const runIfComplete = `case $1 in
  *$2) eval "shift 2; \${1%$2}" ;;
  *) echo 'The command arrived incomplete, so none of it was run.' >&2; exit 126 ;;
esac`

/** Reads the whole command before running it; programs it starts get empty input, as with `sh -c`. */
export function unixCommandLine(command: string): { line: CommandLine; input: string } {
  // Random, so that no prefix of the command ends with the mark.
  const mark = randomUUID()
  const script = `set -- "$(cat)" "$1"; exec </dev/null; ${runIfComplete}`
  return { line: ['/bin/sh', '-c', script, '/bin/sh', mark], input: command + mark }
}
