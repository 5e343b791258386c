import { describe, expect, test } from 'vitest'
import { canJoin, joinedForFile } from '../../support/joined-servers.ts'
import { fromDevice } from '../../support/recorded-session.ts'
import { recordingAgent } from '../../support/recording-agent.ts'
import { callerOf, startSession } from '../../support/session.ts'
import { until } from '../../support/until.ts'

describe.runIf(canJoin)('a recording of a server that died', () => {
  const joined = joinedForFile()

  test('was closed by another server without its file, and is completed when its server is back', async () => {
    const { owner, one, two } = joined
    const agent = await recordingAgent(owner)
    const { viewerEnd, deviceEnd, ticket } = await startSession(await callerOf(owner), agent)
    deviceEnd.socket.send(fromDevice.displays())
    await owner.applianceSessionRecordings.start({ params: { sessionId: ticket.sessionId } })
    deviceEnd.socket.send(fromDevice.whole('picture'))
    await until(() => viewerEnd.messages.length === 2)
    viewerEnd.socket.close()
    const found = async () => (await owner.applianceRecordings.list({ query: {} })).items[0]!
    const whole = await until(async () => {
      const recording = await found()
      return recording.state === 'complete' ? recording : undefined
    })
    // As the other server leaves the row, which does not have the file.
    const emptied = "state = 'interrupted', bytes = 0, blocks = 0, digest = NULL, serverId = 'gone'"
    await one.changeRow('recordings', whole.id, emptied)
    await two.restart()
    expect(await found()).toMatchObject({ state: 'interrupted', bytes: 0 })
    await one.restart()
    const completed = await until(async () => {
      const recording = await found()
      return recording.bytes > 0 ? recording : undefined
    })
    expect(completed).toMatchObject({ id: whole.id, state: 'interrupted' })
  })
})
