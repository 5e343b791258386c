import { expect, test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { addMember, addTenantAccount } from '../support/people.ts'
import { useTestServer, type Visitor } from '../support/server.ts'

/** Leaves files for bulk jobs on the server; returns the statuses that differ from success. */
async function leaveFiles(by: Visitor, count: number): Promise<number[]> {
  const statuses: number[] = []
  for (let at = 0; at < count; at++) {
    const { status } = await by.fetch('/api/appliance/v1/batch-files?fileName=a', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'a',
    })
    if (status >= 300) {
      statuses.push(status)
    }
  }
  return statuses
}

const permissions = ['device.read', 'device.file-system.transfer-upload'] as const
const grants = (['device.logon-token.create', ...permissions] as const).map((permissionName) => ({
  permissionName,
  scopeKind: 'Tenant' as const,
}))

test('a member who makes links in the name of another person uses up nothing of that person', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const device = await enroll(owner)
  const bob = await addMember(server, tenantId, ['device.logon-token.create', ...permissions])
  for (let link = 0; link < 2; link++) {
    const body = { tenantId, deviceId: device.id, userId: owner.user.id, permissions: [...permissions] }
    const { deviceAccessUrl } = await bob.logonTokens.createForUser({ body })
    const visitor = server.visitor()
    await visitor.openLink(deviceAccessUrl)
    await leaveFiles(visitor, 100)
  }
  expect(await leaveFiles(owner, 1)).toEqual([])
})

/** Statuses that differ from success where three guests of one maker leave 100 files each. */
async function leftByGuests(maker: 'person' | 'program'): Promise<number[]> {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const device = await enroll(owner)
  const api = maker === 'person' ? owner : await addTenantAccount(owner, grants)
  const rejected = []
  for (const userCorrelationId of ['a', 'b', 'c']) {
    const body = { tenantId, deviceId: device.id, userCorrelationId, permissions: [...permissions] }
    const { deviceAccessUrl } = await api.logonTokens.createForExternalUser({ body })
    const visitor = server.visitor()
    await visitor.openLink(deviceAccessUrl)
    rejected.push(...(await leaveFiles(visitor, 100)))
  }
  return rejected
}

test('an account gets no more places by guests of its links', async () => {
  // 200 files of an account, whoever leaves them for it.
  expect(await leftByGuests('person')).toHaveLength(100)
})

test('guests of a program have a place each', async () => {
  expect(await leftByGuests('program')).toEqual([])
})
