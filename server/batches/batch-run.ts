import { cutText } from '../../shared/cut-text.ts'
import type { BatchKind, BatchOutputDto } from '../../shared/dtos/batch.ts'
import type { Call } from '../call/call.ts'
import type { BatchOptions } from '../engines/database/database.ts'
import { accountOf } from '../ground/principal.ts'
import { jobEnded } from './job-events.ts'
import type { RunningBatch } from './running-batches.ts'
import type { BatchResultRow } from './tables.ts'
import type { StepOrder, StepOutcome } from './step.ts'
import { takeStep } from './steps.ts'

/** Devices of a batch processed concurrently. */
const concurrency = 25
/** Waking a device sends through each of its neighbors, up to thousands (T26). */
const concurrencyOf: Partial<Record<BatchKind, number>> = {
  wake: 1,
  // The concurrent batches of an owner together stay within an owner's concurrent transfers.
  'send-files': 6,
}

/** Length limit of the output line shown in the list of results. */
const maxLineLength = 160

const credentialEnded = 'The sign-in or the key that started this has ended.'

type Begun = Pick<BatchResultRow, 'batchId' | 'deviceId' | 'startedAt'>
type Finished = Omit<BatchResultRow, 'place' | 'deviceName' | 'startedAt'>

const keyOf = ({ batchId, deviceId }: { batchId: string; deviceId: string }) => `${batchId} ${deviceId}`
const ofResult = `batchId = u.value ->> 'batchId' AND deviceId = u.value ->> 'deviceId'`

/** Stored before anything is sent, so that after a crash no device with a possible effect counts as not begun. */
const begin: BatchOptions<Begun> = {
  sql: `UPDATE batch_results SET state = 'running', startedAt = CAST(u.value ->> 'startedAt' AS BIGINT)
    FROM jsonb_each(?) AS u WHERE ${ofResult} AND state = 'waiting' RETURNING batchId || ' ' || deviceId AS key`,
  key: keyOf,
}

const finish: BatchOptions<Finished> = {
  sql: `UPDATE batch_results SET state = u.value ->> 'state', reason = u.value ->> 'reason',
      finishedAt = CAST(u.value ->> 'finishedAt' AS BIGINT), exitCode = CAST(u.value ->> 'exitCode' AS BIGINT),
      sealedLine = u.value ->> 'sealedLine', sealedOutput = u.value ->> 'sealedOutput'
    FROM jsonb_each(?) AS u WHERE ${ofResult} AND state = 'running' RETURNING batchId || ' ' || deviceId AS key`,
  key: keyOf,
}

/** Context that seals a text of a result. */
export const resultContext = (batchId: string, deviceId: string, what: 'line' | 'output'): string =>
  `batches/${batchId}/${deviceId}/${what}`

/** Reads only the stored end of the output, because an agent may send half a million lines. */
const lastLineOf = ({ output, errorOutput }: BatchOutputDto) => {
  const line = [output, errorOutput]
    .map((text) => text.trimEnd().split(/\r?\n/).at(-1) ?? '')
    .find((text) => text !== '')
  return line === undefined ? null : cutText(line, maxLineLength)
}

/** Last bytes of a text, even if its agent cut the text already. */
const endOf = (text: string, maxBytes: number) => {
  const bytes = Buffer.from(text)
  // Drops a character that the cut splits.
  return bytes.length <= maxBytes
    ? text
    : bytes
        .subarray(bytes.length - maxBytes)
        .toString()
        .replace(/^\uFFFD+/, '')
}

export type BatchOrder = Omit<StepOrder, 'signal' | 'batchId' | 'onProgress'>

/** Work of a batch, from its start until every device has a result. */
export class BatchRun implements RunningBatch {
  readonly id: string
  readonly owner: string
  readonly account: string
  readonly #call: Call
  readonly #order: BatchOrder
  readonly #ending = new AbortController()
  readonly #progress = new Map<string, number>()
  #refusal: string | undefined

  constructor(call: Call, { id, owner }: { id: string; owner: string }, order: BatchOrder) {
    this.#call = call
    this.id = id
    this.owner = owner
    this.account = accountOf(call.principal)
    this.#order = order
  }

  progressOf(deviceId: string): number | undefined {
    return this.#progress.get(deviceId)
  }

  async cancel(reason: string, { endRunning }: { endRunning: boolean }): Promise<void> {
    if (endRunning) {
      this.#ending.abort(reason)
    }
    if (this.#refusal === undefined) {
      this.#refusal = reason
      await this.#dropWaiting(reason)
    }
  }

  /** Processes all devices; never rejects. */
  async work(deviceIds: readonly string[]): Promise<void> {
    const { app, principal } = this.#call
    const stopLooking = app.runningWork.add(() => {
      if (!principal.isLive() && this.#refusal === undefined) {
        void this.cancel(credentialEnded, { endRunning: true }).catch(this.#complain)
      }
    })
    const left = deviceIds.values()
    const takeTurns = async () => {
      for (const deviceId of left) {
        if (this.#refusal !== undefined || app.batches.isStopping) {
          return
        }
        await this.#deal(deviceId)
      }
    }
    try {
      await Promise.all(Array.from({ length: concurrencyOf[this.#order.kind] ?? concurrency }, takeTurns))
      if (!app.batches.isStopping) {
        await this.#close(deviceIds.length)
      }
    } catch (error) {
      this.#complain(error)
    } finally {
      stopLooking()
      app.batches.remove(this)
    }
  }

  readonly #complain = (error: unknown) =>
    this.#call.app.log.error({ err: error, batchId: this.id }, 'The result of a batch could not be stored.')

  async #deal(deviceId: string): Promise<void> {
    const { app, actor, principal } = this.#call
    const begun = { batchId: this.id, deviceId, startedAt: app.clock.now() }
    const { changes } = await app.database.batch(begin).run(begun)
    if (changes === 0 || app.batches.isStopping) {
      return
    }
    const fields = { actor, batchId: this.id, kind: this.#order.kind, deviceId }
    // The credential may have ended while the start was stored.
    const outcome: StepOutcome = principal.isLive()
      ? await takeStep(this.#call, deviceId, {
          ...this.#order,
          batchId: this.id,
          signal: this.#ending.signal,
          onProgress: (part) => void this.#progress.set(deviceId, part),
        })
      : { state: 'failed', reason: credentialEnded }
    this.#progress.delete(deviceId)
    app.log.info({ ...fields, state: outcome.state }, 'A device of a batch was processed.')
    if (!app.batches.isStopping) {
      await app.database.batch(finish).run(this.#rowOf(deviceId, outcome))
    }
  }

  #rowOf(deviceId: string, { state, reason, end }: StepOutcome): Finished {
    const { clock, sealer } = this.#call.app
    const row = { batchId: this.id, deviceId, state, reason, finishedAt: clock.now() }
    if (!end) {
      return { ...row, exitCode: null, sealedLine: null, sealedOutput: null }
    }
    const { maxOutputBytes } = this.#order
    const output = endOf(end.output, maxOutputBytes)
    const errorOutput = endOf(end.errorOutput, maxOutputBytes)
    const isCut = end.isCut || output !== end.output || errorOutput !== end.errorOutput
    const kept: BatchOutputDto = { output, errorOutput, isCut }
    const line = lastLineOf(kept)
    return {
      ...row,
      exitCode: end.exitCode,
      sealedLine: line === null ? null : sealer.seal(line, resultContext(this.id, deviceId, 'line')),
      sealedOutput:
        output === '' && errorOutput === ''
          ? null
          : sealer.seal(JSON.stringify(kept), resultContext(this.id, deviceId, 'output')),
    }
  }

  async #dropWaiting(reason: string): Promise<void> {
    const { database, models, clock } = this.#call.app
    const values = { state: 'canceled', reason, finishedAt: clock.now() } as const
    // The batch begins none of these devices any more, whoever canceled it.
    await database.uncheckedWrites(() =>
      database.write((transaction) =>
        models.BatchResult.update(values, { where: { batchId: this.id, state: 'waiting' }, transaction }),
      ),
    )
  }

  async #close(devices: number): Promise<void> {
    const { actor } = this.#call
    const { database, models, clock, events } = this.#call.app
    await database.write(async (transaction) => {
      await models.Batch.update({ finishedAt: clock.now() }, { where: { id: this.id }, transaction })
      const job = { id: this.id, kind: this.#order.kind, devices, at: clock.now(), isInterrupted: false }
      events.appendIn(transaction, [jobEnded(job, actor)])
    })
  }
}
