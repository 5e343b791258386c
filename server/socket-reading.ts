import type { Socket } from 'node:net'

/** Part of a socket with which Node starts and stops reading. */
interface Inside {
  _handle?: { reading: boolean; readStop(): void } | null
}

/** Stops the handle of a socket that stays in flowing mode. */
export function stopHandle(socket: Socket): void {
  const { _handle: handle } = socket as Inside
  if (handle?.reading) {
    handle.reading = false
    handle.readStop()
  }
}

const readNothing = () => {}

/** Stops reading until `startReading`. A paused socket would read its next 64 KiB, which nobody counts. */
export function stopReading(socket: Socket): void {
  socket._read = readNothing
  stopHandle(socket)
}

/** Reads again after `stopReading`. */
export function startReading(socket: Socket): void {
  delete (socket as Partial<Pick<Socket, '_read'>>)._read
  if (!socket.destroyed) {
    socket._read(0)
  }
}
