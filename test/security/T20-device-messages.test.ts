import { expect, test } from 'vitest'
import { Commands } from '../../agent/capabilities/commands.ts'
import { collectingLog } from '../agent/support.ts'
import { enroll } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { connectViewer } from '../support/hub-client.ts'
import { useTestServer } from '../support/server.ts'

type Viewer = Awaited<ReturnType<typeof connectViewer>>

const wrapper = { dtoType: 'unknown', payload: '', sendTimestamp: 0 }

test('an agent logs unhandled messages once a minute', async () => {
  const clock = manualClock(Date.now())
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

test.each<[string, (viewer: Viewer, deviceId: string) => Promise<{ isSuccess: boolean }>]>([
  ['messages for its programs', (viewer, deviceId) => viewer.SendDtoToAgent({ deviceId, wrapper })],
  ['demands for a report', (viewer, deviceId) => viewer.RefreshDeviceInfo2({ deviceId })],
  ['wake-ups', (viewer, deviceId) => viewer.SendWakeDevice2({ deviceId, macAddresses: ['00:00:5e:00:53:01'] })],
])('a principal can send a device 120 %s per minute', async (_, send) => {
  const clock = manualClock(Date.now())
  const server = await useTestServer({ clock })
  const owner = await server.owner()
  const agent = await enroll(owner)
  await agent.connect(server.url, { ReceiveDto: () => null })
  const viewer = await connectViewer(owner)
  const isSent = async () => (await send(viewer, agent.id)).isSuccess
  for (let count = 0; count < 120; count++) {
    expect(await isSent()).toBe(true)
  }
  expect(await isSent()).toBe(false)
  clock.advance(60_000)
  expect(await isSent()).toBe(true)
})
