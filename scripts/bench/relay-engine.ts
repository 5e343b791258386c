import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Relay, tokenHashOf } from '../../server/relay/relay.ts'
import { createLog } from '../../server/log.ts'

/** The relay engine alone, as a process of its own. It announces each session when its requester comes. */
const relay = new Relay({ log: createLog('warn') })
const server = createServer()
server.on('upgrade', (request, socket, head) => {
  const query = new URL(request.url ?? '', 'http://localhost').searchParams
  if (query.get('role') === 'requester') {
    relay.announce({
      sessionId: query.get('sessionId') ?? '',
      tokenHash: tokenHashOf(query.get('accessToken') ?? ''),
      requester: 'generator',
      waitMs: 10_000,
    })
  }
  relay.handleUpgrade(request, socket, head, { identity: 'generator', address: '' })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
