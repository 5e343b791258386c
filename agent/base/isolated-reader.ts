import { spawn } from 'node:child_process'
import { deferred } from '../../shared/deferred.ts'
import { systemClock as clock, wait, type Cancel } from './clock.ts'

/** File controlled by a user of this machine: a read may never return (T37). */
export interface UserFile {
  path: string
  /** User who is skipped if the file hangs. */
  userId: number
  /** Owner that the file must have. */
  ownerId?: number | undefined
}

const startMs = 10_000
/** Timeout per file, after which the file counts as hung. */
const fileMs = 2_000
/** Timeout for one child that reads all files; after that, a child per user with its own timeout. */
const allMs = 3_000
const userMs = 5_000
const avoidMs = 60_000
const childrenTogether = 8

const headerBytes = 4
const noFile = 0xffffffff
/** O_PATH of Linux: looks at a file without opening it, because opening a watchdog or a tape has effects (T32). */
const pathOnly = 0o10000000

/** Writes an empty frame at the start, then one frame per file: length, then the bytes. */
const script = `
const fs = require('node:fs')
const maxBytes = Number(process.argv[1])
const frame = Buffer.allocUnsafe(${headerBytes} + maxBytes)
const send = (length) => {
  frame.writeUInt32LE(length, 0)
  const end = ${headerBytes} + (length === ${noFile} ? 0 : length)
  for (let at = 0; at < end;) at += fs.writeSync(1, frame, at, end - at)
}
const open = (path, flags, use) => {
  const file = fs.openSync(path, flags)
  try {
    return use(file)
  } finally {
    fs.closeSync(file)
  }
}
const start = (file) => {
  let length = 0
  for (let count = 1; count > 0 && length < maxBytes; length += count) {
    count = fs.readSync(file, frame, ${headerBytes} + length, maxBytes - length, null)
  }
  return length
}
const read = ([path, ownerId]) =>
  open(path, ${pathOnly}, (place) => {
    const stats = fs.fstatSync(place)
    return stats.isFile() && stats.uid === (ownerId ?? stats.uid)
      ? open('/proc/self/fd/' + place, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK, start)
      : ${noFile}
  })
const files = JSON.parse(fs.readFileSync(0, 'utf8'))
send(${noFile})
for (const file of files) {
  let length = ${noFile}
  try {
    length = read(file)
  } catch {}
  send(length)
}
`

type Take<File> = (file: File, start: Buffer) => void

/**
 * Reads files in child processes: a read from a user's file system, or from memory backed by one, may never return, and
 * four such reads would block all threads of this process's pool. A user whose file hangs is skipped for a minute, and
 * until the kernel has released the child.
 */
export class IsolatedReader {
  readonly #avoided = new Set<number>()

  /** Passes the start of each readable regular file, up to `maxBytes`, to `take` in order; hung files are skipped. */
  async read<File extends UserFile>(files: readonly File[], maxBytes: number, take: Take<File>): Promise<void> {
    const rest = await this.#readInChild(files, { maxBytes, limitMs: allMs, take })
    const users = [...new Set(rest.map(({ userId }) => userId))]
    await Promise.all(
      Array.from({ length: childrenTogether }, async () => {
        for (let user = users.shift(); user !== undefined; user = users.shift()) {
          const own = rest.filter(({ userId }) => userId === user)
          await this.#readInChild(own, { maxBytes, limitMs: userMs, take })
        }
      }),
    )
  }

  /** Resolves with the files not read in time, excluding the hung file. */
  #readInChild<File extends UserFile>(
    wanted: readonly File[],
    { maxBytes, limitMs, take }: { maxBytes: number; limitMs: number; take: Take<File> },
  ): Promise<readonly File[]> {
    const files = wanted.filter(({ userId }) => !this.#avoided.has(userId))
    const { promise, resolve } = deferred<readonly File[]>()
    if (files.length === 0) {
      return Promise.resolve([])
    }
    const child = spawn(process.execPath, ['-e', script, String(maxBytes)], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let next = -1
    let isOver = false
    const exited = deferred<void>()
    const end = (rest: readonly File[]) => {
      isOver = true
      cancels.forEach((cancel) => cancel())
      cancelFile()
      child.stdout.destroy()
      child.kill('SIGKILL')
      // A child stuck in the kernel must not keep this process alive.
      child.unref()
      resolve(rest)
    }
    const hung = () => {
      const file = files[next]!
      this.#avoided.add(file.userId)
      void Promise.all([exited.promise, wait(clock, avoidMs)]).then(() => this.#avoided.delete(file.userId))
      end(files.slice(next + 1))
    }
    const cancels: Cancel[] = [clock.after(startMs, () => next < 0 && end([]))]
    let cancelFile: Cancel = () => {}
    const receive = (start: Buffer | undefined) => {
      const file = files[next]
      if (file && start) {
        take(file, start)
      }
      if (next < 0) {
        cancels.push(clock.after(limitMs, () => end(files.slice(next))))
      }
      next++
      cancelFile()
      if (next === files.length) {
        end([])
      } else {
        cancelFile = clock.after(fileMs, hung)
      }
    }
    let received = Buffer.alloc(0)
    child.stdout.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      while (!isOver && received.length >= headerBytes) {
        const length = received.readUInt32LE()
        const endAt = headerBytes + (length === noFile ? 0 : length)
        if (received.length < endAt) {
          break
        }
        receive(length === noFile ? undefined : received.subarray(headerBytes, endAt))
        received = received.subarray(endAt)
      }
    })
    child.stdin.on('error', () => {}).end(JSON.stringify(files.map(({ path, ownerId }) => [path, ownerId])))
    child.on('error', () => end([]))
    child.on('exit', () => exited.resolve())
    child.on('close', () => !isOver && end([]))
    return promise
  }
}

export const isolatedReader = new IsolatedReader()
