import { randomUUID } from 'node:crypto'
import { entriesIn } from '../../shared/recording-entries.ts'
import { encodeFrame, encodeMessage } from '../../shared/remote-control/codec.ts'
import type { RecordingReadingDto } from '../../shared/dtos/recording.ts'
import type { Visitor } from './server.ts'

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
