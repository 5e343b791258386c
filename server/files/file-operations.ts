import { createHash } from 'node:crypto'
import {
  endFileOperationType,
  fileOperationStateType,
  runFileOperationType,
  type FileOperationDto,
  type FileOperationStateDto,
} from '../../shared/dtos/file-messages.ts'
import type { Download } from '../../shared/contract/transfer.ts'
import type { RouteCall } from '../call/call.ts'
import { badRequest, forbidden } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight } from '../fleet/rights.ts'
import { accountOf, ownerOf } from '../ground/principal.ts'
import { agentMessage, agentOf, deviceFailed, explainFailure, type AgentOfDevice } from '../devices/calls.ts'
import { openTransfer } from '../devices/device-transfers.ts'
import { Lifetime } from '../remote/agent-exchange.ts'
import { fileAnswerOf } from './file-messages.ts'

/** Maximum duration of an operation: copying a whole disk takes hours. */
const longestMs = 12 * 60 * 60_000
/** Interval of the lines that tell the progress. */
const progressMs = 1_000
/** Time limit for the agent's report after the end of an operation was requested. */
const graceMs = 15_000

const over = badRequest('The operation is over.')
const cannotMove = forbidden('Moving and renaming need the permission to delete files.')

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

interface Operation {
  call: RouteCall
  device: DeviceState
  agent: AgentOfDevice
  /** Unique per owner, so that no other user can end or query the operation (T30). */
  operationKey: string
  /** Tells the agent which operations share an owner, without a name. */
  ownerKey: string
}

/** Sends the operation to the agent and waits for its end; cancels it there at the end of the lifetime. */
async function run(
  { call: { app }, agent, operationKey, ownerKey }: Operation,
  body: FileOperationDto,
  life: Lifetime,
) {
  // The client may have left while the person at the device was asked.
  life.signal.throwIfAborted()
  const patience = new AbortController()
  const { connectionId } = agent
  let cancelGrace = () => {}
  const end = () => {
    void app.hubs.agent.send(connectionId).ReceiveDto(agentMessage(endFileOperationType, { operationKey }))
    cancelGrace = app.clock.after(graceMs, () => patience.abort())
  }
  life.signal.addEventListener('abort', end)
  try {
    const message = agentMessage(runFileOperationType, { ...body, operationKey, ownerKey })
    const { operation } = fileAnswerOf(await app.hubs.agent.invoke(connectionId, patience.signal).ReceiveDto(message))
    if (operation?.problems?.length !== body.items.length) {
      throw deviceFailed('The device did not report what it did.')
    }
    return operation
  } catch (error) {
    throw life.signal.aborted ? life.signal.reason : explainFailure(app, agent, error)
  } finally {
    life.signal.removeEventListener('abort', end)
    cancelGrace()
  }
}

/** Records each item, also of an operation whose end is unknown. */
async function record(
  { call: { app, actor }, device }: Operation,
  body: FileOperationDto,
  problems: readonly (string | null)[],
) {
  const kind = body.kind === 'copy' ? 'file.copied' : 'file.moved'
  await Promise.all(
    body.items.map(({ path, name }, index) => {
      const reason = problems[index] ?? null
      return app.audit.record(actor, {
        kind,
        device,
        target: { kind: 'file', name: path },
        outcome: reason === null ? 'success' : 'failure',
        details: { to: `${body.targetDirectory} ${name}`, reason },
      })
    }),
  )
}

async function runAndRecord(operation: Operation, body: FileOperationDto, life: Lifetime) {
  try {
    const ended = await run(operation, body, life)
    await record(operation, body, ended.problems ?? [])
    return ended
  } catch (error) {
    await record(
      operation,
      body,
      body.items.map(() => (error as Error).message),
    )
    throw error
  }
}

/** State of a running operation; undefined if the agent does not say. */
async function stateOf({ call: { app }, agent, operationKey }: Operation, signal: AbortSignal) {
  try {
    const message = agentMessage(fileOperationStateType, { operationKey })
    return fileAnswerOf(await app.hubs.agent.invoke(agent.connectionId, signal).ReceiveDto(message)).operation
  } catch {
    return undefined
  }
}

/** Copies or moves entries on a device; moving also needs the right to delete. The body has a line of JSON each second, and the last one at the end. */
export async function runFileOperation(
  call: RouteCall,
  device: DeviceState,
  operationId: string,
  body: FileOperationDto,
): Promise<Download> {
  const { app, principal } = call
  const mayRun = () => {
    const current = app.fleet.get(device.id)
    return (
      body.kind === 'copy' ||
      (current !== undefined && deviceRight(app, principal, 'device.file-system.delete')(current))
    )
  }
  if (!mayRun()) {
    throw cannotMove
  }
  const agent = agentOf(device)
  const operationKey = hashOf(JSON.stringify([ownerOf(principal), device.id, operationId]))
  const held = openTransfer(call, device)
  const life = new Lifetime(call, longestMs)
  const operation = { call, device, agent, operationKey, ownerKey: hashOf(accountOf(principal)) }
  // The route's own access does not cover the right to delete (T10).
  const stopChecking = app.runningWork.add(() => mayRun() || life.end(cannotMove))
  const ended = runAndRecord(operation, body, life).finally(() => {
    stopChecking()
    held.close()
    life.end(over)
  })
  // The reader of the body gets the failure; without a reader it is recorded alone.
  ended.catch(() => {})

  /** Resolves with the end, or with undefined after the interval. */
  const endOrTick = async () => {
    const { promise: tick, resolve } = Promise.withResolvers<undefined>()
    const cancel = app.clock.after(progressMs, () => resolve(undefined))
    try {
      return await Promise.race([ended, tick])
    } finally {
      cancel()
    }
  }
  const line = (state: FileOperationStateDto) => `${JSON.stringify(state)}\n`
  // A failure within the first second is answered with its status.
  const first = await endOrTick()
  async function* lines() {
    for (let end = first; ; end = await endOrTick()) {
      if (end) {
        yield line(end)
        return
      }
      const state = await stateOf(operation, life.signal)
      if (state) {
        yield line(state)
      }
    }
  }
  return { body: lines() }
}
