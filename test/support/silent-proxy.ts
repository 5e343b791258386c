import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Passes connections to a port on. While it is silent no byte passes, and all sockets stay open, as when a network drops
 * every packet.
 */
export async function startSilentProxy(port: number) {
  const sockets = new Set<Socket>()
  /** Sockets opened during the silence; `restoreNew` passes their bytes only. */
  const late = new Set<Socket>()
  let isSilent = false
  let lateMs = 0
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    let written = Promise.resolve()
    from.on('data', (data) => {
      const dueAt = performance.now() + lateMs
      written = written.then(async () => {
        const leftMs = dueAt - performance.now()
        if (leftMs > 0) {
          await wait(leftMs)
        }
        to.write(data)
      })
    })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      late.delete(from)
      to.destroy()
    })
    if (isSilent) {
      late.add(from.pause())
    }
  }
  // Small statements must not wait for acknowledgements.
  const server = createServer({ noDelay: true }, (socket) => {
    const inner = connect({ port, host: '127.0.0.1', noDelay: true })
    pass(socket, inner)
    pass(inner, socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** Delays every byte from now on, in each direction. */
    delay(ms: number) {
      lateMs = ms
    },
    silence() {
      isSilent = true
      sockets.forEach((socket) => socket.pause())
    },
    restore() {
      isSilent = false
      sockets.forEach((socket) => socket.resume())
      late.clear()
    },
    /** Passes new connections on; those of before stay silent, as after a firewall has forgotten them. */
    restoreNew() {
      isSilent = false
      late.forEach((socket) => socket.resume())
      late.clear()
    },
    /** Ends the silence and all connections; what was sent meanwhile is lost. */
    loseAll() {
      isSilent = false
      late.clear()
      sockets.forEach((socket) => socket.destroy())
    },
    close() {
      server.close()
      sockets.forEach((socket) => socket.destroy())
    },
  }
}

export type SilentProxy = Awaited<ReturnType<typeof startSilentProxy>>
