import { expect, onTestFinished, test, vi } from 'vitest'
import { BatchFiles } from '../../server/batches/batch-files.ts'
import { enroll } from '../support/agent.ts'
import { addMember, addTenantAccount } from '../support/people.ts'
import { useTestServer, type Visitor } from '../support/server.ts'

const permissions = ['device.read', 'device.file-system.transfer-upload'] as const
const grants = (['device.logon-token.create', ...permissions] as const).map((permissionName) => ({
  permissionName,
  scopeKind: 'Tenant' as const,
}))

async function useScene() {
  const server = await useTestServer()
  const owner = await server.owner()
  const { id: deviceId } = await enroll(owner)
  const add = vi.spyOn(BatchFiles.prototype, 'add')
  onTestFinished(() => add.mockRestore())
  /** Leaves a file for bulk jobs on the server; returns the account among whose files it counts. */
  const accountOfFile = async (by: Visitor) => {
    add.mockClear()
    const response = await by.fetch('/api/appliance/v1/batch-files?fileName=a', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'a',
    })
    expect(response.ok).toBe(true)
    return add.mock.calls[0]![0].account
  }
  const guest = async (link: string) => {
    const visitor = server.visitor()
    await visitor.openLink(link)
    return visitor
  }
  const body = { tenantId: owner.tenantId, deviceId, permissions: [...permissions] }
  return { server, owner, body, guest, accountOfFile }
}

test('a member who makes links in the name of another person uses up nothing of that person', async () => {
  const { server, owner, body, guest, accountOfFile } = await useScene()
  const bob = await addMember(server, owner.tenantId, ['device.logon-token.create', ...permissions])
  const link = await bob.logonTokens.createForUser({ body: { ...body, userId: owner.user.id } })
  const account = await accountOfFile(await guest(link.deviceAccessUrl))
  expect(account).toBe(await accountOfFile(bob))
  expect(account).not.toBe(await accountOfFile(owner))
})

test.each([
  ['an account gets no more places by guests of its links', 'person', 1],
  ['guests of a program have a place each', 'program', 4],
] as const)('%s', async (_, maker, places) => {
  const { owner, body, guest, accountOfFile } = await useScene()
  const api = maker === 'person' ? owner : await addTenantAccount(owner, grants)
  const accounts = new Set([await accountOfFile(owner)])
  for (const userCorrelationId of ['a', 'b', 'c']) {
    const link = await api.logonTokens.createForExternalUser({ body: { ...body, userCorrelationId } })
    accounts.add(await accountOfFile(await guest(link.deviceAccessUrl)))
  }
  expect(accounts.size).toBe(places)
})
