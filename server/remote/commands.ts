import { cutText } from '../../shared/cut-text.ts'
import { randomUUID } from 'node:crypto'
import { endCommandType, runCommandType, type CommandEndDto, type RunCommand } from '../../shared/dtos/run-command.ts'
import type { HubResult } from '../../shared/dtos/hub-result.ts'
import type { Call } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { requireConsent } from './consent.ts'
import { agentMessage } from '../devices/calls.ts'
import { beginSession, forbiddenReason, sessionEnded } from './session-lifecycle.ts'

/** Time limit for an agent's report after a command's time limit, or after a request to end the command. */
const graceMs = 15_000

/** Error for other agents, and for older agents of ours. */
export const cannotRunCommands = 'This agent cannot run commands for many devices. Open a terminal.'

/** Length limit of an agent's text for people. */
const maxReasonLength = 500

/** Result of a command; or the reason why it did not run, or why its result is unknown. */
export type CommandOutcome =
  | { end: CommandEndDto; endedFor: string | undefined }
  | { state: 'failed' | 'interrupted'; reason: string }

type Asked = Omit<RunCommand, 'runId'>

/**
 * Runs a command on a device, as a session that others see and may end. Ends with the right or the credential of the
 * principal, and when `signal` aborts with a sentence as its reason. Asks the person at the device first where a policy
 * wants it. Never sends a command twice.
 */
export async function runCommand(
  call: Call,
  device: DeviceState,
  asked: Asked,
  { batchId, signal }: { batchId: string; signal: AbortSignal },
): Promise<CommandOutcome> {
  const { app } = call
  const { connectionId } = device
  const runId = randomUUID()
  const consent = await requireConsent(call, device, { subject: 'terminal', grantFor: runId })
  if (!consent.isSuccess || signal.aborted) {
    return { state: 'failed', reason: consent.reason ?? String(signal.reason) }
  }
  const patience = new AbortController()
  let endedFor: string | undefined
  const cancels = [app.clock.after(asked.timeLimitSeconds * 1000 + graceMs, () => patience.abort())]
  const end = (reason: string) => {
    if (endedFor === undefined) {
      endedFor = reason
      void app.hubs.agent.send(connectionId).ReceiveDto(agentMessage(endCommandType, { runId }))
      cancels.push(app.clock.after(graceMs, () => patience.abort()))
    }
  }
  const handleAbort = () => end(String(signal.reason))
  signal.addEventListener('abort', handleAbort)
  const bytesToDevice = Buffer.byteLength(asked.command)
  let bytesFromDevice = 0
  const session = beginSession(call, {
    kind: 'command',
    device,
    isConnected: true,
    batchId,
    bytesToDevice: () => bytesToDevice,
    bytesFromDevice: () => bytesFromDevice,
    stop: end,
  })
  if (!session.isAllowed()) {
    // The right has ended while the person at the device was asked.
    cancels.forEach((cancel) => cancel())
    signal.removeEventListener('abort', handleAbort)
    sessionEnded(app, session, forbiddenReason)
    return { state: 'failed', reason: forbiddenReason }
  }
  let outcome: CommandOutcome
  try {
    const answer = await app.hubs.agent
      .invoke(connectionId, patience.signal)
      .ReceiveDto(agentMessage(runCommandType, { ...asked, runId }))
    const value = answer?.value && 'endedBy' in answer.value ? answer.value : undefined
    bytesFromDevice = Buffer.byteLength(value?.output ?? '') + Buffer.byteLength(value?.errorOutput ?? '')
    outcome = value ? { end: value, endedFor } : { state: 'failed', reason: reasonIn(answer) }
  } catch (error) {
    outcome = explain(call, { device, connectionId, hasWaited: patience.signal.aborted }, error)
  } finally {
    cancels.forEach((cancel) => cancel())
    signal.removeEventListener('abort', handleAbort)
  }
  sessionEnded(app, session, 'reason' in outcome ? outcome.reason : (endedFor ?? 'The command ended.'))
  return outcome
}

/** Reason of an agent, cut because it is stored for each device of a batch and logged. */
const reasonIn = (answer: HubResult | null) =>
  cutText(answer?.reason ?? '', maxReasonLength).trim() || cannotRunCommands

interface Lost {
  device: DeviceState
  connectionId: string
  hasWaited: boolean
}

function explain({ app }: Call, { device, connectionId, hasWaited }: Lost, error: unknown): CommandOutcome {
  if (hasWaited) {
    return { state: 'interrupted', reason: 'The agent did not report the result of the command in time.' }
  }
  if (app.fleet.get(device.id)?.connectionId !== connectionId) {
    const reason = 'The connection to the device was lost while the command ran. Its result is unknown.'
    return { state: 'interrupted', reason }
  }
  app.log.debug({ err: error, deviceId: device.id }, 'An agent does not support commands.')
  return { state: 'failed', reason: cannotRunCommands }
}
