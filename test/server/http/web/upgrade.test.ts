import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { listenForUpgrades } from '../../../../server/http/web/upgrade.ts'
import { createTestLog } from '../../../support/log.ts'
import { until } from '../../../support/until.ts'

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

test('an upgraded socket does not keep its request in memory', async () => {
  const server = createServer()
  let seen: WeakRef<IncomingMessage> | undefined
  const upgrade = (request: IncomingMessage) => {
    seen = new WeakRef(request)
  }
  listenForUpgrades(server, {
    endpoints: [{ path: '/hub', request: () => {}, upgrade }],
    log: createTestLog(),
    detach: () => Buffer.alloc(0),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  client.write('GET /hub HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await until(() => seen)
  const collect = garbageCollector()
  await until(() => {
    collect()
    return seen?.deref() === undefined
  })
  expect(client.destroyed).toBe(false)
})
