/** Log and messages for a terminal, instead of JSON lines. */
import { inspect } from 'node:util'
import type { DestinationStream } from 'pino'
import type { RunningServer } from './appliance-server.ts'
import type { LogLine } from '../ground/log.ts'
import { printable } from '../ground/printable.ts'

const levels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

const warning = 40

const show = (value: unknown) =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : inspect(value, { breakLength: Infinity, depth: 5 })

function readable({ level, time, msg = '', err, ...fields }: LogLine): string {
  const clock = new Date(time).toTimeString().slice(0, 8)
  const details = Object.entries(fields).map(([name, value]) => `  ${name}=${show(value)}`)
  const trace = err ? `\n${err.stack ?? err.message ?? ''}` : ''
  return printable(`${clock} ${(levels[level] ?? '').padEnd(5)} ${msg}${details.join('')}${trace}\n`)
}

export interface TerminalLog extends DestinationStream {
  /** Prints the queued lines, and all following lines at once. */
  release(): void
}

/** Log lines for a terminal. Until `release`, only warnings are printed, so that the greeting comes first. */
export function terminalLog(write: (text: string) => void): TerminalLog {
  let waiting: string[] | undefined = []
  return {
    write(json) {
      const line = JSON.parse(json) as LogLine
      if (waiting && line.level < warning) {
        waiting.push(readable(line))
      } else {
        write(readable(line))
      }
    },
    release() {
      waiting?.forEach(write)
      waiting = undefined
    },
  }
}

const secretPlaces = { keychain: 'the keychain of this user', file: 'a key file in that folder' } as const

/** Next steps for the person who started the server. */
export const greeting = (running: Omit<RunningServer, 'urls'>, dataDirectory: string): string[] => [
  running.setupCode === null
    ? 'Sign in there: open that address in a browser.'
    : 'Open that address in a browser to create the first account.',
  `Data lies in ${dataDirectory}, and its secrets in ${secretPlaces[running.secretStore]}.`,
  'Ctrl+C stops the server.',
]
