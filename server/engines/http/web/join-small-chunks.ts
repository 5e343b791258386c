import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { JoinedBytes } from '../../flow/joined-bytes.ts'

/** Chunks from here on take little memory besides their bytes. */
const largeBytes = 1024

/** Small chunks that arrived behind input that is not read, by socket. */
const joinedBySocket = new WeakMap<Readable, JoinedBytes>()

/** Takes a chunk that Node has received. Returns false if the socket is not to be read for now. */
function push(this: Socket, chunk: Buffer | null): boolean {
  const joined = joinedBySocket.get(this)
  if (!chunk || (!joined && (this.readableFlowing || this.readableLength === 0 || chunk.length >= largeBytes))) {
    flush(this)
    return Readable.prototype.push.call(this, chunk)
  }
  const bytes = joined ?? new JoinedBytes()
  bytes.add(chunk)
  joinedBySocket.set(this, bytes)
  return this.readableLength + bytes.length < this.readableHighWaterMark
}

/** Every reader calls it, also Node for its `data` events. */
function read(this: Socket, size?: number): unknown {
  flush(this)
  return Readable.prototype.read.call(this, size)
}

/** Gives the joined chunks to the stream, as one chunk. */
function flush(socket: Socket): void {
  const joined = joinedBySocket.get(socket)
  joinedBySocket.delete(socket)
  if (joined && !socket.destroyed) {
    Readable.prototype.push.call(socket, joined.bytes)
  }
}

/**
 * Joins the small chunks that a socket receives while it is not read. Node keeps each TLS record by itself, which takes
 * 600 to 900 bytes of memory for a record of one byte, and counts only its bytes (T20).
 */
export function joinSmallChunks(socket: Socket): void {
  socket.push = push
  socket.read = read
}
