import { execFile } from 'node:child_process'
import type { Log } from '../base/log.ts'
import { platform } from '../platform/index.ts'
import type { PowerChange } from '../platform/platform.ts'
import type { CommandLine } from '../base/command-line.ts'

/** Power changes by the hub's numbers; 0 is undefined. */
const changes: Readonly<Record<number, PowerChange | undefined>> = { 1: 'restart', 2: 'shutdown' }

interface PowerDependencies {
  log: Log
  /** Runs a system program, which may terminate this process before the call returns. */
  execute?: (command: CommandLine, failed: (error: Error) => void) => void
}

const executeNow = ([file, ...args]: CommandLine, failed: (error: Error) => void) => {
  execFile(file, args, { timeout: 30_000, windowsHide: true }, (error) => {
    if (error) {
      failed(error)
    }
  })
}

/** Restarts the device (1) or shuts the device down (2), at once and without consent. */
export function changePower(type: number, { log, execute = executeNow }: PowerDependencies): void {
  const change = changes[type]
  if (!change) {
    return
  }
  log.warn({ change }, 'The server asked to change the power state')
  execute(platform.powerCommand(change), (error) => log.error({ change, error }, 'The power state was not changed'))
}
