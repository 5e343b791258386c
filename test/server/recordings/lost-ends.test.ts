import { expect, test } from 'vitest'
import { entriesOf, fromDevice } from '../../support/recorded-session.ts'
import { recordingAgent } from '../../support/recording-agent.ts'
import { useTestServer } from '../../support/server.ts'
import { callerOf, startSession } from '../../support/session.ts'
import { until } from '../../support/until.ts'

test.each(['deviceEnd', 'viewerEnd'] as const)(
  'a recording is complete up to its last picture when the connection of %s breaks off',
  async (lost) => {
    const server = await useTestServer()
    const owner = await server.owner()
    const session = await startSession(await callerOf(owner), await recordingAgent(owner))
    const { deviceEnd, viewerEnd, ticket } = session
    deviceEnd.socket.send(fromDevice.displays())
    await owner.applianceSessionRecordings.start({ params: { sessionId: ticket.sessionId } })
    const pictures = [fromDevice.whole('first'), fromDevice.part('last')].map((bytes) => Buffer.from(bytes))
    pictures.forEach((picture) => deviceEnd.socket.send(picture))
    await until(() => viewerEnd.messages.length === pictures.length + 1)
    session[lost].socket.terminate()
    const row = await until(async () => {
      const { items } = await owner.applianceRecordings.list({ query: {} })
      return items.find(({ state }) => state !== 'running')
    })
    expect(row).toMatchObject({ state: 'complete', problem: null })
    const reading = await owner.applianceRecordings.read({ params: { recordingId: row.id } })
    const entries = await entriesOf(owner, row.id, reading)
    expect(entries.filter(({ kind }) => kind === 0).map(({ content }) => Buffer.from(content))).toEqual(pictures)
  },
)
