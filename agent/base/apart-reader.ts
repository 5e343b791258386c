import { spawn } from 'node:child_process'
import { deferred } from '../../shared/deferred.ts'
import { systemClock as clock, wait, type Cancel } from './clock.ts'

/** A file that a user of this machine controls: reading it may never end (T37). */
export interface ApartFile {
  path: string
  /** User who suffers when the file does not answer. */
  userId: number
}

/** Owner and first bytes of a regular file. */
export interface FileStart {
  ownerId: number
  bytes: Buffer
}

const startMs = 10_000
/** A file that takes longer is hung. */
const fileMs = 2_000
/** All files in one child; then a child for each user. */
const allMs = 3_000
const userMs = 5_000
const avoidMs = 60_000
const childrenTogether = 8

const headerBytes = 8
const noFile = 0xffffffff

/** Writes an empty frame when it begins, then one for each file: owner and length, then the bytes. */
const script = `
const fs = require('node:fs')
const maxBytes = Number(process.argv[1])
const frame = Buffer.allocUnsafe(${headerBytes} + maxBytes)
const send = (ownerId, length) => {
  frame.writeUInt32LE(ownerId, 0)
  frame.writeUInt32LE(length, 4)
  for (let at = 0; at < ${headerBytes} + length;) at += fs.writeSync(1, frame, at, ${headerBytes} + length - at)
}
const read = (path) => {
  const file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  try {
    const stats = fs.fstatSync(file)
    let length = 0
    for (let count = 1; stats.isFile() && count > 0 && length < maxBytes; length += count) {
      count = fs.readSync(file, frame, ${headerBytes} + length, maxBytes - length, null)
    }
    return [stats.isFile() ? stats.uid : ${noFile}, length]
  } finally {
    fs.closeSync(file)
  }
}
const paths = JSON.parse(fs.readFileSync(0, 'utf8'))
send(${noFile}, 0)
for (const path of paths) {
  let answer = [${noFile}, 0]
  try {
    answer = read(path)
  } catch {}
  send(...answer)
}
`

type Take<File> = (file: File, start: FileStart) => void

/**
 * Reads files in child processes: behind a file system of a user, or in memory behind one, a read may never end, and four
 * of them would take all threads that this process reads files with. A user whose file hangs is left out for a minute,
 * and for as long as the kernel does not let go of the child.
 */
export class ApartReader {
  readonly #avoided = new Set<number>()

  /** Hands over each regular file that can be read, up to `maxBytes`, in their order; hung files are left out. */
  async read<File extends ApartFile>(files: readonly File[], maxBytes: number, take: Take<File>): Promise<void> {
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

  /** Resolves with the files that were not read in time, without the one that hung. */
  #readInChild<File extends ApartFile>(
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
      // A child that the kernel does not let go of must not keep this process alive.
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
    const receive = ({ ownerId, bytes }: FileStart) => {
      const file = files[next]
      if (file && ownerId !== noFile) {
        take(file, { ownerId, bytes })
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
        const endAt = headerBytes + received.readUInt32LE(4)
        if (received.length < endAt) {
          break
        }
        receive({ ownerId: received.readUInt32LE(0), bytes: received.subarray(headerBytes, endAt) })
        received = received.subarray(endAt)
      }
    })
    child.stdin.on('error', () => {}).end(JSON.stringify(files.map(({ path }) => path)))
    child.on('error', () => end([]))
    child.on('exit', () => exited.resolve())
    child.on('close', () => !isOver && end([]))
    return promise
  }
}

export const apartReader = new ApartReader()
