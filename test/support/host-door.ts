/** Runs on a host: joins a port of this host with a Unix socket, reachable from every host. Both are a path, or `ADDRESS:PORT`. */
import { connect, createServer } from 'node:net'

const [from, to] = process.argv.slice(2).map((place) => {
  const [, host, port] = /^([\d.]+):(\d+)$/.exec(place) ?? []
  return host === undefined ? { path: place } : { host, port: Number(port) }
})

createServer((socket) => {
  const inside = connect(to!)
  socket.pipe(inside).pipe(socket)
  socket.on('error', () => inside.destroy()).on('close', () => inside.destroy())
  inside.on('error', () => socket.destroy()).on('close', () => socket.destroy())
}).listen(from!, () => console.log('open'))
