import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Last words of a process, for the next start: the database may be what failed. */
const CrashNote = z.object({ at: z.number(), reason: z.string() })
export type CrashNote = z.infer<typeof CrashNote>

const fileIn = (directory: string) => join(directory, 'farhand.crash.json')

/** Longest stored reason: a message with the top of its stack. */
const mostCharacters = 2_000

/** Notes why this process ends. Synchronous, and silent when nothing can be written: the process is ending anyway. */
export function writeCrashNote(directory: string, at: number, error: unknown): void {
  const reason = (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, mostCharacters)
  try {
    writeFileSync(fileIn(directory), JSON.stringify({ at, reason } satisfies CrashNote), { mode: 0o600 })
  } catch {
    // The log has the error.
  }
}

/** Reads and removes the note of the process before; undefined if there is none. */
export function takeCrashNote(directory: string): CrashNote | undefined {
  try {
    const note = CrashNote.parse(JSON.parse(readFileSync(fileIn(directory), 'utf8')))
    rmSync(fileIn(directory), { force: true })
    return note
  } catch {
    return undefined
  }
}
