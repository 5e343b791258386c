import type { HubClientHandlers, HubDefinition } from '../shared/contract/hub.ts'
import type { agentHub } from '../shared/hubs/agent-hub.ts'

/** A handler for each client method of a hub except those in `Missing`, which must be methods of it and have none. */
export type HandlersExcept<H extends HubDefinition, Missing extends keyof H['client']> = Omit<
  HubClientHandlers<H>,
  Missing
> & { [K in Missing]?: never }

/** What this agent does when the server calls. The methods listed here it does not have: the client library refuses them. */
export type AgentHandlers = HandlersExcept<typeof agentHub, 'ReceiveDto'>
