import { describe, expect, test } from 'vitest'
import { askConsentType } from '../../../../shared/dtos/consent.ts'
import { powerOrderType } from '../../../../shared/dtos/power-order.ts'
import { runCommandType } from '../../../../shared/dtos/run-command.ts'
import { answeringAgent } from '../../../support/answering-agent.ts'
import { finishedBatch } from '../../../support/command-fleet.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../../../support/joined-servers.ts'
import { until } from '../../../support/until.ts'

describe.runIf(canJoin)('a batch with a device at another server', () => {
  const joined = joinedForFile()

  /** A device at the first server, and the messages for its agent. */
  async function deviceAtOne() {
    const device = await answeringAgent(joined.owner)
    await until(() => isOnlineAt(joined.ownerAtTwo, device.id))
    const messages = () =>
      device.told.flatMap(([method, message]) =>
        method === 'ReceiveDto' ? [(message as { dtoType: string }).dtoType] : [],
      )
    return { deviceIds: [device.id], messages }
  }

  test('asks the person at the device before a command, as a batch at its own server does', async () => {
    for (const member of [joined.owner, joined.ownerAtTwo]) {
      const { deviceIds, messages } = await deviceAtOne()
      const batch = await member.applianceBatches.start({ body: { kind: 'run-command', deviceIds, command: 'true' } })
      await finishedBatch(member, batch.id)
      expect(messages()).toEqual([askConsentType, runCommandType])
    }
  })

  test('orders a restart for later, as a batch at its own server does', async () => {
    for (const member of [joined.owner, joined.ownerAtTwo]) {
      const { deviceIds, messages } = await deviceAtOne()
      const power = { when: 'tonight', person: 'not-asked' } as const
      const batch = await member.applianceBatches.start({ body: { kind: 'restart', deviceIds, power } })
      expect((await finishedBatch(member, batch.id)).results).toMatchObject([{ state: 'done', reason: null }])
      expect(messages()).toEqual([powerOrderType])
    }
  })
})
