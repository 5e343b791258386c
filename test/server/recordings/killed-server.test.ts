import { expect, test } from 'vitest'
import { registerOwner, signInTo } from '../../support/server.ts'
import { entriesOf, fromDevice } from '../../support/recorded-session.ts'
import { recordingAgent } from '../../support/recording-agent.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'
import { callerOf, startSession } from '../../support/session.ts'
import { later, until } from '../../support/until.ts'

/** Longest loss of a killed server, and time between two pictures. */
const lostMs = 2_000
const everyMs = 100

test('a killed server loses at most the last two seconds of a recording', async () => {
  const directory = await temporaryFolder()
  const first = await startServerProcess(directory)
  const owner = await registerOwner(first.url)
  const agent = await recordingAgent(owner)
  const { viewerEnd, deviceEnd, ticket } = await startSession(await callerOf(owner), agent)
  deviceEnd.socket.send(fromDevice.displays())
  await owner.applianceSessionRecordings.start({ params: { sessionId: ticket.sessionId } })
  deviceEnd.socket.send(fromDevice.whole('picture 0'))
  const began = performance.now()
  let shown = 0
  while (performance.now() - began < lostMs + 1_000) {
    shown++
    deviceEnd.socket.send(fromDevice.part(`picture ${shown}`))
    await new Promise<void>((resolve) => later(everyMs, resolve))
  }
  await until(() => viewerEnd.messages.length === shown + 2)
  await first.kill()

  const second = await startServerProcess(directory)
  const reader = await signInTo(second.url)
  const { items } = await reader.applianceRecordings.list({ query: {} })
  expect(items).toMatchObject([{ state: 'interrupted', problem: expect.stringContaining('without notice') as string }])
  const { id } = items[0]!
  const reading = await reader.applianceRecordings.read({ params: { recordingId: id } })
  const entries = await entriesOf(reader, id, reading)
  const pictures = entries
    .map(({ content }) => /picture (\d+)/.exec(Buffer.from(content).toString('latin1')))
    .flatMap((found) => (found ? [Number(found[1])] : []))
  expect(pictures).toEqual(Array.from({ length: pictures.length }, (_, index) => index))
  expect(pictures.length).toBeGreaterThanOrEqual(shown - lostMs / everyMs)
})
