import { instant } from '../../ground/instant.ts'
import { dayMs } from '../../../shared/durations.ts'
import { plural } from '../../../shared/plural.ts'
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { DestinationStream } from 'pino'

const mebibyte = 1024 * 1024

const logFileIn = (folder: string) => join(folder, 'farhand.log')

/** Sizes and ages of the log. */
export interface LogLimits {
  /** A file of this size is completed. */
  fileBytes?: number
  /** A file with lines of so many days is completed. */
  fileDays?: number
  /** Completed files kept. */
  files?: number
  /** Completed files are removed after so many days. */
  keptDays?: number
  now?: () => number
}

/** File of the log, and the count of lines that it lacks. */
export interface LogFile {
  readonly path: string
  /** Lines that could not be written since the start of this process. */
  readonly lost: number
}

/** Time of a completed file in its name, which sorts like the time. */
const nameOf = (at: number) => `farhand.${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}.log`
const completed = /^farhand\.(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z|old)\.log$/

/** Time of the first line; undefined if there is none. */
function firstTime(descriptor: number): number | undefined {
  const head = Buffer.alloc(512)
  const read = readSync(descriptor, head, 0, head.length, 0)
  const time = Date.parse(/"time":"([^"]+)"/.exec(head.toString('utf8', 0, read))?.[1] ?? '')
  return Number.isNaN(time) ? undefined : time
}

/**
 * Opens the log file of a host without a terminal. A file is completed by size and by age, and completed files are
 * removed by number and by age. Lines that cannot be written, as on a full disk, are dropped and counted: the next line
 * that can be written counts them.
 */
export function openLogFile(folder: string, limits: LogLimits = {}): LogFile & DestinationStream {
  const { fileBytes = 10 * mebibyte, fileDays = 7, files = 5, keptDays = 30, now = Date.now } = limits
  const path = logFileIn(folder)
  let open: { descriptor: number; bytes: number; since: number } | undefined
  let lost = 0
  let untold = 0
  /** A line was written in part. */
  let isTorn = false

  const removeOld = () => {
    const old = readdirSync(folder).filter((name) => completed.test(name))
    // The name of versions before this one sorts last, though its lines are the oldest.
    const sorted = old.toSorted((a, b) => (a.includes('old') ? -1 : b.includes('old') ? 1 : a.localeCompare(b)))
    const surplus = sorted.slice(0, Math.max(0, sorted.length - files))
    const isStale = (name: string) => now() - statSync(join(folder, name)).mtimeMs > keptDays * dayMs
    for (const name of sorted.filter((each) => surplus.includes(each) || isStale(each))) {
      rmSync(join(folder, name), { force: true })
    }
  }
  const openFile = () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const descriptor = openSync(path, 'a+', 0o600)
    return (open = { descriptor, bytes: fstatSync(descriptor).size, since: firstTime(descriptor) ?? now() })
  }
  const complete = () => {
    if (open) {
      closeSync(open.descriptor)
      open = undefined
    }
    renameSync(path, join(folder, nameOf(now())))
    removeOld()
  }
  const isComplete = ({ bytes, since }: NonNullable<typeof open>) =>
    bytes >= fileBytes || (bytes > 0 && Math.abs(now() - since) >= fileDays * dayMs)

  const append = (text: string) => {
    let file = open ?? openFile()
    if (isComplete(file)) {
      complete()
      file = openFile()
    }
    const line = Buffer.from(isTorn ? `\n${text}` : text)
    const written = writeSync(file.descriptor, line)
    file.bytes += written
    isTorn = written < line.length && (written > 0 || isTorn)
    if (written < line.length) {
      throw new Error('The line was not written as a whole.')
    }
  }
  return {
    path,
    get lost() {
      return lost
    },
    write(line) {
      try {
        if (untold > 0) {
          const msg = `${plural(untold, 'line of the log was', 'lines of the log were')} lost: the disk took none.`
          append(`${JSON.stringify({ level: 40, time: instant(now()), lost: untold, msg })}\n`)
          untold = 0
        }
        append(line)
      } catch {
        lost++
        untold++
      }
    },
  }
}
