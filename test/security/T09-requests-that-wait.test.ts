import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { atTenant } from '../support/grants.ts'
import { addMember, addTenantAccount } from '../support/people.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const tagNames = async () => (await server.rows<{ name: string }>('SELECT name FROM tags')).map(({ name }) => name)

/** Begins to create a tag, and returns once the server has read the head. `finish` sends the last byte, and returns the status. */
async function beginTag(name: string, headers: Record<string, string>) {
  const { host, hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const body = JSON.stringify({ name })
  const all = {
    ...headers,
    Host: host,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    Connection: 'close',
    Expect: '100-continue',
  }
  const lines = Object.entries(all).map(([header, value]) => `${header}: ${value}\r\n`)
  socket.write(`POST /api/v1/tags?tenantId=${owner.tenantId} HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, -1)}`)
  await once(socket, 'data')
  return {
    finish: async () => {
      socket.write(body.slice(-1))
      return Number((await text(socket)).split(' ')[1])
    },
  }
}

test('T09: a request whose body ends after its account was disabled is rejected', async () => {
  const member = await addMember(server, owner.tenantId, ['tenant.tags.write'])
  const request = await beginTag('after-disabling', member.headers)
  await owner.appliancePeople.disable({ tenantId: owner.tenantId, params: { userId: member.user.id } })
  expect(await request.finish()).toBe(401)
  expect(await tagNames()).not.toContain('after-disabling')
})

test('T09: a request whose body ends after the key of its service account was revoked is rejected', async () => {
  const program = await addTenantAccount(owner, [atTenant('tenant.tags.write')])
  const request = await beginTag('after-revocation', { 'x-api-key': program.key })
  const params = { tenantId: owner.tenantId, serviceAccountId: program.id, credentialId: program.credentialId }
  await owner.tenantServiceAccounts.revokeCredential({ params })
  expect(await request.finish()).toBe(401)
  expect(await tagNames()).not.toContain('after-revocation')
})
