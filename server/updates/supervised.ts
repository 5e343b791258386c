import { basename } from 'node:path'
import { installation } from '../engines/process/installation.ts'
import { homeOf } from '../engines/process/program-home.ts'
import type { VersionsHost } from './program-host.ts'
import { isSettledMessage, type ServerMessage } from './supervision.ts'

const home = homeOf(installation.folder)
const keeperEnded = 'The keeper of this process has ended.'

interface Supervised {
  host: VersionsHost
  listening(urls: readonly string[]): void
  /** Calls `end` with the reason when the server must stop: to continue an update, or because the keeper was killed. */
  onEnd(end: (reason: string) => void): void
}

/** The keeper of this process; undefined without one. */
export function supervisedHost(): Supervised | undefined {
  if (!home || !process.send) {
    return undefined
  }
  const tell = (message: ServerMessage) => process.send?.(message, () => {})
  let end: (reason: string) => void = () => {}
  process.on('disconnect', () => end(keeperEnded))
  return {
    host: {
      home,
      name: basename(installation.folder),
      handOver: () => end('The keeper continues an update.'),
      reportBack: (count) => void tell({ farhand: 'agents-back', count }),
      onSettled: (settled) => void process.on('message', (message) => isSettledMessage(message) && settled()),
    },
    listening: (urls) => void tell({ farhand: 'listening', urls: [...urls] }),
    onEnd(given) {
      end = given
      if (!process.connected) {
        end(keeperEnded)
      }
    },
  }
}
