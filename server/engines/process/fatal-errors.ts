import { writeCrashNote } from './crash-note.ts'
import type { Log } from '../../ground/log.ts'

/** Time for an orderly stop after an unexpected error. */
const stopLimitMs = 10_000

interface Host {
  log: Log
  /** Folder for the note that the next start shows; undefined before the configuration is read. */
  dataDirectory(): string | undefined
  stop(): Promise<void>
  exit(): void
}

/**
 * Ends the process in order after an error that nobody caught: its state is unknown, so it is started again by whoever
 * runs it. Logs the error, notes it for the next start, and stops the server. Later errors are logged only.
 */
export function endOnFatalErrors({ log, dataDirectory, stop, exit }: Host): () => void {
  let isEnding = false
  const end = (error: unknown) => {
    log.error({ err: error }, 'An unexpected error ends this process.')
    if (isEnding) {
      return
    }
    isEnding = true
    const directory = dataDirectory()
    if (directory !== undefined) {
      writeCrashNote(directory, Date.now(), error)
    }
    // Referenced: the limit must fire even when nothing else keeps the process running.
    const limit = new Promise<void>((resolve) => setTimeout(resolve, stopLimitMs))
    void Promise.race([stop().catch(() => {}), limit]).then(exit)
  }
  process.on('uncaughtException', end)
  // Electron only warns about these by default.
  process.on('unhandledRejection', end)
  return () => {
    process.off('uncaughtException', end)
    process.off('unhandledRejection', end)
  }
}
