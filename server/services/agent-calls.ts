import type { HubClientInvoker } from '../../shared/contract/hub.ts'
import { deviceNotConnected, failure, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { App } from '../context.ts'

/** How long an agent may take to answer, unless a person has to decide there. */
const answerTimeoutMs = 60_000

const noAnswer = 'Agent did not respond.'

/** Clients throw while reading a failure that has no reason. */
const withReason = <Result extends HubResult>(result: Result): Result =>
  result.isSuccess || result.reason?.trim() ? result : { ...result, reason: 'The agent gave no reason.' }

/** Asks the agent of a device and waits for its result; every failure comes back as a HubResult with a reason. */
export async function askAgent<Result extends HubResult>(
  app: App,
  deviceId: string,
  ask: (agent: HubClientInvoker<typeof agentHub>) => Promise<Result>,
): Promise<Result | HubResult> {
  const connectionId = app.fleet.get(deviceId)?.connectionId ?? ''
  if (connectionId === '') {
    return failure(deviceNotConnected)
  }
  const timeout = new AbortController()
  const cancel = app.clock.after(answerTimeoutMs, () => timeout.abort())
  try {
    return withReason(await ask(app.hubs.agent.invoke(connectionId, timeout.signal)))
  } catch (error) {
    app.log.warn({ err: error, deviceId }, 'An agent did not answer.')
    return failure(app.fleet.get(deviceId)?.connectionId === connectionId ? noAnswer : deviceNotConnected)
  } finally {
    cancel()
  }
}
