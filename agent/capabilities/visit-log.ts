import { randomUUID } from 'node:crypto'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { clipboardKinds } from '../../shared/remote-control/clipboard.ts'
import { bestEffort } from '../base/best-effort.ts'
import type { Clock } from '../base/clock.ts'
import { plainText } from '../base/plain-text.ts'
import { writeFileAtomically } from '../base/write-file.ts'

/** Maximum size of the file, after which the older entries are removed. */
const maxBytes = 256 * 1024
const keptEntries = 500
/** Visits that remain however many files a visitor touches to push them out. */
const keptVisits = 250
const maxDetail = 200

const Entry = z.object({
  id: z.string(),
  at: z.number(),
  /** End of a visit; null for a deed without a duration, and while the visit lasts. */
  until: z.number().nullable(),
  visitor: z.string(),
  organization: z.string(),
  kind: z.enum([
    'control',
    'viewing',
    'vnc',
    'terminal',
    'command',
    'files',
    'written',
    'read',
    'deleted',
    'folder',
    'changed',
    'restart',
    'shutdown',
  ]),
  /** Whether the visitor used keys or buttons. The log never has what was typed. */
  hasTyped: z.boolean(),
  /** Whether the visitor heard what the device played. */
  hasHeard: z.boolean().default(false),
  /** Kinds of what the visitor put on the clipboard here, and got from it; never their content. */
  pasted: z.array(z.enum(clipboardKinds)).default([]),
  copied: z.array(z.enum(clipboardKinds)).default([]),
  /** Name of a file. */
  detail: z.string(),
})
export type VisitEntry = z.output<typeof Entry>

/** Input of a visitor, and what the visitor got from the clipboard; known at the end of a visit. */
export type VisitInput = Pick<VisitEntry, 'hasTyped'> & Partial<Pick<VisitEntry, 'hasHeard' | 'pasted' | 'copied'>>

/** Reads the entries of a log, oldest first; the last line of an entry counts. */
export function readVisits(file: string): VisitEntry[] {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    // The file appears with the first visit.
  }
  const entries = new Map<string, VisitEntry>()
  for (const line of text.split('\n')) {
    const { data } = Entry.safeParse(parseJson(line))
    if (data) {
      entries.set(data.id, data)
    }
  }
  return [...entries.values()]
}

export interface Deed {
  kind: VisitEntry['kind']
  /** Name of a file. */
  detail?: string | undefined
}

interface DeedOfVisitor extends Deed {
  visitor: string | null | undefined
  organizationName?: string | undefined
}

/** Creates a folder with its parents, open to readers whatever the umask; a folder that exists stays as it is. */
function makeReadable(folder: string) {
  const first = mkdirSync(folder, { recursive: true })
  for (let made = folder; first !== undefined && made.length >= first.length; made = dirname(made)) {
    chmodSync(made, 0o755)
  }
}

const fileDeeds: readonly VisitEntry['kind'][] = ['written', 'read', 'deleted', 'folder', 'changed']
const isVisit = ({ kind }: VisitEntry) => !fileDeeds.includes(kind)

/** Lines of the newest entries, which fill at most half of the file. */
function newestLines(entries: readonly VisitEntry[]): string {
  const visits = new Set(entries.filter(isVisit).slice(-keptVisits))
  const others = new Set(entries.filter((entry) => !visits.has(entry)).slice(visits.size - keptEntries))
  let bytesLeft = maxBytes / 2
  const linesOf = (kept: ReadonlySet<VisitEntry>) =>
    [...kept].toReversed().flatMap((entry) => {
      const line = `${JSON.stringify(entry)}\n`
      bytesLeft -= Buffer.byteLength(line)
      return bytesLeft < 0 ? [] : [[entry, line] as const]
    })
  const lines = new Map([...linesOf(visits), ...linesOf(others)])
  return entries.map((entry) => lines.get(entry) ?? '').join('')
}

/** Visits to this device, in a file that the people here may read and only the agent may write. */
export class VisitLog {
  readonly #file: string
  readonly #clock: Clock
  #hasWritten = false

  constructor(file: string, clock: Clock) {
    this.#file = file
    this.#clock = clock
  }

  /** Notes something done at once. */
  note({ kind, visitor, organizationName = '', detail = '' }: DeedOfVisitor): VisitEntry {
    const entry = {
      id: randomUUID(),
      at: this.#clock.now(),
      until: null,
      visitor: plainText(visitor ?? ''),
      organization: plainText(organizationName),
      kind,
      hasTyped: false,
      hasHeard: false,
      pasted: [],
      copied: [],
      detail: plainText(detail, maxDetail),
    }
    this.#write(entry)
    return entry
  }

  /** Notes the beginning of a visit. Returns a function that notes its end. */
  begin(deed: DeedOfVisitor): (input: VisitInput) => void {
    const entry = this.note(deed)
    return (input) => this.#write({ ...entry, until: this.#clock.now(), ...input })
  }

  /** A visit goes on where the log cannot be written. */
  #write(entry: VisitEntry) {
    bestEffort(() => {
      makeReadable(dirname(this.#file))
      // The last line of a killed agent may have no end.
      const start = this.#hasWritten ? '' : '\n'
      appendFileSync(this.#file, `${start}${JSON.stringify(entry)}\n`)
      this.#hasWritten = true
      chmodSync(this.#file, 0o644)
      if (statSync(this.#file).size > maxBytes) {
        writeFileAtomically(this.#file, newestLines(readVisits(this.#file)), 0o644)
      }
    })
  }
}
