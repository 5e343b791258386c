import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Passes connections to PostgreSQL on. `cut(n)` cuts off the answer to the n-th COMMIT from now on. */
export async function cuttingProxy(port: number) {
  let left = Infinity
  const server = createServer((socket) => {
    const inner = connect(port, '127.0.0.1')
    socket.on('data', (data) => {
      left -= data.includes('COMMIT') ? 1 : 0
      inner.write(data)
    })
    inner.on('data', (data) => {
      if (left <= 0) {
        left = Infinity
        socket.destroy()
        inner.destroy()
      } else {
        socket.write(data)
      }
    })
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, cut: (count: number) => void (left = count) }
}
