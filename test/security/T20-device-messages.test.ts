import { expect, test } from 'vitest'
import { Commands } from '../../agent/capabilities/commands.ts'
import { collectingLog } from '../agent/support.ts'
import { enroll } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { connectViewer } from '../support/hub-client.ts'
import { useTestServer } from '../support/server.ts'

const wrapper = { dtoType: 'unknown', payload: '', sendTimestamp: 0 }

test('an agent logs unhandled messages once a minute', async () => {
  const clock = manualClock()
  const log = collectingLog()
  const commands = new Commands({ clock, log })
  const lines: number[] = []
  for (const waitMs of [0, 0, 59_000, 1_000, 0]) {
    clock.advance(waitMs)
    await commands.receive(wrapper)
    lines.push(log.lines.length)
  }
  expect(lines).toEqual([1, 1, 1, 2, 2])
})

test('a principal can send 120 messages to a device per minute', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  const owner = await server.owner()
  const agent = await enroll(owner)
  await agent.connect(server.url, { ReceiveDto: () => null })
  const viewer = await connectViewer(owner)
  const send = async () => (await viewer.SendDtoToAgent({ deviceId: agent.id, wrapper })).isSuccess
  for (let count = 0; count < 120; count++) {
    expect(await send()).toBe(true)
  }
  expect(await send()).toBe(false)
  clock.advance(60_000)
  expect(await send()).toBe(true)
})
