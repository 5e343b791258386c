import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync } from 'node:fs'
import type { SharedMemory } from './protocol.ts'
import type { Connection } from './connection.ts'

const allPlanes = 0xff_ff_ff_ff
const zPixmap = 2
const bytesPerPixel = 4
/** Size of the buffer that rows are copied through; the buffer fits into the processor's cache. */
const bounceBytes = 512 * 1024

/** Shared memory segment that the display server writes pictures into; read through its file descriptor. */
export class Segment {
  readonly byteCount: number
  readonly #connection: Connection
  readonly #extension: SharedMemory
  readonly #fd: number
  readonly #id: number
  readonly #bounce = Buffer.allocUnsafeSlow(bounceBytes)

  private constructor(connection: Connection, extension: SharedMemory, byteCount: number, fd: number) {
    this.byteCount = byteCount
    this.#connection = connection
    this.#extension = extension
    this.#fd = fd
    this.#id = connection.client.AllocID()
  }

  /**
   * Returns null if the display server does not support shared memory: old version, another container, no `/dev/shm`.
   */
  static async create(connection: Connection, byteCount: number): Promise<Segment | null> {
    let segment: Segment | undefined
    try {
      const extension = await connection.extension('shm')
      const path = `/dev/shm/farhand-${randomBytes(12).toString('hex')}`
      const created = new Segment(connection, extension, byteCount, openSync(path, 'wx+', 0o600))
      segment = created
      // An unlinked file exists until this program and the display server close their descriptors.
      unlinkSync(path)
      ftruncateSync(created.#fd, byteCount)
      await connection.ask((callback) =>
        extension.AttachFd(created.#id, created.#fd, false, (error) => callback(error, undefined)),
      )
      return created
    } catch {
      if (segment) {
        closeSync(segment.#fd)
      }
      return null
    }
  }

  /** Copies a part of the screen to `offset`, as rows without gaps. */
  async fill(x: number, y: number, width: number, height: number, offset: number): Promise<void> {
    const { root } = this.#connection
    await this.#connection.ask<{ size: number }>((callback) =>
      this.#extension.GetImage(root, x, y, width, height, allPlanes, zPixmap, this.#id, offset, callback),
    )
  }

  /** Reads `rowCount` rows of `rowBytes` at `offset` into `target`, where rows are `stride` bytes apart. */
  read(offset: number, rowBytes: number, rowCount: number, target: Buffer, start: number, stride: number) {
    if (rowBytes === stride) {
      readSync(this.#fd, target, start, rowBytes * rowCount, offset)
      return
    }
    const rowsAtOnce = Math.floor(bounceBytes / rowBytes)
    for (let first = 0; first < rowCount; first += rowsAtOnce) {
      const rows = Math.min(rowsAtOnce, rowCount - first)
      readSync(this.#fd, this.#bounce, 0, rows * rowBytes, offset + first * rowBytes)
      for (let row = 0; row < rows; row++) {
        this.#bounce.copy(target, start + (first + row) * stride, row * rowBytes, (row + 1) * rowBytes)
      }
    }
  }

  close() {
    if (this.#connection.isOpen) {
      this.#extension.Detach(this.#id)
    }
    closeSync(this.#fd)
  }
}

/** Reads pixels through the connection, for display servers without shared memory. */
export async function readThroughConnection(
  connection: Connection,
  x: number,
  y: number,
  width: number,
  height: number,
): Promise<Buffer> {
  const { data } = await connection.ask<{ data: Buffer }>((callback) =>
    connection.client.GetImage(zPixmap, connection.root, x, y, width, height, allPlanes, callback),
  )
  return data.subarray(0, width * height * bytesPerPixel)
}
