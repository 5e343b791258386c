import { applianceSession } from '../../shared/api/appliance-session.ts'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { createClient, type Fetch } from '../../shared/contract/client.ts'
import { inParallel } from '../../shared/in-parallel.ts'
import { SimulatedAgent } from './agent.ts'

export const demoAccount = { email: 'demo@example.org', password: 'Demo-Account-1', organizationName: 'Demo & Sons' }

/** Signed-in account. */
export interface Account {
  tenantId: string
  userId: string
  /** Sends the cookie. */
  fetch: Fetch
  cookie: string
}

/** Minimal browser: sends its own origin and stores its cookie. */
function browserOf(url: string) {
  let cookie = ''
  const send: Fetch = async (path, init) => {
    const response = await fetch(path, { ...init, headers: { ...init.headers, origin: url, cookie } })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return response
  }
  const session = createClient(applianceSession, { baseUrl: url, fetch: send })
  return {
    session,
    accountOf: ({ tenantId, id }: { tenantId: string; id: string }): Account => ({
      tenantId,
      userId: id,
      fetch: send,
      cookie,
    }),
  }
}

/** Registers the first account of a fresh server. */
export async function openAccount(url: string): Promise<Account> {
  const { session, accountOf } = browserOf(url)
  return accountOf(await session.register({ body: demoAccount }))
}

/** Signs in to the demo account. */
export async function signIn(url: string): Promise<Account> {
  const { session, accountOf } = browserOf(url)
  const { user } = await session.signIn({ body: demoAccount })
  if (!user) {
    throw new Error('The account of the simulation was not signed in.')
  }
  return accountOf(user)
}

export interface SimulatedFleet {
  tenantId: string
  agents: SimulatedAgent[]
  /** Session of the account that owns the devices. */
  cookie: string
}

/** Registers `count` devices with a permanent key of a new account. */
export async function registerFleet(url: string, count: number): Promise<SimulatedFleet> {
  const { tenantId, fetch: send, cookie } = await openAccount(url)
  const keys = createClient(installerKeys, { baseUrl: url, fetch: send })
  const key = await keys.create({ body: { tenantId, keyType: 'Persistent', friendlyName: 'Simulated devices' } })
  const agents = Array.from({ length: count }, (_, index) => new SimulatedAgent(index, tenantId))
  await inParallel(agents, 16, (agent) => agent.register(url, key))
  return { tenantId, agents, cookie }
}
