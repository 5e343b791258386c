/**
 * Runs on a host: impersonates a Farhand server at an address with a foreign certificate, and records the traffic. With
 * `upstream` it is a machine in the middle; otherwise it answers from `answers`.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, connect as connectTls } from 'node:tls'
import { duplexPair, type Duplex } from 'node:stream'

export interface ImpostorPlan {
  port: number
  /** PEM files. */
  certificate: string
  key: string
  /** Prefix of the files for traffic as received (`heard`) and as decrypted (`read`). */
  record: string
  /** Unix socket of the real server. */
  upstream?: string
  /** Response bodies by path; the prefix `location:` makes a redirect. */
  answers?: Record<string, string>
}

const plan = JSON.parse(process.argv[2]!) as ImpostorPlan

/** First byte of a TLS connection. */
const tlsHandshake = 0x16

const note = (kind: 'heard' | 'read', bytes: string | Buffer) => appendFileSync(`${plan.record}.${kind}`, bytes)
note('heard', '')
note('read', '')

const join = (one: Duplex, other: Duplex) => {
  one.pipe(other).pipe(one)
  one.on('error', () => other.destroy()).on('close', () => other.destroy())
  other.on('error', () => one.destroy()).on('close', () => one.destroy())
}

const pages = createHttpServer((request, response) => {
  const answer = plan.answers?.[request.url?.split('?')[0] ?? '']
  if (answer?.startsWith('location:')) {
    response.writeHead(307, { location: answer.slice('location:'.length) + request.url }).end()
  } else {
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(answer ?? '{}')
  }
})

/** Handles decrypted traffic for the real server. */
function receive(socket: Socket) {
  socket.on('data', (bytes) => note('read', bytes))
  if (plan.upstream) {
    join(socket, connectTls({ socket: connect(plan.upstream), rejectUnauthorized: false }))
  } else {
    // A duplex pair instead of the socket, because the HTTP server would consume the bytes before they are recorded.
    const [near, far] = duplexPair()
    join(socket, near)
    pages.emit('connection', far)
  }
}

const secure = createTlsServer({ cert: readFileSync(plan.certificate), key: readFileSync(plan.key) }, receive)
// Clients that detect the impostor close the connection.
secure.on('tlsClientError', () => {})
const inner = `${plan.record}.socket`

secure.listen(inner, () =>
  createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      socket.on('data', (bytes) => note('heard', bytes))
      if (first[0] === tlsHandshake) {
        join(socket, connect(inner))
      } else {
        receive(socket)
      }
    })
  }).listen(plan.port, () => console.log('open')),
)
