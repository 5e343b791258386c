import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Download } from '../../shared/contract/transfer.ts'
import type { RecordingReadingDto } from '../../shared/dtos/recording.ts'
import { entriesIn, recordingEntries } from '../../shared/recording-entries.ts'
import { safeFileName } from '../../shared/safe-file-names.ts'
import type { App, Call, RouteCall } from '../call/call.ts'
import { AppError, conflict, found, notFound } from '../ground/errors.ts'
import { accountOf, ownerOf } from '../ground/principal.ts'
import { BlockReader, DamagedBlock, entriesBytes } from './block-file.ts'
import { keyContext, pathOf } from './folder.ts'
import { findRecording } from './recordings.ts'
import type { RecordingRow } from './tables.ts'

function requireFile(app: App, { id }: RecordingRow): string {
  const path = pathOf(app, id)
  if (!existsSync(path)) {
    throw new AppError(404, 'The file of this recording is not on this server. Backups do not contain recordings.')
  }
  return path
}

async function openFile(app: App, row: RecordingRow): Promise<BlockReader> {
  const path = requireFile(app, row)
  const { id, sealedKey } = row
  return await BlockReader.open(path, id, app.sealer.unseal(sealedKey, keyContext(id)))
}

/** Answers 409 for a recording that was changed. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof DamagedBlock ? conflict(error.message) : error
  }
}

const cutOff = 'This recording was cut off after it was finished: blocks at its end are missing.'

/** Begins to read a recording: from then on its blocks may be fetched. Records that in the audit log first. */
export async function beginReading(call: Call, tenantId: string, recordingId: string): Promise<RecordingReadingDto> {
  const { app, principal, actor } = call
  const row = await findRecording(app, tenantId, recordingId)
  const device = { id: row.deviceId, tenantId, name: row.deviceName }
  const read = await explained(async () => {
    await using file = await openFile(app, row)
    return await file.readBlocks()
  })
  // A recording that was interrupted has no last block, but the whole ones were counted.
  const isWhole = row.state === 'complete' ? read.isComplete && read.bytes === row.bytes : read.bytes >= row.bytes
  if (!isWhole) {
    throw conflict(cutOff)
  }
  await app.audit.record(actor, { kind: 'recording.opened', device, details: { recordingId, recording: row.kind } })
  const reading = {
    id: randomUUID(),
    recordingId,
    owner: ownerOf(principal),
    account: accountOf(principal),
    tenantId,
    blocks: read.blocks,
    usedAt: app.clock.monotonic(),
  }
  app.readings.add(reading)
  const startedAt = read.blocks[0]?.from ?? 0
  return {
    id: reading.id,
    durationMs: (read.blocks.at(-1)?.to ?? startedAt) - startedAt,
    blocks: read.blocks.map(({ from, to, isKey, sealedBytes }) => ({
      from: from - startedAt,
      to: to - startedAt,
      isKey,
      bytes: sealedBytes,
    })),
    marks: read.blocks.flatMap(({ marks }) => marks.map((mark) => ({ ...mark, at: Math.max(0, mark.at - startedAt) }))),
    startOffsetMs: startedAt,
  }
}

async function readingOf({ app, principal }: Call, tenantId: string, recordingId: string, readingId: string) {
  const now = app.clock.monotonic()
  const reading = app.readings.get(readingId, now)
  if (reading?.recordingId !== recordingId || reading.owner !== ownerOf(principal)) {
    throw notFound('reading')
  }
  reading.usedAt = now
  return { reading, row: await findRecording(app, tenantId, recordingId) }
}

/** Entries of a block, read again as they are sent: answers that nobody reads hold no whole block (T20). */
export async function readBlock(
  call: RouteCall,
  tenantId: string,
  { recordingId, readingId, index }: { recordingId: string; readingId: string; index: number },
): Promise<Download> {
  const { app } = call
  const { reading, row } = await readingOf(call, tenantId, recordingId, readingId)
  const block = found(reading.blocks[index], 'block')
  async function* entries() {
    await using file = await openFile(app, row)
    yield* file.entriesOf(block)
  }
  // A damaged block is found before the head of the answer is sent.
  const check = async () => {
    for await (const _ of entries()) {
      // The end of the block shows whether it was changed.
    }
  }
  await explained(() => app.readings.opening.run(reading.id, check))
  async function* permitted() {
    for await (const piece of entries()) {
      await call.recheck()
      yield piece
    }
  }
  return { body: permitted(), length: entriesBytes(block) }
}

/** A recorded terminal as a file of asciicast v2, which starts at 0. */
export async function exportTerminal(call: RouteCall, tenantId: string, recordingId: string, readingId: string) {
  const { app } = call
  const { reading, row } = await readingOf(call, tenantId, recordingId, readingId)
  if (row.kind !== 'terminal') {
    throw new AppError(400, 'Only recordings of terminals are exported as asciicast.')
  }
  // Opened when the first line is read: a request without a body would leave the file open.
  requireFile(app, row)
  const startedAt = reading.blocks[0]?.from ?? 0
  async function* lines() {
    await using opened = await openFile(app, row)
    const header = { version: 2, timestamp: Math.round(row.startedAt / 1000), title: row.deviceName }
    let isFirst = true
    for (const block of reading.blocks) {
      await call.recheck()
      for (const event of eventsIn(await opened.readEntries(block), startedAt)) {
        if (isFirst) {
          const [width = 80, height = 24] = event[1] === 'r' ? event[2].split('x').map(Number) : []
          yield `${JSON.stringify({ ...header, width, height })}\n`
          isFirst = false
        }
        yield `${JSON.stringify(event)}\n`
      }
    }
  }
  return {
    body: lines(),
    name: safeFileName(
      `${row.deviceName}-${new Date(row.startedAt).toISOString().slice(0, 19).replaceAll(':', '-')}.cast`,
    ),
  }
}

type TerminalEvent = [number, string, string]

/** Events of a terminal, with seconds since the start of the recording. */
function* eventsIn(block: Uint8Array, startedAt: number): Iterable<TerminalEvent> {
  for (const { kind, at, content } of entriesIn(block)) {
    if (kind === recordingEntries.terminal) {
      const [, code, data] = JSON.parse(Buffer.from(content).toString()) as TerminalEvent
      yield [Math.max(0, at - startedAt) / 1000, code, data]
    }
  }
}
