import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** Begins a request, and returns once the server has read the head. `finish` sends the last byte, and returns the status. */
export async function beginRequest(
  url: string,
  { start, headers, body }: { start: string; headers: Record<string, string>; body: Buffer },
): Promise<{ finish: () => Promise<number> }> {
  const { host, hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const all = {
    ...headers,
    Host: host,
    'Content-Length': String(body.length),
    Connection: 'close',
    Expect: '100-continue',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${start} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(body.subarray(0, -1))
  await once(socket, 'data')
  return {
    finish: async () => {
      socket.write(body.subarray(-1))
      return Number((await text(socket)).split(' ')[1])
    },
  }
}
