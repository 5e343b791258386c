import { randomUUID } from 'node:crypto'
import { entriesIn } from '../../shared/recording-entries.ts'
import { encodeFrame, encodeMessage } from '../../shared/remote-control/codec.ts'
import type { RecordingDto, RecordingPolicyDto, RecordingReadingDto } from '../../shared/dtos/recording.ts'
import type { RecordingAgent } from './recording-agent.ts'
import type { Member, Visitor } from './server.ts'
import { startSession, type Caller } from './session.ts'
import { until } from './until.ts'

const [width, height] = [64, 40]

const display = (displayId: string, isPrimary = true) =>
  ({
    capturePixelSize: { width, height },
    displayId,
    index: 0,
    isPrimary,
    layoutBounds: { x: 0, y: 0, width, height },
    layoutCoordinateSpace: 1,
    name: `Screen ${displayId}`,
    nativePixelSize: null,
  }) as const

const regions = (image: string, part = 1) => ({
  regions: [{ x: 0, y: 0, width, height: height * part, encodedImage: Buffer.from(image), imageFormat: 0 as const }],
})

/** Messages of a device with two small displays. */
export const fromDevice = {
  displays: () => encodeMessage('DisplayData', { displays: [display('a'), display('b', false)] }, 1n),
  /** A picture of the whole display. */
  whole: (image: string) => encodeFrame(regions(image), 1n),
  /** A picture of a part of the display. */
  part: (image: string) => encodeFrame(regions(image, 0.5), 1n),
  clipboard: (text: string) => encodeMessage('ClipboardText', { text, sessionId: randomUUID() }, 1n),
}

const noModifiers = { control: false, shift: false, alt: false, meta: false }

/** Messages of a viewer. */
export const fromViewer = {
  key: (key: string, modifiers: Partial<typeof noModifiers> = {}) =>
    encodeMessage(
      'KeyEvent',
      { key, code: '', isPressed: true, inputMode: 0, modifiers: { ...noModifiers, ...modifiers } },
      1n,
    ),
  text: (text: string) => encodeMessage('TypeText', { text }, 1n),
  clipboard: (text: string) => encodeMessage('ClipboardText', { text, sessionId: randomUUID() }, 1n),
  move: (normalizedX: number, normalizedY: number) => encodeMessage('MovePointer', { normalizedX, normalizedY }, 1n),
  display: (displayId: string) => encodeMessage('ChangeDisplays', { displayId }, 1n),
}

const recordings = '/api/appliance/v1/recordings'

/** Address of a block of a reading. */
export const blockAddress = (recordingId: string, readingId: string, index: number): string =>
  `${recordings}/${recordingId}/readings/${readingId}/blocks?index=${index}`

/** All entries of a reading. */
export async function entriesOf(reader: Visitor, recordingId: string, { id, blocks }: RecordingReadingDto) {
  const entries = []
  for (const index of blocks.keys()) {
    const answer = await reader.fetch(blockAddress(recordingId, id, index))
    if (!answer.ok) {
      throw new Error(`Block ${index}: ${answer.status} ${await answer.text()}`)
    }
    entries.push(...entriesIn(new Uint8Array(await answer.arrayBuffer())))
  }
  return entries
}

const anyDevice = { customerId: null, tagId: null, mode: 'allowed', retentionDays: null, quotaMegabytes: null } as const

/** Replaces the recording policies of an organization. */
export const setRecordingPolicies = (owner: Member, ...items: Partial<RecordingPolicyDto>[]) =>
  owner.applianceRecordings.replacePolicies({
    tenantId: owner.tenantId,
    body: { items: items.map((item) => ({ ...anyDevice, ...item })) },
  })

/** Running session whose device has shown nothing yet. */
export async function joinedSession(caller: Caller, agent: RecordingAgent) {
  const { ticket, viewerEnd, deviceEnd } = await startSession(caller, agent)
  type End = typeof viewerEnd
  const pass = async (from: End, to: End, messages: readonly Uint8Array[]) => {
    const before = to.messages.length
    messages.forEach((message) => from.socket.send(message))
    await until(() => to.messages.length === before + messages.length)
  }
  const show = (...messages: Uint8Array[]) => pass(deviceEnd, viewerEnd, messages)
  const act = (...messages: Uint8Array[]) => pass(viewerEnd, deviceEnd, messages)
  const end = async () => {
    viewerEnd.socket.close()
    await deviceEnd.closed
  }
  return { params: { sessionId: ticket.sessionId }, show, act, end }
}

/** Running session whose device has shown a picture. */
export async function shownSession(caller: Caller, agent: RecordingAgent) {
  const session = await joinedSession(caller, agent)
  await session.show(fromDevice.displays(), fromDevice.whole('first'))
  return session
}

/** Waits until the recording of a session has ended. */
export const endedRecording = (owner: Member, sessionId: string): Promise<RecordingDto> =>
  until(async () => {
    const { items } = await owner.applianceRecordings.list({ query: {} })
    return items.find((row) => row.sessionId === sessionId && row.state !== 'running')
  })

/** Records a session of the owner in which the device shows an image, to its end. */
export async function makeRecording(
  owner: Member,
  caller: Caller,
  agent: RecordingAgent,
  images: readonly string[] = ['second'],
): Promise<RecordingDto> {
  const { params, show, end } = await shownSession(caller, agent)
  await owner.applianceSessionRecordings.start({ params })
  await show(...images.map((image) => fromDevice.whole(image)))
  await end()
  return endedRecording(owner, params.sessionId)
}
