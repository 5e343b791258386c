import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../../server/config.ts'
import { agentUrl } from '../../../../server/services/agents/agent-address.ts'

const urlFor = (env: Record<string, string>, origin: string) => agentUrl(loadConfig({ env }), origin)

const ours = Object.values(networkInterfaces())
  .flat()
  .filter((address) => address?.family === 'IPv4' && !address.internal)
  .map((address) => address!.address)

test.each([
  ['only loopback is served', { Service_Urls: 'http://127.0.0.1:5120' }, 'http://127.0.0.1:5120'],
  ['the page was opened by its network address', { Service_Urls: 'http://0.0.0.0:5120' }, 'http://192.0.2.9:5120'],
  [
    'a public address is configured',
    { Service_Urls: 'http://0.0.0.0:5120', Service_Branding__PublicUrl: 'http://localhost:5120' },
    'http://localhost:5120',
  ],
])('keeps the address when %s', (_case, env, origin) => {
  expect(urlFor(env, origin)).toBe(origin)
})

test('gives agents the listed address when the page was opened at localhost', () => {
  const env = { Service_Urls: 'http://127.0.0.1:5120;http://192.0.2.9:8080' }
  expect(urlFor(env, 'http://localhost:5120')).toBe('http://192.0.2.9:8080')
})

test.runIf(ours.length > 0)('gives agents an address of this machine when every interface is served', () => {
  const url = new URL(urlFor({ Service_Urls: 'http://0.0.0.0:5120' }, 'http://127.0.0.1:5120'))
  expect(ours).toContain(url.hostname)
  expect(url.port).toBe('5120')
})
