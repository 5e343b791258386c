import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { pageTicketParameter } from '../../../../shared/page-key.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../../../support/joined-servers.ts'
import { blockAddress, endedRecording, entriesOf, fromDevice, shownSession } from '../../../support/recorded-session.ts'
import { recordingAgent } from '../../../support/recording-agent.ts'
import { account, Visitor } from '../../../support/server.ts'
import { callerOf } from '../../../support/session.ts'
import { until } from '../../../support/until.ts'

describe.runIf(canJoin)('a recording of a session at another server', () => {
  const joined = joinedForFile()

  test('begins, keeps, ends and is read as at its own server', async () => {
    const { owner, ownerAtTwo } = joined
    const agent = await recordingAgent(owner)
    await until(() => isOnlineAt(ownerAtTwo, agent.id))
    const { params, show, end } = await shownSession(await callerOf(owner), agent)
    const { applianceSessionRecordings: other, applianceRecordings } = ownerAtTwo
    expect(await other.state({ params })).toMatchObject({ isRecording: false })
    expect(await other.start({ params })).toMatchObject({ isRecording: true })
    await show(fromDevice.whole('second'))
    expect(await other.keep({ params })).toMatchObject({ isRecording: true })
    expect(await other.stop({ params })).toMatchObject({ isRecording: false })
    await end()
    const { id } = await endedRecording(owner, params.sessionId)
    const reading = await applianceRecordings.read({ params: { recordingId: id } })
    const read = await entriesOf(ownerAtTwo, id, reading)
    expect(read.length).toBeGreaterThan(0)
    expect(await entriesOf(owner, id, reading)).toEqual(read)

    // A page saves by a link, which has a ticket in place of the page key.
    const page = new Visitor(ownerAtTwo.url)
    page.pageKey = randomUUID()
    await page.applianceSession.signIn({ body: { email: account.email, password: account.password } })
    const { ticket } = await page.applianceSession.issueTicket({})
    const saved = new URL(`${blockAddress(id, reading.id, 0)}&${pageTicketParameter}=${ticket}`, page.url)
    const save = async () => (await fetch(saved, { headers: { cookie: page.cookie! } })).status
    expect([await save(), await save()]).toEqual([200, 401])
  })
})
