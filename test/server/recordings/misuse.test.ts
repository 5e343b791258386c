import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { BlockWriter } from '../../../server/recordings/block-file.ts'
import { deferred } from '../../../shared/deferred.ts'
import { recordingNoticeType } from '../../../shared/dtos/recording-notice.ts'
import type { RecordingPolicyDto } from '../../../shared/dtos/recording.ts'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import { enroll, type TestAgent } from '../../support/agent.ts'
import { shiftedClock } from '../../support/clock.ts'
import { fromDevice, makeRecording, setRecordingPolicies, shownSession } from '../../support/recorded-session.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { addMember } from '../../support/people.ts'
import { account, serverForFile, type Member } from '../../support/server.ts'
import { callerOf, requestSession, startSession, type Caller } from '../../support/session.ts'
import { until } from '../../support/until.ts'

const jobs = shiftedClock(10 * 60_000)
const server = serverForFile({ clock: jobs })
let owner: Member
let enrolled: TestAgent
let agent: RecordingAgent
let caller: Caller
beforeAll(async () => {
  await server.owner()
  owner = await server.signIn(account)
  enrolled = await enroll(owner)
})
beforeEach(async () => {
  agent = await recordingAgent(owner, { agent: enrolled })
  caller = await callerOf(owner)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await setPolicy()
})

const setPolicy = (...items: Partial<RecordingPolicyDto>[]) => setRecordingPolicies(owner, ...items)
const list = async () => (await owner.applianceRecordings.list({ query: {} })).items
const read = (recordingId: string) => owner.applianceRecordings.read({ params: { recordingId } })
const recorder = () => owner.applianceSessionRecordings

const begin = () => shownSession(caller, agent)
const made = async () => (await makeRecording(owner, caller, agent)).id

test('a session cannot be recorded before its device knows it, and can tell the person (T50)', async () => {
  const ticket = makeTicket(server.url)
  expect(await requestSession(caller, agent.id, ticket)).toMatchObject({ isSuccess: true })
  const start = recorder().start({ params: { sessionId: ticket.sessionId } })
  await expect(start).rejects.toThrow('The session has not begun yet.')
})

test('a device that was away when a recording began is told when it has connected again (T50)', async () => {
  const { params, end } = await begin()
  await agent.connection.stop()
  await recorder().start({ params })
  const again = await recordingAgent(owner, { agent: enrolled })
  await again.SendOpenTerminals([])
  const notices = () =>
    again.told.filter(([, message]) => (message as { dtoType?: string } | undefined)?.dtoType === recordingNoticeType)
  await until(() => notices().length === 1)
  await end()
})

test('under a policy, pictures are recorded although the device never sends a whole one', async () => {
  await setPolicy({ mode: 'always' })
  const { viewerEnd, deviceEnd, ticket } = await startSession(caller, agent)
  deviceEnd.socket.send(fromDevice.displays())
  deviceEnd.socket.send(fromDevice.part('a part'))
  await until(() => viewerEnd.messages.length === 2)
  await until(async () => (await list()).some(({ sessionId }) => sessionId === ticket.sessionId))
  viewerEnd.socket.close()
  await deviceEnd.closed
  const own = async () => (await list()).filter(({ sessionId }) => sessionId === ticket.sessionId)
  await until(async () => (await own()).every(({ state }) => state !== 'running'))
  expect(await own()).toMatchObject([{ state: 'complete', cause: 'policy' }])
})

test('a terminal that must be recorded and cannot be takes no input, neither with nor during its opening', async () => {
  await setPolicy({ mode: 'always' })
  const folder = join(server.directory, 'recordings')
  await mkdir(folder, { recursive: true })
  await rename(folder, `${folder}.away`)
  await writeFile(folder, '')
  agent.reset()
  const terminalId = randomUUID()
  const input = { terminalId, input: 'id\r', isRaw: true }
  const answers = await Promise.all([
    caller.viewer.CreateTerminalSession(agent.id, terminalId),
    caller.viewer.SendTerminalInput2({ deviceId: agent.id, input }),
    caller.viewer.SendTerminalInput2({ deviceId: agent.id, input }),
  ])
  await rm(folder)
  await rename(`${folder}.away`, folder)
  expect(answers.map(({ isSuccess }) => isSuccess)).toEqual([false, false, false])
  expect(answers[0].reason).toContain('cannot store the recording')
  const methods = agent.told.map(([method]) => method)
  expect(methods).not.toContain('CreateTerminalSession')
  expect(methods).not.toContain('ReceiveTerminalInput')
})

test('a recording that fails while the last minutes are being kept ends', async () => {
  const { params, show, end } = await begin()
  await recorder().start({ params })
  await show(fromDevice.whole('second'))
  const gate = deferred<void>()
  const { finish } = BlockWriter.prototype
  const slow = vi.spyOn(BlockWriter.prototype, 'finish').mockImplementation(async function (this: BlockWriter) {
    await gate.promise
    return await finish.call(this)
  })
  const keeping = recorder().keep({ params })
  await until(() => slow.mock.calls.length === 1)
  const full = Object.assign(new Error('No space left'), { code: 'ENOSPC' })
  vi.spyOn(BlockWriter.prototype, 'write').mockRejectedValue(full)
  await show(fromDevice.whole('third'))
  await until(async () => (await recorder().state({ params })).problem !== null)
  gate.resolve()
  await keeping
  await until(async () => !(await recorder().state({ params })).isRecording)
  await end()
})

test('an interrupted recording that was cut off afterwards is not shown', async () => {
  const id = await made()
  const file = join(server.directory, 'recordings', `${id}.recording`)
  const bytes = await readFile(file)
  await server.changeRow('recordings', id, `state = 'interrupted'`)
  await truncate(file, bytes.length - 10)
  await expect(read(id)).rejects.toThrow('cut off')
})

test('a reader ends own readings only, the oldest first', async () => {
  const id = await made()
  const first = await read(id)
  const block = async (readingId: string) =>
    (await owner.fetch(`/api/appliance/v1/recordings/${id}/readings/${readingId}/blocks?index=0`)).status
  expect(await block(first.id)).toBe(200)
  for (let count = 0; count < 20; count++) {
    await read(id)
  }
  expect(await block(first.id)).toBe(404)
})

test('days and space of a customer hold for its sites', async () => {
  const customer = await owner.customers.create({ tenantId: owner.tenantId, body: { name: 'Contoso' } })
  const site = await owner.customers.create({ tenantId: owner.tenantId, body: { name: 'Contoso North' } })
  const { tenantId } = owner
  const body = { parentId: customer.id, contacts: [] }
  await owner.applianceOrganization.setCustomer({ tenantId, params: { customerId: site.id }, body })
  const [old, large, kept] = [await made(), await made(), await made()]
  const dayMs = 24 * 60 * 60_000
  await server.changeRow('recordings', old, `customerId = '${site.id}', startedAt = startedAt - ${10 * dayMs}`)
  await server.changeRow('recordings', large, `customerId = '${site.id}', bytes = 200000000`)
  await server.changeRow('recordings', kept, `customerId = '${site.id}'`)
  await setPolicy({ customerId: customer.id, retentionDays: 7, quotaMegabytes: 100 })
  jobs.pass()
  await until(async () => !(await list()).some(({ id }) => id === old || id === large))
  expect((await list()).map(({ id }) => id)).toContain(kept)
})

test('a clock that is set a year ahead makes no recording old; corrected, the retention goes on', async () => {
  const dayMs = 24 * 60 * 60_000
  const [large, recent] = [await made(), await made()]
  await setPolicy({ retentionDays: 7, quotaMegabytes: 100 })
  await server.changeRow('recordings', large, 'bytes = 200000000')
  jobs.shift(365 * dayMs)
  jobs.pass()
  // Space is no question of time: the job has run when this recording is gone.
  await until(async () => (await server.rows('SELECT 1 FROM recordings WHERE id = ?', large)).length === 0)
  expect(await server.rows('SELECT 1 FROM recordings WHERE id = ?', recent)).toHaveLength(1)
  jobs.shift(-365 * dayMs)
  // Its session may have ended with the jump.
  owner = await server.signIn(account)
  await server.changeRow('recordings', recent, `startedAt = startedAt - ${10 * dayMs}`)
  jobs.pass()
  await until(async () => !(await list()).some(({ id }) => id === recent))
})

test('running recordings take space too, and recordings by button go before those that a policy requires (T44)', async () => {
  const [required, chosen] = [await made(), await made()]
  await server.changeRow('recordings', required, `cause = 'policy', bytes = 60000000`)
  await server.changeRow('recordings', chosen, `bytes = 39999500`)
  await setPolicy({ quotaMegabytes: 100 })
  for (const { id } of (await list()).filter((row) => row.id !== required && row.id !== chosen)) {
    await owner.applianceRecordings.remove({ params: { recordingId: id } })
  }
  const { params, show, end } = await begin()
  await recorder().start({ params })
  await show(fromDevice.whole('x'.repeat(600_000)))
  await until(async () => {
    jobs.pass()
    return !(await list()).some(({ id }) => id === chosen)
  })
  expect((await list()).map(({ id }) => id)).toContain(required)
  await end()
})

test('without space, the person with the most recordings by button loses the oldest, and others lose none (T50)', async () => {
  for (const { id } of await list()) {
    await owner.applianceRecordings.remove({ params: { recordingId: id } })
  }
  const [ofOther, oldest, newest] = [await made(), await made(), await made()]
  await server.changeRow('recordings', ofOther, `personId = '${randomUUID()}', bytes = 40000000`)
  await server.changeRow('recordings', oldest, 'bytes = 35000000')
  await server.changeRow('recordings', newest, 'bytes = 35000000')
  await setPolicy({ quotaMegabytes: 100 })
  jobs.pass()
  await until(async () => (await list()).length < 3)
  expect((await list()).map(({ id }) => id).toSorted()).toEqual([ofOther, newest].toSorted())
})

test('the export of a terminal ends with the account of its reader (T29)', async () => {
  const { tenantId } = owner
  const terminalId = randomUUID()
  expect(await caller.viewer.CreateTerminalSession(agent.id, terminalId)).toMatchObject({ isSuccess: true })
  await recorder().start({ params: { sessionId: terminalId } })
  const output = { terminalId, outputKind: 0 as const, timestamp: new Date(Date.now()).toISOString() }
  for (let count = 0; count < 60; count++) {
    await agent.SendTerminalOutputToViewer(caller.viewer.connection.connectionId!, {
      ...output,
      output: randomBytes(200_000).toString('hex'),
    })
  }
  await caller.viewer.CloseTerminalSession(agent.id, terminalId)
  const ended = async () => (await list()).find(({ kind, state }) => kind === 'terminal' && state === 'complete')
  await until(async () => (await ended()) !== undefined)
  const recordingId = (await ended())!.id
  const reader = await addMember(server, tenantId, ['appliance.recordings.read'])
  const reading = await reader.applianceRecordings.read({ params: { recordingId } })
  const answer = await reader.fetch(`/api/appliance/v1/recordings/${recordingId}/readings/${reading.id}/asciicast`)
  const body = answer.body!.getReader()
  await body.read()
  await owner.users.delete({ tenantId, params: { userId: reader.user.id } })
  const rest = async (): Promise<void> => ((await body.read()).done ? undefined : rest())
  await expect(rest()).rejects.toThrow('terminated')
})
