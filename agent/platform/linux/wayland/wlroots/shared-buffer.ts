import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import type { Connection, WaylandObject } from './connection.ts'
import { wlBuffer, wlShmPool, type wlShm } from './protocol.ts'

/** Creates a file in memory without a name, open twice: to keep, and to pass on. */
export function createMemoryFile(): [number, number] {
  const path = `/dev/shm/farhand-${randomBytes(12).toString('hex')}`
  const kept = openSync(path, 'wx+', 0o600)
  try {
    return [kept, openSync(path, 'r+')]
  } finally {
    unlinkSync(path)
  }
}

export interface BufferShape {
  format: number
  width: number
  height: number
  stride: number
}

/** Picture in memory that is shared with the compositor. */
export class SharedBuffer {
  readonly shape: BufferShape
  readonly object: WaylandObject<typeof wlBuffer>
  readonly #connection: Connection
  readonly #fd: number

  constructor(connection: Connection, shm: WaylandObject<typeof wlShm>, shape: BufferShape) {
    const { format, width, height, stride } = shape
    const [fd, passed] = createMemoryFile()
    this.#fd = fd
    this.#connection = connection
    this.shape = shape
    ftruncateSync(fd, stride * height)
    const pool = connection.create(wlShmPool)
    shm.request('create_pool', pool.id, passed, stride * height)
    this.object = connection.create(wlBuffer)
    pool.request('create_buffer', this.object.id, 0, width, height, stride, format)
    pool.request('destroy')
    connection.forget(pool)
  }

  /** Reads whole rows to their place in `target`. */
  read(target: Buffer, firstRow: number, rowCount: number): void {
    const start = firstRow * this.shape.stride
    readSync(this.#fd, target, start, rowCount * this.shape.stride, start)
  }

  write(pixels: Buffer): void {
    writeSync(this.#fd, pixels, 0, pixels.length, 0)
  }

  close(): void {
    this.object.request('destroy')
    this.#connection.forget(this.object)
    closeSync(this.#fd)
  }
}
