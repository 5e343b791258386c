/**
 * The hub engine as a library: everything an application needs to offer hubs. README.md shows the smallest application.
 */

export { createHubServer, type HubServer, type HubServerDependencies } from './hub-server.ts'
export { hubOf, type HubEvents, type HubFunction } from './hub-of.ts'
export {
  HubException,
  type Audience,
  type Caller,
  type ConnectionList,
  type Groups,
  type Hub,
  type HubCall,
  type HubClients,
  type HubConnection,
  type HubContext,
  type HubMethod,
  type ProtocolName,
  type TransportName,
} from './hub.ts'
export { ForwardedCalls } from './forwarded-calls.ts'
export type { HubEndpoint } from './endpoint.ts'
export { defaultOptions, type HubOptions } from './options.ts'
export type { UnprovedLimits } from './unproved-peer.ts'
