/** Runs on a host: joins a Unix socket, reachable from every host, with a port reachable from this host. */
import { connect, createServer } from 'node:net'

const [path, address, port] = process.argv.slice(2)

createServer((socket) => {
  const inside = connect({ host: address!, port: Number(port) })
  socket.pipe(inside).pipe(socket)
  socket.on('error', () => inside.destroy()).on('close', () => inside.destroy())
  inside.on('error', () => socket.destroy()).on('close', () => socket.destroy())
}).listen(path, () => console.log('open'))
