import { expect, test } from 'vitest'
import { useTestServer, type TestServer } from '../../support/server.ts'

const requestsIn = ({ log }: TestServer) => log.lines.filter(({ message }) => message === 'Request.')

test('requests are logged by their path, without queries and without the health check', async () => {
  const server = await useTestServer({ settings: { AppOptions__UseHttpLogging: 'true' } })
  const visitor = server.visitor()
  for (const path of ['/health', '/health?at=1', '/api/version/server?secret=1']) {
    await (await visitor.fetch(path)).text()
  }
  await expect
    .poll(() => requestsIn(server).map(({ fields }) => fields))
    .toMatchObject([{ method: 'GET', path: '/api/version/server', status: 200 }])
})

test('requests are not logged unless configured', async () => {
  const server = await useTestServer()
  await (await server.visitor().fetch('/api/version/server')).text()
  await (await server.visitor().fetch('/api/version/server')).text()
  expect(requestsIn(server)).toEqual([])
})

test('the code in the link of an invitation is not logged', async () => {
  const server = await useTestServer({ settings: { AppOptions__UseHttpLogging: 'true' } })
  const owner = await server.owner()
  const body = { inviteeEmail: 'grace@example.org' }
  const { inviteUrl } = await owner.invites.create({ tenantId: owner.tenantId, body })
  const { pathname } = new URL(inviteUrl)
  for (const path of [pathname, `/${pathname}`, pathname.toUpperCase()]) {
    await (await owner.fetch(path)).text()
  }
  const code = pathname.split('.')[1]!
  expect(requestsIn(server).length).toBeGreaterThan(2)
  expect(JSON.stringify(server.log.lines)).not.toContain(code)
  expect(JSON.stringify(server.log.lines)).not.toContain(code.toUpperCase())
})
