import { expect, onTestFinished, test } from 'vitest'
import { endCommandType } from '../../shared/dtos/run-command.ts'
import { CommandFleet, finishedBatch } from '../support/command-fleet.ts'
import { integrator, useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const ended = 'The sign-in or the key that started this has ended.'

test('a batch ends with the token that started it, and its results show the reason', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const fleet = await CommandFleet.start(owner, 30)
  onTestFinished(() => fleet.stop())
  fleet.hangs = () => true
  const { personalAccessToken, plainTextToken } = await owner.personalAccessTokens.create({
    tenantId,
    body: { name: 'mine' },
  })
  const program = integrator(server.url, { 'x-personal-token': plainTextToken })
  const { id: batchId } = await program.applianceBatches.start({
    body: { kind: 'run-command', deviceIds: fleet.ids, command: 'sleep 1000' },
  })
  await until(() => fleet.running === 25)
  await owner.personalAccessTokens.delete({ tenantId, params: { id: personalAccessToken.id } })
  const { batch, results } = await finishedBatch(owner, batchId)
  expect(batch.counts).toMatchObject({ failed: 25, canceled: 5 })
  expect(results.filter(({ state }) => state === 'canceled').map(({ reason }) => reason)).toEqual(Array(5).fill(ended))
  expect(fleet.commanded()).toHaveLength(25)
  expect(
    new Set(fleet.told.filter(({ target }) => target === endCommandType).map(({ deviceId }) => deviceId)).size,
  ).toBe(25)
})
