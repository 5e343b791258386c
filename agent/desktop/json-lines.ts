import type { Socket } from 'node:net'
import { parseJson } from '../../shared/contract/parse-json.ts'

const lineEnd = 10
const keptBytes = 64 * 1024

export const sendLine = (socket: Socket, message: object): void => {
  if (socket.writable) {
    socket.write(`${JSON.stringify(message)}\n`)
  }
}

/**
 * Parses each line as JSON. Node's own channel between processes is unsuitable: malformed input crashes the reading
 * program. This function closes a socket that sends invalid JSON or a line longer than `maxBytes`.
 */
export function readLines(socket: Socket, maxBytes: number, onMessage: (message: unknown) => void): void {
  let line = Buffer.alloc(0)
  let length = 0
  const keep = (piece: Buffer) => {
    if (length + piece.length > line.length) {
      const grown = Buffer.alloc(Math.max(line.length * 2, length + piece.length))
      line.copy(grown, 0, 0, length)
      line = grown
    }
    length += piece.copy(line, length)
    return length <= maxBytes
  }
  const take = () => {
    const text = line.toString('utf8', 0, length)
    length = 0
    if (line.length > keptBytes) {
      line = Buffer.alloc(0)
    }
    const message = parseJson(text)
    if (message !== undefined) {
      onMessage(message)
    }
    return message !== undefined
  }
  socket.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, start)) {
      if (socket.destroyed || !keep(chunk.subarray(start, end)) || !take()) {
        socket.destroy()
        return
      }
      start = end + 1
    }
    if (!keep(chunk.subarray(start))) {
      socket.destroy()
    }
  })
  // The close event reports the error as well.
  socket.on('error', () => {})
}
