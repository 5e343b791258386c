import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Transaction } from 'sequelize'
import type { RecordingCause } from '../../shared/dtos/recording.ts'
import type { App } from '../call/call.ts'
import type { Actor } from '../ground/actor.ts'
import { withLinkMaker } from '../ground/principal.ts'
import { BlockWriter, newKey, type Segment } from './block-file.ts'
import { createFolder, keyContext, pathOf } from './folder.ts'
import { spaceFor } from './policies.ts'
import { RecordingFile } from './recording-file.ts'
import type { RecordedSession } from './recorded-session.ts'
import { removeRecording } from './recordings.ts'
import { firstMarks } from './segments.ts'
import type { RecordingRow } from './tables.ts'
import { keepWholeBlocks } from './whole-blocks.ts'

/** Most marks of a recording: a reading has all of them in one answer. One mark more says that others were left out. */
const maxMarks = 20_000

interface Start {
  session: RecordedSession
  cause: RecordingCause
  actor: Actor
  /** Milliseconds since 1970 (UTC) of the first entry. */
  startedAt: number
  onProblem: (problem: string) => void
}

interface OpenFile {
  writer: BlockWriter
  maxBytes: number
}

/** A recording that is being written. */
export class Recording {
  readonly row: RecordingRow
  readonly #app: App
  readonly #session: RecordedSession
  readonly #file: RecordingFile
  #problem: string | null = null
  #hasKey = false
  #isEmpty = true
  #marks = 0

  private constructor(app: App, { session, onProblem }: Start, row: RecordingRow, file: OpenFile) {
    this.#app = app
    this.#session = session
    this.row = row
    this.#file = new RecordingFile({
      ...file,
      now: () => app.clock.monotonic(),
      isDiskFull: () => app.diskSpace.isLow(),
      onProblem: (problem) => {
        this.#problem = problem
        onProblem(problem)
      },
    })
  }

  /** Creates row and file. Rejects when nothing can be stored. */
  static async start(app: App, start: Start): Promise<Recording> {
    const { session, cause, actor, startedAt } = start
    const { device, principal } = session
    await createFolder(app)
    const maxBytes = await spaceFor(app, device.tenantId, device.customerId)
    const [id, key] = [randomUUID(), newKey()]
    const row: RecordingRow = {
      id,
      tenantId: device.tenantId,
      customerId: device.customerId,
      deviceId: device.id,
      deviceName: device.alias || device.name,
      kind: session.kind,
      sessionId: session.id,
      personKind: principal.kind,
      personId: principal.id,
      personName: withLinkMaker(app.accounts.nameOf(principal.id) ?? principal.guestName ?? principal.name, principal),
      cause,
      state: 'running',
      problem: null,
      startedAt,
      endedAt: null,
      bytes: 0,
      blocks: 0,
      digest: null,
      sealedKey: app.sealer.seal(key, keyContext(id)),
      serverId: app.servers.id,
    }
    const writer = await BlockWriter.create(pathOf(app, id), id, key)
    try {
      await app.database.write(async (transaction) => {
        await app.models.Recording.create(row, { transaction })
        const details = { recordingId: id, sessionId: session.id, recording: session.kind, cause }
        await app.audit.recordIn(transaction, actor, [{ kind: 'recording.started', device, details }])
      })
    } catch (error) {
      await writer.abandon()
      await rm(pathOf(app, id), { force: true })
      throw error
    }
    return new Recording(app, start, row, { writer, maxBytes })
  }

  /** Writes a segment in the background. Of those before the first that can be shown by itself, marks alone are written. */
  write(segment: Segment): void {
    this.#hasKey ||= segment.isKey
    const entries = this.#hasKey ? segment.entries : Buffer.alloc(0)
    if (entries.length > 0 || segment.marks.length > 0) {
      this.#isEmpty = false
      const left = maxMarks - this.#marks
      const marks = left < 0 ? [] : firstMarks(segment.marks, left)
      this.#marks += marks.length
      this.#file.write({ ...segment, marks, entries })
    }
  }

  get hasFailed(): boolean {
    return this.#problem !== null
  }

  /** Bytes on the disk so far. */
  get bytes(): number {
    return this.#file.bytes
  }

  /** Flushes the last segments, also if no more follow. */
  tick(): void {
    this.#file.tick()
  }

  /** Finishes the file, and records its digest in the audit log. */
  async finish(actor: Actor): Promise<void> {
    const { bytes, blocks, digest } = await this.#file.close()
    if (this.#isEmpty) {
      await removeRecording({ app: this.#app, principal: undefined, actor }, this.row, 'nothing was shown meanwhile')
      return
    }
    const end =
      digest === undefined
        ? { ...(await this.#cutOff(bytes, blocks)), state: 'interrupted' as const }
        : { bytes, blocks, digest, endedAt: this.#app.clock.now(), state: 'complete' as const }
    await storeEnd(this.#app, this.row, { ...end, problem: this.#problem }, actor, this.#session.device)
  }

  /** End of a file that could not be finished. */
  async #cutOff(bytes: number, blocks: number): Promise<Omit<End, 'state' | 'problem'>> {
    return await keepWholeBlocks(this.#app, this.row).catch((error: unknown) => {
      this.#app.log.warn({ err: error, recordingId: this.row.id }, 'The end of a recording cannot be read.')
      return { bytes, blocks, digest: null, endedAt: this.#app.clock.now() }
    })
  }
}

type End = Pick<RecordingRow, 'endedAt' | 'bytes' | 'blocks' | 'digest' | 'problem' | 'state'>

/** Stores the end of a recording, with an event that holds its digest. */
export async function storeEnd(
  app: App,
  { id, sessionId, kind }: RecordingRow,
  end: End,
  actor: Actor,
  device: { id: string; tenantId: string; name: string; alias?: string | null },
): Promise<void> {
  const { bytes, blocks, digest, state, problem } = end
  const store = async (transaction: Transaction) => {
    await app.models.Recording.update(end, { where: { id }, transaction })
    const details = {
      recordingId: id,
      sessionId,
      recording: kind,
      state,
      bytes,
      blocks,
      digest: digest ?? undefined,
      reason: problem ?? undefined,
    }
    await app.audit.recordIn(transaction, actor, [{ kind: 'recording.ended', device, details }])
  }
  // The file is finished, whoever asked for that.
  await app.database.uncheckedWrites(() => app.database.write(store))
}
