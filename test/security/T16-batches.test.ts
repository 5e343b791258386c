import { expect, onTestFinished, test } from 'vitest'
import { CommandFleet } from '../support/command-fleet.ts'
import { addServerAccount, addUser } from '../support/people.ts'
import { makeRestrictedToken } from '../support/restricted-token.ts'
import { useTestServer } from '../support/server.ts'
import { everythingStored } from '../support/stored.ts'
import { until } from '../support/until.ts'

const secrets = {
  command: 'mysql -p s3cret-of-the-command',
  output: 's3cret-of-the-output',
  error: 's3cret-of-the-error',
}

test("a command and its output are readable by the batch's owner, and appear neither in the log nor in the database", async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const administrator = await addUser(server, owner, ['Tenant Administrator', 'Device Superuser'])
  const fleet = await CommandFleet.start(owner, 2)
  onTestFinished(() => fleet.stop())
  fleet.end = { output: secrets.output, errorOutput: `${secrets.error}\n`, exitCode: 1 }
  const [deviceId = ''] = fleet.ids
  const { id: batchId } = await owner.applianceBatches.start({
    body: { kind: 'run-command', deviceIds: fleet.ids, command: secrets.command },
  })
  const params = { batchId }
  await until(async () => (await owner.applianceBatches.get({ params })).batch.finishedAt)
  const mine = await owner.applianceBatches.output({ params: { batchId, deviceId } })
  expect(mine).toMatchObject({ output: secrets.output, errorOutput: `${secrets.error}\n` })

  const token = await makeRestrictedToken(owner, ['device.read', 'device.terminal.use'])
  const account = await addServerAccount(owner)
  for (const other of [administrator, token.client, account]) {
    expect((await other.applianceBatches.list({})).items).toEqual([])
    await expect(other.applianceBatches.get({ params })).rejects.toMatchObject({ status: 404 })
    await expect(other.applianceBatches.output({ params: { batchId, deviceId } })).rejects.toMatchObject({
      status: 404,
    })
    await expect(other.applianceBatches.cancel({ params, body: {} })).rejects.toMatchObject({ status: 404 })
    await expect(other.applianceBatches.delete({ params })).rejects.toMatchObject({ status: 404 })
  }

  // Readers of the audit log see who sent which command, and which batch it was.
  const { items } = await administrator.applianceAuditLog.list({
    tenantId: owner.tenantId,
    query: { kind: 'batch.started' },
  })
  expect(items).toMatchObject([
    { actorName: owner.user.email, details: { batchId, batch: 'run-command', devices: 2, command: secrets.command } },
  ])
  const ended = await administrator.applianceAuditLog.list({
    tenantId: owner.tenantId,
    query: { kind: 'session.ended' },
  })
  const received = Buffer.byteLength(secrets.output + secrets.error) + 1
  expect(ended.items.map(({ details }) => [details['batchId'], details['bytesFromDevice']])).toEqual([
    [batchId, received],
    [batchId, received],
  ])

  const said = JSON.stringify(server.log.lines)
  const dealtWith = server.log.lines.filter(({ message }) => message === 'A device of a batch was processed.')
  expect(dealtWith.map(({ fields }) => fields)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ deviceId, kind: 'run-command', actor: expect.objectContaining({ id: owner.user.id }) }),
    ]),
  )
  const stored = await everythingStored(server)
  expect(stored.includes(batchId)).toBe(true)
  for (const secret of Object.values(secrets)) {
    expect(said).not.toContain(secret)
    expect(stored.includes(secret)).toBe(false)
  }
})
