import { beforeAll, beforeEach, expect, test } from 'vitest'
import { ByteWriter } from '../../shared/contract/byte-writer.ts'
import { encodeMessage } from '../../shared/remote-control/codec.ts'
import type { Segment } from '../../server/recordings/block-file.ts'
import { SegmentBuilder } from '../../server/recordings/segments.ts'
import { enroll, type TestAgent } from '../support/agent.ts'
import {
  endedRecording,
  fromDevice,
  fromViewer,
  joinedSession,
  setRecordingPolicies,
  shownSession,
} from '../support/recorded-session.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { callerOf, type Caller } from '../support/session.ts'

/* A viewer of another maker hides nothing that it does at a device from a recording (T50). */

const owner = ownerForFile(serverForFile({}))
let enrolled: TestAgent
let agent: RecordingAgent
let caller: Caller
beforeAll(async () => {
  enrolled = await enroll(owner)
  await setRecordingPolicies(owner, { mode: 'always' })
})
beforeEach(async () => {
  agent = await recordingAgent(owner, { agent: enrolled })
  caller = await callerOf(owner)
})

/** Adds a member that decoders skip to a message. */
function padded(message: Uint8Array, length: number): Uint8Array {
  const padding = new ByteWriter()
  padding.string('Padding')
  padding.binary(new Uint8Array(length))
  return Buffer.concat([Buffer.from([0x84]), padding.result(), message.subarray(1)])
}

async function marksOf(sessionId: string) {
  const { id } = await endedRecording(owner, sessionId)
  const { marks } = await owner.applianceRecordings.read({ params: { recordingId: id } })
  return marks.map(({ kind, text }) => [kind, text])
}

async function marksAfter(...messages: Uint8Array[]) {
  const { params, show, act, end } = await shownSession(caller, agent)
  await act(...messages)
  await show(fromDevice.whole('second'))
  await end()
  return marksOf(params.sessionId)
}

test('a message with padding is recorded like any other, and one that is too long to read is marked', async () => {
  const messages = [padded(fromViewer.key('Delete'), 400_000), padded(fromViewer.key('Enter'), 600_000)]
  expect(await marksAfter(...messages)).toEqual([
    ['key', 'Delete'],
    ['unread', ''],
  ])
})

test('a text of the greatest length that agents type is recorded as typed', async () => {
  expect(await marksAfter(fromViewer.text('€'.repeat(100_000)))).toEqual([['typed', '']])
})

test('text typed before the first picture is recorded with that picture, or with the end of a session without one', async () => {
  for (const pictures of [[fromDevice.whole('first')], []]) {
    const { params, show, act, end } = await joinedSession(caller, agent)
    await act(fromViewer.text('rm -rf /'), fromViewer.key('Enter'))
    await show(...pictures)
    await end()
    expect(await marksOf(params.sessionId)).toEqual([
      ['typed', ''],
      ['key', 'Enter'],
    ])
  }
})

test('deeds before the first picture that are left out, as too many, are a last mark that says so', async () => {
  const { params, show, act, end } = await joinedSession(caller, agent)
  await act(...Array.from({ length: 300 }, () => fromViewer.move(0.5, 0.5)), fromViewer.text('rm -rf /'))
  await show(fromDevice.whole('first'))
  await end()
  expect(await marksOf(params.sessionId)).toEqual([['left-out', '']])
})

test.each([
  ['a picture', encodeMessage('ClipboardPicture', { contentId: 1, byteCount: 10, part: Buffer.alloc(10) }, 1n)],
  ['files', encodeMessage('ClipboardFiles', { contentId: 1, names: ['prepared.sh'] }, 1n)],
])('%s put on the clipboard of the device is recorded like a text', async (_, message) => {
  expect(await marksAfter(message)).toEqual([['clipboard', '']])
})

test('marks that are left out, as too many in a segment, are a last mark that says so', () => {
  const segments: Segment[] = []
  const builder = new SegmentBuilder((segment) => segments.push(segment))
  const press = (count: number) => {
    for (let at = 0; at < count; at++) {
      builder.mark({ at, kind: 'key', text: 'F5' })
    }
    builder.close()
  }
  press(500)
  press(600)
  press(1)
  const last = segments.map(({ marks }) => [marks.length, marks.at(-1)!.kind])
  expect(last).toEqual([
    [500, 'key'],
    [501, 'left-out'],
    [1, 'key'],
  ])
})

test('a key is recorded by its position, which agents press, and not by the name beside it', async () => {
  const press = (key: string, code: string) => {
    const modifiers = { control: false, shift: false, alt: false, meta: false }
    return encodeMessage('KeyEvent', { key, code, isPressed: true, inputMode: 1, modifiers }, 1n)
  }
  expect(await marksAfter(press('Shift', 'Delete'), press('F5', 'Enter'))).toEqual([
    ['key', 'Delete'],
    ['key', 'Enter'],
  ])
})
