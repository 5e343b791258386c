import { serverIn } from '../engines/cluster/server-in.ts'
import type { App } from '../call/call.ts'

/** Abilities of an agent, which reports them to the server of its connection alone. */
interface AgentAbilities {
  /** Asks the person at the device, and enforces the answers. */
  asksPerson: boolean
  takesPowerOrders: boolean
}

type AbilitiesApp = Pick<App, 'cluster' | 'consentAnswers' | 'powerStates'>

const method = 'agent.abilities'
/** Time limit of the other server. */
const answerMs = 5_000

const abilitiesHere = ({ consentAnswers, powerStates }: AbilitiesApp, connectionId: string): AgentAbilities => ({
  asksPerson: consentAnswers.canAsk(connectionId),
  takesPowerOrders: powerStates.stateOf(connectionId) !== undefined,
})

/** Abilities of the agent of a connection; undefined where its server does not say. */
export async function abilitiesOf(app: AbilitiesApp, connectionId: string): Promise<AgentAbilities | undefined> {
  const { cluster } = app
  const server = serverIn(connectionId)
  return cluster === undefined || server === cluster.id
    ? abilitiesHere(app, connectionId)
    : ((await cluster.ask(server, method, connectionId, AbortSignal.timeout(answerMs)).catch(() => undefined)) as
        | AgentAbilities
        | undefined)
}

/** Answers the questions of other servers, whose batches have devices here. */
export function answerAbilities(app: App): void {
  app.cluster?.answer(method, async (connectionId) => abilitiesHere(app, String(connectionId)))
}
