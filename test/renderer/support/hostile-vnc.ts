import { once } from 'node:events'
import { createServer } from 'node:net'

export const number16 = (...values: number[]) =>
  Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 0xff])))
export const number32 = (value: number) => number16(value >>> 16, value & 0xffff)

/** ServerInit for a screen of this size, with 32 bits per pixel and a name. */
export const serverInit = (width: number, height: number) =>
  Buffer.concat([
    number16(width, height),
    Buffer.from([32, 24, 0, 1]),
    number16(255, 255, 255),
    Buffer.from([16, 8, 0, 0, 0, 0]),
    number32(7),
    Buffer.from('hostile'),
  ])

export const update = (...rectangles: Buffer[]) =>
  Buffer.concat([Buffer.from([0, 0]), number16(rectangles.length), ...rectangles])
export const rectangle = (width: number, height: number, encoding: number, ...data: Buffer[]) =>
  Buffer.concat([number16(0, 0, width, height), number32(encoding), ...data])
export const desktopSize = (width: number, height: number) => rectangle(width, height, -223)
/** VNC server on a port that agents allow: for each connection sends one message per message of the viewer. */
export async function startHostile(says: readonly Buffer[][]) {
  let connections = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('RFB 003.008\n')
    // Security type None.
    const answers = [Buffer.from([1, 1]), Buffer.alloc(4), ...(says[connections++] ?? [])]
    socket.on('data', () => socket.write(answers.shift() ?? Buffer.alloc(0)))
  })
  for (let port = 5900; port <= 5909; port++) {
    server.listen(port, '127.0.0.1')
    const isListening = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (isListening) {
      return { port, connections: () => connections, stop: () => server.close() }
    }
  }
  throw new Error('No port of VNC is free on this machine.')
}
