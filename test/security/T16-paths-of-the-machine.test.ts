import { homedir } from 'node:os'
import { beforeAll, expect, test } from 'vitest'
import { api } from '../../shared/api/index.ts'
import type { RouteGroup } from '../../shared/contract/route.ts'
import { some } from '../support/night.ts'
import { addUser } from '../support/people.ts'
import { ownerForFile, serverForFile, type Member, type Visitor } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let member: Member
beforeAll(async () => {
  member = await addUser(server, owner, ['Tenant Administrator', 'Device Superuser'])
})

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

/** Declared paths, by day every fifth, and some undeclared ones. */
const requests = [
  ...some(
    Object.values(api)
      .flatMap((groups): RouteGroup[] => Object.values(groups))
      .flatMap(({ routes }) => Object.values(routes)),
    5,
  )
    // Signing out would end the session of the other requests.
    .filter(({ path }) => !/logout|\/session$/.test(path))
    .map(({ method, path }) => [method, path.replace(/:\w+/g, unknownId)] as const),
  ...['/', '/health', '/downloads/', '/downloads/nothing', '/assets/nothing.js', '/assets/%2e%2e/', '/%00', '/%zz'].map(
    (path) => ['GET', path] as const,
  ),
  ...['/hubs/agent', '/hubs/viewer/negotiate', '/openapi/v1.json', '/device-access?id=x'].map(
    (path) => ['POST', path] as const,
  ),
]

async function answersTo(visitor: Visitor): Promise<string> {
  const texts: string[] = []
  for (const [method, path] of requests) {
    const isRead = method === 'GET'
    const response = await visitor.fetch(`${path}${path.includes('?') ? '&' : '?'}tenantId=${owner.tenantId}`, {
      method,
      redirect: 'manual',
      ...(!isRead && { headers: { 'content-type': 'application/json' }, body: '{"a":[' }),
    })
    texts.push(`${method} ${path} ${JSON.stringify([...response.headers])} ${await response.text()}`)
  }
  return texts.join('\n')
}

const places = () => [server.directory, process.cwd(), homedir()].filter((place) => place.length > 2)

test('no answer reveals paths of the machine to a guest, or to a user without rights on the server', async () => {
  for (const visitor of [server.visitor(), member]) {
    const text = await answersTo(visitor)
    for (const place of places()) {
      expect(text).not.toContain(place)
    }
  }
  expect((await member.applianceStatus.get({})).dataDirectory).toBeNull()
  expect((await owner.applianceStatus.get({})).dataDirectory).toBe(server.directory)
})
