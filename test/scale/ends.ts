/** Ends of accounts, rights and credentials at one server, which end within a second what runs at another (T09, T10, T29). */
import { HttpTransportType } from '@microsoft/signalr'
import { beforeAll, expect, test } from 'vitest'
import type { DevicePermission } from '../../shared/access.ts'
import type { TestCluster } from '../support/cluster.ts'
import { atTenant } from '../support/grants.ts'
import { connectViewer } from '../support/hub-client.ts'
import { addTenantAccount, createUser, type Program } from '../support/people.ts'
import { account, signInTo, Visitor, type Member } from '../support/server.ts'
import { isNight } from '../support/night.ts'
import { until, within } from '../support/until.ts'
import { connectWorkDevice, startWork, type RunningWork, type WorkDevice } from '../support/running-work.ts'

/** Time limit of an end to reach every server: a second, which servers beside other tests cannot keep. */
const limitMs = isNight ? 1_000 : 20_000
const permissions: DevicePermission[] = [
  'device.read',
  'device.terminal.use',
  'device.remote-control.connect',
  'device.file-system.transfer-download',
  'device.file-system.transfer-upload',
  'device.logon-token.create',
]

/** Work at the second server, and the event at the first one that ends it. */
interface Scene {
  /** Headers of the credential. */
  headers: Record<string, string>
  end(works: readonly RunningWork[]): Promise<unknown>
}

/** Declares the tests of ends, with an owner signed in at both servers. Each may have 20 attempts to sign in a minute. */
export function describeEnds(scene: {
  readonly cluster: TestCluster
  readonly owner: Member
  readonly ownerAtSecond: Member
}): void {
  let userGroupId: string
  let deviceGroupId: string
  beforeAll(async () => {
    const { owner } = scene
    const { tenantId } = owner
    userGroupId = (await owner.userGroups.create({ tenantId, body: { name: 'technicians' } })).id
    deviceGroupId = (await owner.deviceGroups.create({ tenantId, body: { name: 'office' } })).id
    const toGroup = { principalKind: 'UserGroup', principalId: userGroupId } as const
    const place = { scopeKind: 'DeviceGroup', scopeId: deviceGroupId } as const
    const assignments = permissions.map((permissionName) => ({ ...toGroup, ...place, permissionName }))
    await owner.permissionAssignments.createBatch({ tenantId, body: { assignments } })
  })

  const inTenant = () => ({ tenantId: scene.owner.tenantId })
  const members = (userId: string) => ({ ...inTenant(), params: { userGroupId }, body: { userIds: [userId] } })
  const devicesIn = (deviceIds: string[]) => ({ ...inTenant(), params: { deviceGroupId }, body: { deviceIds } })

  /** A technician, signed in at the second server. */
  async function technician(): Promise<Member> {
    const { id, email } = await createUser(scene.owner, { password: account.password })
    await scene.owner.userGroups.addMembers(members(id))
    await until(async () => {
      const { items } = await scene.ownerAtSecond.users.list(inTenant())
      return items.some((user) => user.id === id)
    })
    return signInTo(scene.cluster.second.url, { email })
  }

  const byPerson =
    (end: (person: Member, works: readonly RunningWork[]) => Promise<unknown>) => async (): Promise<Scene> => {
      const person = await technician()
      return { headers: person.headers, end: (works) => end(person, works) }
    }

  async function byToken(): Promise<Scene> {
    const person = await technician()
    const made = await person.personalAccessTokens.create({ ...inTenant(), body: { name: 'script' } })
    const atFirst = await signInTo(scene.cluster.first.url, { email: person.user.email! })
    const params = { id: made.personalAccessToken.id }
    return {
      headers: { 'x-personal-token': made.plainTextToken },
      end: () => atFirst.personalAccessTokens.delete({ ...inTenant(), params }),
    }
  }

  const byProgram = (end: (program: Program) => Promise<unknown>) => async (): Promise<Scene> => {
    const program = await addTenantAccount(scene.owner, permissions.map(atTenant))
    return { headers: { 'x-api-key': program.key }, end: () => end(program) }
  }

  const serviceAccounts = () => scene.owner.tenantServiceAccounts
  const paramsOf = ({ id: serviceAccountId }: Program) => ({ ...inTenant(), serviceAccountId })
  const idsOf = (works: readonly RunningWork[]) => works.map(({ device }) => device.id)

  /** Transfers and relays; connections; guests; and connections that are notified of other rights. */
  type Part = 'work' | 'connections' | 'guests' | 'notices'
  /** Ends, with what they end: a link of a guest does not end with the credential that made it, but with its account. */
  const endings: Record<string, [parts: Part[], prepare: () => Promise<Scene>]> = {
    'of a personal token': [['work', 'connections'], byToken],
    'of a session': [
      ['work', 'connections'],
      byPerson((person) => scene.owner.users.resetPassword({ ...inTenant(), params: { userId: person.user.id } })),
    ],
    'of an account, which is disabled,': [
      ['work', 'connections', 'guests'],
      byPerson((person) => scene.owner.appliancePeople.disable({ params: { userId: person.user.id } })),
    ],
    'of a key, which is rotated,': [
      ['work', 'connections'],
      byProgram(async (program) => {
        const params = paramsOf(program)
        await serviceAccounts().createCredential({ params, body: { name: 'next' } })
        await serviceAccounts().revokeCredential({ params: { ...params, credentialId: program.credentialId } })
      }),
    ],
    'of a membership in a group': [
      ['work', 'guests', 'notices'],
      byPerson((person) => scene.owner.userGroups.removeMembers(members(person.user.id))),
    ],
    'of the place of a device in a group': [
      ['work', 'guests'],
      byPerson((_, works) => scene.owner.deviceGroups.removeMembers(devicesIn(idsOf(works)))),
    ],
    'of a device': [
      ['work', 'guests'],
      byPerson((_, works) => scene.owner.devices.deleteMany({ body: { deviceIds: idsOf(works) } })),
    ],
    'of a share': [
      ['guests'],
      byPerson((_, works) =>
        Promise.all(works.map(({ shareId }) => scene.owner.applianceShares.end({ params: { shareId } }))),
      ),
    ],
  }

  /** A device at each server, which the second server knows. */
  async function devices(): Promise<WorkDevice[]> {
    const atSecond = scene.ownerAtSecond
    const made = await Promise.all([connectWorkDevice(scene.owner), connectWorkDevice(atSecond)])
    const deviceIds = made.map(({ id }) => id)
    await scene.owner.deviceGroups.addMembers(devicesIn(deviceIds))
    await until(async () => {
      const online = (await atSecond.devices.list({})).filter(({ isOnline }) => isOnline).map(({ id }) => id)
      return deviceIds.every((id) => online.includes(id))
    })
    return made
  }

  /** Connections that ask the server again and again, or that it answers forever. */
  const pollingViewers = (headers: Record<string, string>) =>
    Promise.all(
      [HttpTransportType.ServerSentEvents, HttpTransportType.LongPolling].map((transport) =>
        connectViewer(new Visitor(scene.cluster.second.url), { headers, transport }),
      ),
    )

  test.each(Object.entries(endings))('%s ends its work at another server within a second', async (_, row) => {
    const [parts, prepare] = row
    const [{ headers, end }, both] = [await prepare(), await devices()]
    const works = await Promise.all(both.map((device) => startWork(scene.cluster.second.url, headers, device)))
    const viewers = [...(await pollingViewers(headers)), ...works.flatMap((work) => work.viewers)]
    for (const work of works) {
      expect(await work.showsOutput()).toEqual([true, true])
    }
    const notices = viewers.map(({ rightsChanges }) => rightsChanges.length)
    await end(works)
    const ends: Record<Part, () => Promise<unknown>> = {
      work: () => Promise.all(works.map((work) => work.end)),
      connections: () => Promise.all(viewers.map(({ closed }) => closed)),
      guests: () => Promise.all(works.map(({ guestEnd }) => guestEnd)),
      notices: () => until(() => viewers.every(({ rightsChanges }, index) => rightsChanges.length > notices[index]!)),
    }
    const left = new Set(parts)
    parts.forEach((part) => void ends[part]().then(() => left.delete(part)))
    await within(
      limitMs,
      until(() => left.size === 0),
    ).catch(() => expect([...left]).toEqual([]))
    const goesOn = !parts.includes('work')
    for (const work of works) {
      expect(await work.showsOutput()).toEqual([goesOn, goesOn])
    }
    expect(works.map(({ isRunning }) => isRunning())).toEqual(works.map(() => goesOn))
  })
}
