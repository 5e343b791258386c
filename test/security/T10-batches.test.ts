import { expect, onTestFinished, test } from 'vitest'
import { endCommandType } from '../../shared/dtos/run-command.ts'
import { CommandFleet, finishedBatch } from '../support/command-fleet.ts'
import { useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

test('a right removed during a batch ends its running commands, and no other starts', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const fleet = await CommandFleet.start(owner, 30)
  onTestFinished(() => fleet.stop())
  fleet.hangs = () => true
  const { id: batchId } = await owner.applianceBatches.start({
    body: { kind: 'run-command', deviceIds: fleet.ids, command: 'sleep 1000' },
  })
  await until(() => fleet.running === 25)
  await owner.permissionAssignments.create({
    tenantId,
    body: {
      principalKind: 'User',
      principalId: owner.user.id,
      permissionName: 'device.terminal.use',
      effect: 'Deny',
      scopeKind: 'Tenant',
      scopeId: tenantId,
    },
  })
  const { batch, results } = await finishedBatch(owner, batchId)
  expect(batch.counts).toMatchObject({ failed: 30, done: 0 })
  expect(
    results.filter(({ reason }) => reason === 'You do not have permission to do this on this device.'),
  ).toHaveLength(5)
  expect(fleet.commanded()).toHaveLength(25)
  expect(fleet.told.filter(({ target }) => target === endCommandType)).toHaveLength(25)
})
