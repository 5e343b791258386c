/** Each kind of credential at each kind of channel, while it lives and after its end; and secrets that are no credential there. */
import { randomBytes, randomUUID } from 'node:crypto'
import { HttpTransportType } from '@microsoft/signalr'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { DevicePermission } from '../../shared/access.ts'
import { pageTicketParameter } from '../../shared/page-key.ts'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { newRecoveryKey } from '../../server/backup/recovery-key.ts'
import { installerKey } from '../support/agent.ts'
import { atTenant } from '../support/grants.ts'
import { connectViewer } from '../support/hub-client.ts'
import { addTenantAccount, addUser } from '../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { refusedWith } from '../support/relay.ts'
import { startSession } from '../support/session.ts'
import { account, ownerForFile, serverForFile, Visitor, type Member } from '../support/server.ts'

const server = serverForFile({
  settings: { AppOptions__EnableInteractiveBearerLogin: 'true', AppOptions__KnownProxies__0: '127.0.0.1' },
})
const owner = ownerForFile(server)
let agent: RecordingAgent
beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
})

type Headers = Record<string, string>

/** Headers of a request: without cookie or origin, and from an address of its own, so that no throttle answers for the server. */
const fromElsewhere = (headers: Headers): Headers => ({
  'x-forwarded-for': `198.51.${randomBytes(2).join('.')}`,
  ...headers,
})

const feedPath = '/api/appliance/v1/events'

type Open = (headers: Headers) => Promise<{ end: Promise<unknown> }>

const openFeed: Open = async (headers) => {
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const response = await fetch(server.url + feedPath, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: ended.signal,
  })
  expect(response.status).toBe(200)
  const reader = response.body!.getReader()
  await reader.read()
  const end = async () => {
    while (!(await reader.read()).done) {
      // Lines that keep the feed open.
    }
  }
  return { end: end() }
}

const hubOver =
  (transport: HttpTransportType): Open =>
  async (headers) => ({
    end: (await connectViewer(new Visitor(server.url), { transport, headers: { cookie: '', ...headers } })).closed,
  })

const channels: Record<string, Open> = {
  'event feed': openFeed,
  'hub over WebSockets': hubOver(HttpTransportType.WebSockets),
  'hub over server-sent events': hubOver(HttpTransportType.ServerSentEvents),
  'hub over long polling': hubOver(HttpTransportType.LongPolling),
  'remote control': async (headers) => {
    const viewer = await connectViewer(new Visitor(server.url), { headers: { cookie: '', ...headers } })
    return { end: (await startSession({ viewer, headers }, agent)).viewerEnd.closed }
  },
}

const rights: DevicePermission[] = ['device.read', 'device.overview.read', 'device.remote-control.connect']
const inTenant = () => ({ tenantId: owner.tenantId })

async function tokenOf(person: Member, restricted: boolean) {
  const { plainTextToken, personalAccessToken } = await person.personalAccessTokens.create({
    ...inTenant(),
    body: {
      name: 'script',
      ...(restricted && { permissionMode: 'Restricted' as const, scopes: rights.map(atTenant) }),
    },
  })
  return { headers: { 'x-personal-token': plainTextToken }, id: personalAccessToken.id }
}

const disable = (userId: string) => owner.appliancePeople.disable({ ...inTenant(), params: { userId } })

interface Held {
  headers: Headers
  end(): Promise<unknown>
}

const person = () => addUser(server, owner, ['Device Superuser'])

async function bearerOf(of: Member) {
  const { email } = of.user
  const { accessToken } = (await of.identity.login({ query: {}, body: { email: email!, password: account.password } }))!
  return { authorization: `Bearer ${accessToken}` }
}

const credentials: Record<string, () => Promise<Held>> = {
  'a session that is signed out': async () => {
    const by = await person()
    return { headers: by.headers, end: () => by.auth.logout({}) }
  },
  'a session of a disabled account': async () => {
    const by = await person()
    return { headers: by.headers, end: () => disable(by.user.id) }
  },
  'bearer tokens after a new password': async () => {
    const by = await person()
    const body = { currentPassword: account.password, newPassword: 'Newer-Horse-8' }
    return { headers: await bearerOf(by), end: () => by.auth.changePassword({ body }) }
  },
  'a deleted token of a person': async () => {
    const by = await person()
    const { headers, id } = await tokenOf(by, false)
    return { headers, end: () => by.personalAccessTokens.delete({ ...inTenant(), params: { id } }) }
  },
  'a restricted token of a person whose password was reset': async () => {
    const by = await person()
    const { headers } = await tokenOf(by, true)
    return { headers, end: () => owner.users.resetPassword({ ...inTenant(), params: { userId: by.user.id } }) }
  },
  'a revoked key of a service account': async () => {
    const { key, id: serviceAccountId, credentialId } = await addTenantAccount(owner, rights.map(atTenant))
    const params = { ...inTenant(), serviceAccountId, credentialId }
    return { headers: { 'x-api-key': key }, end: () => owner.tenantServiceAccounts.revokeCredential({ params }) }
  },
  'a link whose maker is disabled': async () => {
    const by = await person()
    const body = { ...inTenant(), deviceId: agent.id, userCorrelationId: randomUUID(), permissions: rights }
    const { deviceAccessUrl } = await by.logonTokens.createForExternalUser({ body })
    const guest = server.visitor()
    expect((await guest.openLink(deviceAccessUrl)).status).toBe(204)
    return { headers: guest.headers, end: () => disable(by.user.id) }
  },
}

describe.each(Object.entries(credentials))('T09: %s', (_name, make) => {
  test('closes every channel that it opened, and opens none', async () => {
    const { headers, end } = await make()
    const opened: Record<string, { end: Promise<unknown> }> = {}
    for (const [name, open] of Object.entries(channels)) {
      opened[name] = await open(headers)
    }
    await end()
    await Promise.all(Object.values(opened).map((channel) => channel.end))
    const statusOf = async (path: string, more: Headers = {}, method = 'GET') =>
      (await fetch(server.url + path, { method, headers: { ...headers, ...more } })).status
    expect([
      await statusOf('/api/v1/devices'),
      await statusOf(feedPath, { accept: 'text/event-stream' }),
      await statusOf('/hubs/viewer/negotiate?negotiateVersion=1', {}, 'POST'),
      await refusedWith(`${server.url.replace('http', 'ws')}/hubs/viewer`, headers),
      await refusedWith(makeTicket(server.url).requester, headers),
    ]).toEqual(expect.not.arrayContaining([200, 101]))
  })
})

/** Secrets of the product that are no credential of a caller, and a ticket that belongs to the session of a page. */
const secrets: Record<string, () => Promise<string>> = {
  'an installer key': async () => (await installerKey(owner)).keySecret,
  'a refresh token': async () => {
    const by = await person()
    const body = { email: by.user.email!, password: account.password }
    return (await by.identity.login({ query: {}, body }))!.refreshToken
  },
  'a page ticket': async () => (await owner.applianceSession.issueTicket({})).ticket,
  'the token of a relay session': async () =>
    new URL(makeTicket(server.url).responder).searchParams.get('accessToken')!,
  'a link that nobody opened': async () => {
    const body = { ...inTenant(), deviceId: agent.id, userCorrelationId: randomUUID(), permissions: rights }
    const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({ body })
    return new URL(deviceAccessUrl).searchParams.get('logonToken')!
  },
  'an invitation': async () => {
    const body = { inviteeEmail: `${randomUUID()}@example.org` }
    const { inviteUrl } = await owner.invites.create({ ...inTenant(), body })
    return inviteUrl.split('/').at(-1)!
  },
  'a recovery key of backups': async () => newRecoveryKey(),
  'the id of a device': async () => agent.id,
}

/** Places of a request in which a credential, or something like one, is looked for. */
const slots: Record<string, (secret: string) => { headers?: Headers; query?: string }> = {
  'as an API key': (secret) => ({ headers: { 'x-api-key': secret } }),
  'as a personal token': (secret) => ({ headers: { 'x-personal-token': secret } }),
  'as a bearer token': (secret) => ({ headers: { authorization: `Bearer ${secret}` } }),
  'as a cookie': (secret) => ({
    headers: { cookie: `${owner.cookie!.split('=')[0]}=${encodeURIComponent(secret)}` },
  }),
  'as a page key': (secret) => ({ headers: { 'x-page-key': secret, cookie: owner.cookie! } }),
  'as the token of an address': (secret) => ({ query: `access_token=${encodeURIComponent(secret)}` }),
  'as a page ticket without its session': (secret) => ({
    query: `${pageTicketParameter}=${encodeURIComponent(secret)}`,
  }),
}

describe.each(Object.entries(secrets))('T09: %s', (_name, make) => {
  test.each(Object.entries(slots))('opens nothing %s', async (_slot, fill) => {
    const secret = await make()
    const { headers: given = {}, query = '' } = fill(secret)
    const headers = fromElsewhere(given)
    const statusOf = async (path: string, more: Headers = {}, method = 'GET') =>
      (
        await fetch(`${server.url}${path}${query && (path.includes('?') ? '&' : '?')}${query}`, {
          method,
          headers: { ...headers, ...more },
        })
      ).status
    const socket = `${server.url.replace('http', 'ws')}/hubs/viewer${query && `?${query}`}`
    const statuses = [
      await statusOf('/api/v1/devices'),
      await statusOf(feedPath, { accept: 'text/event-stream' }),
      await statusOf('/hubs/viewer/negotiate?negotiateVersion=1', {}, 'POST'),
      await statusOf(`/api/v1/device-file-system/download/${agent.id}?filePath=/a`),
      await statusOf(`/api/appliance/v1/recordings/${randomUUID()}`),
      await refusedWith(socket, headers),
      await refusedWith(makeTicket(server.url).requester, headers),
    ]
    expect(statuses.filter((status) => ![400, 401, 403].includes(status))).toEqual([])
  })
})
