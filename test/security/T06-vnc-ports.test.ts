import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { isPortIn, Vnc } from '../../agent/capabilities/vnc.ts'
import { openAccess } from '../../agent/trust/access.ts'
import { collectingLog } from '../agent/support.ts'

test('a session or a test of a port outside of the list never connects to the port', async () => {
  let connections = 0
  const service = createServer(() => connections++)
  await once(service.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void service.close())
  const { port } = service.address() as AddressInfo
  const vnc = new Vnc({ log: collectingLog(), access: openAccess('http://127.0.0.1') })
  const refused = {
    isSuccess: false,
    reason: `Port ${port} is not a VNC port of this device (5900-5909).`,
    errorCode: null,
  }
  expect(await vnc.create({ sessionId: 'session', websocketUri: 'ws://127.0.0.1:1/', port })).toEqual(refused)
  expect(await vnc.test(port)).toEqual(refused)
  expect(connections).toBe(0)
})

test.each([
  [5900, true],
  [5909, true],
  [5910, false],
  [5899, false],
  [22, false],
  [0, false],
  [-1, false],
  [5900.5, false],
  [NaN, false],
])('the default list contains port %d: %s', (port, isAllowed) => {
  expect(isPortIn('5900-5909', port)).toBe(isAllowed)
})

test('a list accepts single ports and ranges', () => {
  const allowed = [5900, 5901, 5902, 5920, 5921].filter((port) => isPortIn('5900-5901,5920', port))
  expect(allowed).toEqual([5900, 5901, 5920])
})
