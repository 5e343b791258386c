/** Runs on a host: joins a Unix socket, which every host reaches, with a port that this host reaches. */
import { connect, createServer } from 'node:net'

const [path, address, port] = process.argv.slice(2)

createServer((socket) => {
  const inside = connect({ host: address!, port: Number(port) })
  socket.pipe(inside).pipe(socket)
  socket.on('error', () => inside.destroy()).on('close', () => inside.destroy())
  inside.on('error', () => socket.destroy()).on('close', () => socket.destroy())
}).listen(path, () => console.log('open'))
