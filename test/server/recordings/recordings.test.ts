import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../server/ground/clock.ts'
import { receiveFilesType } from '../../../shared/dtos/file-messages.ts'
import { failure, success, successOf } from '../../../shared/dtos/hub-result.ts'
import { RecordingNotice, recordingNoticeType } from '../../../shared/dtos/recording-notice.ts'
import type { RecordingPolicyDto } from '../../../shared/dtos/recording.ts'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import { enroll, type TestAgent } from '../../support/agent.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addMember } from '../../support/people.ts'
import {
  endedRecording,
  entriesOf,
  fromDevice,
  fromViewer,
  setRecordingPolicies,
  shownSession,
} from '../../support/recorded-session.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { callerOf, requestSession, requestTold, type Caller } from '../../support/session.ts'
import { account, serverForFile, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

let shiftedMs = 0
const server = serverForFile({ clock: { ...systemClock, monotonic: () => performance.now() + shiftedMs } })
const pass = (ms: number) => void (shiftedMs += ms)
let owner: Member
let technician: Member
let enrolled: TestAgent
let agent: RecordingAgent
let caller: Caller
beforeAll(async () => {
  const { tenantId } = await server.owner()
  technician = await addMember(server, tenantId, [
    'device.read',
    'device.remote-control.connect',
    'device.remote-control.interact',
    'device.terminal.use',
    'device.vnc-relay.connect',
    'device.file-system.transfer-upload',
  ])
  owner = await server.signIn(account)
  enrolled = await enroll(owner)
})
beforeEach(async () => {
  // Connections end with a test that lets minutes pass.
  agent = await recordingAgent(owner, { agent: enrolled })
  caller = await callerOf(technician)
})
afterEach(() => setPolicy())

const setPolicy = (...items: Partial<RecordingPolicyDto>[]) => setRecordingPolicies(owner, ...items)

const list = async () => (await owner.applianceRecordings.list({ query: {} })).items
const read = (recordingId: string) => owner.applianceRecordings.read({ params: { recordingId } })

/** Running session of the technician whose device has shown a picture. */
const begin = async () => ({
  ...(await shownSession(caller, agent)),
  recording: technician.applianceSessionRecordings,
})
const finished = (sessionId: string) => endedRecording(owner, sessionId)

test('a recording has the pictures as the device sent them, from the press of the button on', async () => {
  const { recording, params, show, act, end } = await begin()
  expect(await recording.state({ params })).toMatchObject({ mode: 'allowed', isRecording: false })
  expect(await recording.start({ params })).toMatchObject({ isRecording: true })
  const whole = fromDevice.whole('second')
  await show(fromDevice.part('lost without a whole picture'), whole)
  pass(1000)
  await show(fromDevice.part('third'))
  await act(
    fromViewer.move(0.5, 0.25),
    fromViewer.display('b'),
    fromViewer.key('Enter'),
    fromViewer.key('c', { control: true }),
    fromViewer.key('F5'),
  )
  await end()
  const row = await finished(params.sessionId)
  expect(row).toMatchObject({ kind: 'screen', state: 'complete', cause: 'button', deviceId: agent.id, problem: null })
  const reading = await read(row.id)
  expect(reading.durationMs).toBeGreaterThanOrEqual(1000)
  expect(reading.blocks[0]).toMatchObject({ from: 0, isKey: true })
  expect(reading.marks.map(({ kind, text }) => [kind, text])).toEqual([
    ['display', 'Screen b'],
    ['key', 'Enter'],
    ['key', 'Ctrl+C'],
    ['key', 'F5'],
  ])
  const entries = await entriesOf(owner, row.id, reading)
  const shown = entries.filter(({ kind }) => kind === 0).map(({ content }) => Buffer.from(content))
  expect(shown).toEqual([whole, fromDevice.part('third')].map((bytes) => Buffer.from(bytes)))
  const acted = entries
    .filter(({ kind }) => kind === 1)
    .map(({ content }) => JSON.parse(Buffer.from(content).toString()) as unknown)
  expect(acted).toEqual([{ width: 64, height: 40 }, { at: [0.5, 0.25] }])
})

test('a recording names the small files that were sent meanwhile', async () => {
  const { recording, params, show, end } = await begin()
  await recording.start({ params })
  await show(fromDevice.whole('second'))
  agent.answers.ReceiveDto = ({ dtoType }: { dtoType: unknown }) =>
    dtoType === receiveFilesType ? successOf({ received: { problems: [null, 'File already exists.'] } }) : null
  const file = { targetDirectory: '/in', fileSize: 0, sha256: 'a'.repeat(64) }
  const files = ['a.txt', 'b.txt'].map((fileName) => ({ ...file, fileName }))
  const head = Buffer.from(JSON.stringify({ files }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  const response = await technician.fetch(`/api/appliance/v1/devices/${agent.id}/small-uploads`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: Buffer.concat([length, head]),
  })
  expect(response.status).toBe(200)
  await end()
  const { id } = await finished(params.sessionId)
  const { marks } = await read(id)
  expect(marks.map(({ kind, text }) => [kind, text])).toEqual([['upload', 'a.txt']])
})

test('typed characters, their number and clipboards are in no recording (T50)', async () => {
  const { recording, params, show, act, end } = await begin()
  await recording.start({ params })
  await show(fromDevice.whole('second'), fromDevice.clipboard('hunter2-from-the-device'))
  await act(
    ...Array.from('hunter2', (key) => fromViewer.key(key)),
    fromViewer.text('hunter2'),
    fromViewer.clipboard('hunter2'),
    fromViewer.key('@', { control: true, alt: true }),
  )
  await end()
  const { id } = await finished(params.sessionId)
  const reading = await read(id)
  expect(reading.marks).toEqual([
    { at: expect.any(Number) as number, kind: 'typed', text: '' },
    { at: expect.any(Number) as number, kind: 'clipboard', text: '' },
  ])
  const stored = (await entriesOf(owner, id, reading)).map(({ content }) => Buffer.from(content).toString('latin1'))
  expect(stored.join('\n')).not.toMatch(/hunter/)
})

describe('the last two minutes', () => {
  test('are stored only on a press', async () => {
    const { recording, params, show, end } = await begin()
    pass(60_000)
    await show(fromDevice.part('second'))
    expect((await list()).filter(({ sessionId }) => sessionId === params.sessionId)).toEqual([])
    expect(await recording.keep({ params })).toMatchObject({ isRecording: false })
    const row = await finished(params.sessionId)
    expect(row).toMatchObject({ cause: 'kept', state: 'complete' })
    expect((await read(row.id)).durationMs).toBeGreaterThanOrEqual(60_000)
    await end()
  })

  test('begin with a whole picture, and the time before is forgotten', async () => {
    const { recording, params, show, end } = await begin()
    pass(100_000)
    await show(fromDevice.whole('second'))
    pass(100_000)
    await show(fromDevice.whole('third'))
    pass(30_000)
    await show(fromDevice.part('fourth'))
    await recording.keep({ params })
    const { id } = await finished(params.sessionId)
    const reading = await read(id)
    const shown = (await entriesOf(owner, id, reading)).map(({ content }) => Buffer.from(content).toString('latin1'))
    expect(shown.join()).not.toMatch(/first/)
    expect(shown.join()).toMatch(/second.*third.*fourth/s)
    await end()
  })
})

describe('a policy', () => {
  test('that records always begins with the session, and the person at the device is told', async () => {
    await setPolicy({ mode: 'always' })
    const { recording, params, end } = await begin()
    expect(requestTold(agent)).toMatchObject({ isRecorded: true })
    await until(async () => (await recording.state({ params })).isRecording)
    await expect(recording.stop({ params })).rejects.toMatchObject({ status: 409 })
    await end()
    const row = await finished(params.sessionId)
    expect(row.cause).toBe('policy')
    const shown = (await entriesOf(owner, row.id, await read(row.id))).map(({ content }) =>
      Buffer.from(content).toString('latin1'),
    )
    expect(shown.join()).toMatch(/first/)
  })

  test('that records always rejects VNC, which cannot be recorded', async () => {
    await setPolicy({ mode: 'always' })
    expect(await requestSession(caller, agent.id, makeTicket(server.url), 'vnc')).toEqual(
      failure('A policy requires that every session on this device is recorded, and VNC sessions cannot be recorded.'),
    )
  })

  test('that forbids it leaves nothing to press', async () => {
    await setPolicy({ mode: 'off' })
    const { recording, params, end } = await begin()
    await expect(recording.start({ params })).rejects.toMatchObject({ status: 404 })
    await expect(recording.keep({ params })).rejects.toMatchObject({ status: 404 })
    await end()
  })
})

test('a recording by button is told to the device, beginning and end', async () => {
  const { recording, params, end } = await begin()
  await recording.start({ params })
  await recording.stop({ params })
  const notices = () =>
    agent.told
      .filter(([method]) => method === 'ReceiveDto')
      .map(([, message]) => message as { dtoType: string; payload: string })
      .filter(({ dtoType }) => dtoType === recordingNoticeType)
      .map(({ payload }) => RecordingNotice.parse(JSON.parse(Buffer.from(payload, 'base64').toString())).isRecorded)
  await until(() => notices().length === 2)
  expect(notices()).toEqual([true, false])
  expect(requestTold(agent)).toMatchObject({ sessionId: params.sessionId, isRecorded: false })
  await end()
})

test('a session is recorded by its own person alone (T50)', async () => {
  const { params, end } = await begin()
  await expect(owner.applianceSessionRecordings.start({ params })).rejects.toMatchObject({ status: 404 })
  await end()
})

test('a device that sends nonsense ends no session and no server, and the recording stays readable (T35)', async () => {
  const { recording, params, show, end } = await begin()
  await recording.start({ params })
  await show(fromDevice.whole('second'))
  const deep = Buffer.alloc(100_000, 0x91)
  await show(Buffer.from([0xdf, 0xff, 0xff, 0xff, 0xff]), deep, Buffer.alloc(300_000), fromDevice.part('third'))
  await end()
  const { id } = await finished(params.sessionId)
  const shown = (await entriesOf(owner, id, await read(id))).map(({ content }) =>
    Buffer.from(content).toString('latin1'),
  )
  expect(shown.join()).toMatch(/second.*third/s)
})

test('a terminal is recorded as asciicast, without what was typed', async () => {
  const viewer = await connectViewer(technician)
  const terminalId = randomUUID()
  expect(await viewer.CreateTerminalSession(agent.id, terminalId)).toMatchObject({ isSuccess: true })
  const input = (text: string) =>
    viewer.SendTerminalInput2({
      deviceId: agent.id,
      input: { terminalId, input: text, isRaw: true, columns: 100, rows: 30 },
    })
  expect(await input('secret-typed\r')).toEqual(success)
  const params = { sessionId: terminalId }
  await technician.applianceSessionRecordings.start({ params })
  const output = { terminalId, outputKind: 0 as const, timestamp: new Date(Date.now()).toISOString() }
  await agent.SendTerminalOutputToViewer(viewer.connection.connectionId!, { ...output, output: 'one\r\n' })
  pass(2_500)
  await agent.SendTerminalOutputToViewer(viewer.connection.connectionId!, {
    ...output,
    output: '\u001b[32mtwo\u001b[0m',
  })
  await viewer.CloseTerminalSession(agent.id, terminalId)
  await until(async () => (await list()).some(({ kind, state }) => kind === 'terminal' && state === 'complete'))
  const { id } = (await list()).find(({ kind }) => kind === 'terminal')!
  const reading = await read(id)
  const answer = await owner.fetch(`/api/appliance/v1/recordings/${id}/readings/${reading.id}/asciicast`)
  expect(answer.headers.get('content-disposition')).toMatch(/\.cast/)
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  expect(lines[0]).toMatchObject({ version: 2, width: 100, height: 30 })
  const outputs = (lines.slice(1) as [number, string, string][]).filter(([, code]) => code === 'o')
  expect(outputs.map(([, , text]) => text)).toEqual(['one\r\n', '\u001b[32mtwo\u001b[0m'])
  expect(outputs.map(([at]) => Math.round(at * 10))).toEqual([0, 25])
  expect(JSON.stringify(lines)).not.toMatch(/secret-typed/)
  // Players of the format rely on the order of times, and on known codes.
  const events = lines.slice(1) as [number, string, string][]
  expect(events.map(([at]) => at)).toEqual(events.map(([at]) => at).toSorted((one, other) => one - other))
  expect(events.filter(([, code, text]) => code !== 'o' && !/^r\d+x\d+$/.test(code + text))).toEqual([])
})
