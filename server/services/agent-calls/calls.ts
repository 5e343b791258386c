import type { HubClientInvoker, HubClientSender } from '../../../shared/contract/hub.ts'
import { deviceNotConnected, failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import type { agentHub } from '../../../shared/hubs/agent-hub.ts'
import type { App, OpenCall } from '../../call.ts'
import { AppError, badRequest } from '../../errors.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'

/** How long an agent may take to answer, unless a person has to decide there. */
const answerTimeoutMs = 60_000

/** The same where a person has to decide. */
const personTimeoutMs = 5 * 60_000

/** The same for a request over HTTP, and for both ends of a transfer. */
export const patienceMs = 30_000

const noAnswer = 'Agent did not respond.'

export type Agent = HubClientInvoker<typeof agentHub>
export type AgentSender = HubClientSender<typeof agentHub>

/** Clients throw while reading a failure that has no reason. */
const withReason = <Result extends HubResult>(result: Result): Result =>
  result.isSuccess || result.reason?.trim() ? result : { ...result, reason: 'The agent gave no reason.' }

/** Asks the agent of a device and waits for its result; every failure comes back as a HubResult with a reason. */
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
    return failure(app.fleet.get(deviceId)?.connectionId === connectionId ? noAnswer : deviceNotConnected)
  } finally {
    cancel()
  }
}

/** Sends the agent of a device a message without an answer. */
export async function tellAgent(
  { app }: OpenCall,
  { connectionId }: DeviceState,
  tell: (agent: AgentSender) => Promise<void>,
): Promise<HubResult> {
  if (connectionId === '') {
    return failure(deviceNotConnected)
  }
  await tell(app.hubs.agent.send(connectionId))
  return success
}

const notOnline = () => badRequest('Device is not currently online.')
export const timedOut = (detail = 'The device did not answer in time.') => new AppError(408, detail)

/** The agent that speaks for a device right now. */
export interface AgentOfDevice {
  deviceId: string
  connectionId: string
}

/** Throws 400 when there is none. */
export function agentOf({ id: deviceId, connectionId }: DeviceState): AgentOfDevice {
  if (connectionId === '') {
    throw notOnline()
  }
  return { deviceId, connectionId }
}

/** What a call that failed tells a client over HTTP. */
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
  return new AppError(500, detail)
}

/**
 * Asks the agent of a device for a request over HTTP. Throws 400 when it is not online, 408 when it does not answer.
 */
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

/** Passes a success on; a refusal becomes the error that `refused` makes of its reason. */
export function accepted<Result extends HubResult>(result: Result, refused: (reason: string) => AppError): Result {
  const { isSuccess, reason } = withReason(result)
  if (!isSuccess) {
    throw refused(reason!)
  }
  return result
}

/** The value of a success. */
export function valueOf<T>(result: HubResult & { value: T | null }, refused: (reason: string) => AppError): T {
  const { value } = accepted(result, refused)
  if (value === null) {
    throw refused('The agent answered without a value.')
  }
  return value
}
