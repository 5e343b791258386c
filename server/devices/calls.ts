import type { HubClientInvoker, HubClientSender } from '../../shared/contract/hub.ts'
import type { ProblemCode } from '../../shared/contract/problem.ts'
import { cutText } from '../../shared/cut-text.ts'
import { deviceNotConnected, failure, serverNotReached, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { App, OpenCall } from '../call/call.ts'
import { ClusterAway } from '../engines/cluster/cluster-away.ts'
import { AppError } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'

/** Time limit for an agent's answer without a person's decision. */
const answerTimeoutMs = 60_000

/** Time limit for an agent's answer that waits for a person's decision. */
const personTimeoutMs = 5 * 60_000

/** Time limit for an HTTP request, and for inactivity of both ends of a transfer. */
export const patienceMs = 30_000

const noAnswer = 'Agent did not respond.'

export type Agent = HubClientInvoker<typeof agentHub>
export type AgentSender = HubClientSender<typeof agentHub>

/** Longest reason that is stored and passed on, with the path of a file: a device may be hostile (T18). */
const longestReason = 5_000

/** Cuts a reason, or adds a missing one: clients throw on a failure without a reason. */
const withReason = <Result extends HubResult>(result: Result): Result =>
  result.isSuccess
    ? result
    : { ...result, reason: cutText(result.reason ?? '', longestReason).trim() || 'The agent gave no reason.' }

/** Calls the agent of a device and awaits its result. Every failure becomes a HubResult with a reason. */
export async function askAgent<Result extends HubResult>(
  { app }: OpenCall,
  { id: deviceId, connectionId }: DeviceState,
  ask: (agent: Agent) => Promise<Result>,
  { waitsForPerson = false } = {},
): Promise<Result | HubResult> {
  if (connectionId === '') {
    return failure(deviceNotConnected)
  }
  const timeout = new AbortController()
  const cancel = app.clock.after(waitsForPerson ? personTimeoutMs : answerTimeoutMs, () => timeout.abort())
  try {
    return withReason(await ask(app.hubs.agent.invoke(connectionId, timeout.signal)))
  } catch (error) {
    app.log.warn({ err: error, deviceId }, 'An agent did not answer.')
    const isAway = error instanceof ClusterAway || app.fleet.get(deviceId)?.connectionId !== connectionId
    return failure(isAway ? deviceNotConnected : noAnswer)
  } finally {
    cancel()
  }
}

/** Message of our own protocol, for `ReceiveDto`; agents of other makes ignore it. */
export const agentMessage = (dtoType: string, payload: object) => ({
  dtoType,
  payload: Buffer.from(JSON.stringify(payload)).toString('base64'),
})

/** Sends a message without a result to the agent of a device. */
export async function sendToAgent(
  { app }: OpenCall,
  { connectionId }: DeviceState,
  send: (agent: AgentSender) => Promise<void>,
): Promise<HubResult> {
  if (connectionId === '') {
    return failure(deviceNotConnected)
  }
  await send(app.hubs.agent.send(connectionId))
  return success
}

export const notOnline = (status: 400 | 409 = 400) =>
  new AppError(status, 'Device is not currently online.', { code: 'device-offline' })
export const timedOut = (detail = 'The device did not answer in time.') =>
  new AppError(408, detail, { code: 'device-timeout' })
export const deviceFailed = (detail: string) =>
  new AppError(500, detail, { code: 'device-failed', title: 'The device failed.' })

/** Beginnings of the reasons of our agent and of others; a path may follow a colon. */
const knownReasons: [RegExp, ProblemCode][] = [
  [/^[^:]*already exists/i, 'path-exists'],
  [/^[^:]*(does not exist|not found)/i, 'path-missing'],
]
const longestBeginning = 100

/** Builds the error of a device's refusal from its reason. The title is ours: a refusal is no unexpected error. */
export const refusedWith =
  (status: 400 | 409 | 500 | 503, title = 'The device refused.') =>
  (reason: string): AppError => {
    const beginning = reason.slice(0, longestBeginning)
    const code = knownReasons.find(([pattern]) => pattern.test(beginning))?.[1] ?? 'device-refused'
    return new AppError(status, reason, { code, ...(status >= 500 && { title }) })
  }

export interface AgentOfDevice {
  deviceId: string
  connectionId: string
}

/** Throws 400 for an offline device. */
export function agentOf({ id: deviceId, connectionId }: DeviceState): AgentOfDevice {
  if (connectionId === '') {
    throw notOnline()
  }
  return { deviceId, connectionId }
}

/** Maps a failed call to an HTTP error. */
export function explainFailure(
  app: App,
  { deviceId, connectionId }: AgentOfDevice,
  error: unknown,
  detail = noAnswer,
): AppError {
  if (error instanceof AppError) {
    return error
  }
  if (app.fleet.get(deviceId)?.connectionId !== connectionId) {
    return notOnline()
  }
  app.log.warn({ err: error, deviceId }, 'An agent did not answer.')
  if (error instanceof ClusterAway) {
    return new AppError(503, serverNotReached, { headers: { 'retry-after': '2' } })
  }
  return deviceFailed(detail)
}

/** Calls the agent of a device for an HTTP request. Throws 400 for an offline device, and 408 without an answer. */
export async function callAgent<Result>(
  { app }: OpenCall,
  device: DeviceState,
  ask: (agent: Agent) => Promise<Result>,
): Promise<Result> {
  const agent = agentOf(device)
  const timeout = new AbortController()
  const cancel = app.clock.after(patienceMs, () => timeout.abort())
  try {
    return await ask(app.hubs.agent.invoke(agent.connectionId, timeout.signal))
  } catch (error) {
    throw timeout.signal.aborted ? timedOut() : explainFailure(app, agent, error)
  } finally {
    cancel()
  }
}

/** Returns a successful result; throws the error that `refused` builds from the reason of a failure. */
export function accepted<Result extends HubResult>(result: Result, refused: (reason: string) => AppError): Result {
  const { isSuccess, reason } = withReason(result)
  if (!isSuccess) {
    throw refused(reason!)
  }
  return result
}

/** Returns the value of a successful result. */
export function valueOf<T>(result: HubResult & { value: T | null }, refused: (reason: string) => AppError): T {
  const { value } = accepted(result, refused)
  if (value === null) {
    throw refused('The answer of the agent has no value.')
  }
  return value
}
