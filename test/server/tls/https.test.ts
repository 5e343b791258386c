import { identityPath, ServerIdentityDto } from '../../../shared/server-identity.ts'
import { expect, test } from 'vitest'
import { useTestServer } from '../../support/server.ts'

test('a server on https registers, signs in and tells its identity', async () => {
  const server = await useTestServer({ listenOn: 'https://127.0.0.1:0;http://127.0.0.1:0' })
  const [url = '', plain = ''] = server.urls
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  const owner = await server.owner()
  expect((await owner.publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(false)
  const [over, beside] = await Promise.all(
    [url, plain].map(async (base) => await (await fetch(base + identityPath)).text()),
  )
  expect(over).toBe(beside)
  ServerIdentityDto.parse(JSON.parse(over!))
  const answer = await fetch(url.replace('https', 'http') + '/devices?a=1', { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([308, `${url}/devices?a=1`])
  expect((await fetch(url.replace('https', 'http') + '/alive')).status).toBe(200)
})
