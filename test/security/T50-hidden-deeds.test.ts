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

async function marksAfter(...messages: Uint8Array[]) {
  const { params, show, act, end } = await shownSession(caller, agent)
  await act(...messages)
  await show(fromDevice.whole('second'))
  await end()
  const { id } = await endedRecording(owner, params.sessionId)
  const { marks } = await owner.applianceRecordings.read({ params: { recordingId: id } })
  return marks.map(({ kind, text }) => [kind, text])
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
