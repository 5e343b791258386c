import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Subject } from '@microsoft/signalr'
import { describe, expect, test } from 'vitest'
import type { DevicePermission } from '../../shared/access.ts'
import { success, successOf } from '../../shared/dtos/hub-result.ts'
import { manualClock } from '../support/clock.ts'
import { base64, connectFileAgent, type FileAgent } from '../support/file-agent.ts'
import { some } from '../support/night.ts'
import { addServerAccount, addTenantAccount, createUser, type Program } from '../support/people.ts'
import { account, ownerForFile, serverForFile, type Member } from '../support/server.ts'
import { steady, until } from '../support/until.ts'

const clock = manualClock()
const server = serverForFile({ clock })
const owner = ownerForFile(server)

const permissions: DevicePermission[] = [
  'device.read',
  'device.file-system.read',
  'device.file-system.transfer-download',
  'device.file-system.transfer-upload',
  'device.logs.read',
  'device.desktop-preview.read',
]

const huge = 50_000_000
const entry = { name: 'file', fullPath: '/srv/file', lastModified: '2026-01-02T03:04:05.678Z' }

/** Device on which transfers begin but never end; `begun` counts them, and `told` records their ends for the agent. */
async function slowDevice(by: Pick<Member, 'installerKeys' | 'agentDevices' | 'tenantId' | 'url'> = owner) {
  let begun = 0
  const told: string[] = []
  const begin = (method: string, args: unknown[], item: unknown) => {
    const subject = new Subject<unknown>()
    const answer = device.connection.invoke<{ reason: string } | undefined>(method, ...args, subject)
    void answer.then(
      (result) => told.push(result?.reason ?? 'nothing'),
      () => {},
    )
    subject.next(item)
    begun++
  }
  const announced = successOf({ fileSize: huge, fileDisplayName: 'a' })
  const sendFile = ({ streamId }: { streamId: string }) =>
    begin('SendFileContentStream', [streamId], base64(Buffer.alloc(30_000)))
  const log = { fileName: 'a.log', fullPath: '/a.log', size: 10, lastModified: entry.lastModified }
  const device: FileAgent = await connectFileAgent(
    by as Member,
    {
      UploadFileToViewer: (request) => (sendFile(request), announced),
      UploadArchiveToViewer: (request) => (sendFile(request), announced),
      StreamFileContents: (request) => (sendFile(request), success),
      GetLogFiles: () => successOf({ logFileGroups: [{ groupName: 'Logs', logFiles: [log] }] }),
      RequestDesktopPreview: ({ streamId }) => {
        begin('SendDesktopPreviewStream', [streamId], base64('jpeg'))
        return success
      },
      StreamDirectoryContents: ({ streamId }) => {
        begin('SendDirectoryContentsStream', [streamId, true], [entry])
        return success
      },
      StreamSubdirectories: ({ streamId }) => {
        begin('SendSubdirectoriesStream', [streamId], [entry])
        return success
      },
      DownloadFileFromViewer: async (request) => {
        begun++
        await device.fetch(request).catch((error: Error) => told.push(error.message))
        return success
      },
    },
    clock,
  )
  return { device, told, begun: () => begun }
}

type SlowDevice = Awaited<ReturnType<typeof slowDevice>>
type Headers = Record<string, string>

interface Asked {
  method?: string
  path: string
  type?: string
  body?: string
  /** Announced size, larger than the sent bytes. */
  announcedBytes?: number
}

const json = (path: string, body: object): Asked => ({
  method: 'POST',
  path,
  type: 'application/json',
  body: JSON.stringify(body),
})
const field = (name: string, value: string) =>
  `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const fileHead = '--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
const target = field('targetSaveDirectory', '/in') + field('overwrite', 'true')

const files = '/api/v1/device-file-system'
const transfers: Record<string, (deviceId: string) => Asked> = {
  download: (id) => ({ path: `${files}/download/${id}?filePath=/a` }),
  archive: (id) => json(`${files}/download-archive/${id}?`, { archiveFileName: 'a', targetPaths: ['/a'] }),
  'log contents': (id) => ({ path: `${files}/logs/${id}/contents?filePath=/a.log` }),
  preview: (id) => ({ path: `/api/v1/desktop-preview/${id}/1?` }),
  listing: (id) => json(`${files}/contents?`, { deviceId: id, directoryPath: '/' }),
  'listing of directories': (id) => json(`${files}/subdirectories?`, { deviceId: id, directoryPath: '/' }),
  upload: (id) => ({
    method: 'POST',
    path: `${files}/upload/${id}?`,
    type: 'multipart/form-data; boundary=X',
    body: `${target}${fileHead}${'x'.repeat(50_000)}`,
    announcedBytes: huge,
  }),
}

interface Transfer {
  /** Status of a rejection, or `cut`. */
  end: Promise<number | 'cut'>
  hasEnded(): boolean
}

/** Starts a transfer; resolves once the device has sent or fetched bytes. */
async function start(
  name: string,
  { device, begun }: SlowDevice,
  tenantId: string,
  headers: Headers,
): Promise<Transfer> {
  const { method = 'GET', path, type, body, announcedBytes } = transfers[name]!(device.id)
  const { hostname, port } = new URL(server.url)
  const before = begun()
  const options = {
    hostname,
    port,
    method,
    path: `${path}&tenantId=${tenantId}`,
    headers: {
      ...headers,
      ...(type !== undefined && { 'content-type': type }),
      ...(announcedBytes !== undefined && { 'content-length': announcedBytes }),
    },
  }
  let hasEnded = false
  const end = new Promise<number | 'cut'>((resolve) => {
    const request = httpRequest(options, (response: IncomingMessage) => {
      if (response.statusCode !== 200) {
        resolve(response.statusCode!)
      }
      response
        .on('error', () => resolve('cut'))
        .on('end', () => resolve(200))
        .resume()
    })
    request.on('error', () => resolve('cut'))
    if (announcedBytes === undefined) {
      request.end(body)
    } else {
      request.write(body!)
    }
  })
  void end.then(() => (hasEnded = true))
  await until(() => begun() > before)
  // Waits until the device's bytes have arrived.
  expect(await steady(() => hasEnded, 10)).toBe(false)
  return { end, hasEnded: () => hasEnded }
}

const inTenant = () => ({ scopeKind: 'Tenant' }) as const
const grants = () => permissions.map((permissionName) => ({ permissionName, ...inTenant() }))
const keyOf = ({ key }: Program): Headers => ({ 'x-api-key': key })

test.each(Object.keys(transfers))('a running %s ends when its right is removed, and no other ends', async (name) => {
  const slow = await slowDevice()
  const { tenantId } = owner
  const [program, bystander] = [await addTenantAccount(owner, grants()), await addTenantAccount(owner, grants())]
  const running = await start(name, slow, tenantId, keyOf(program))
  const other = await start(name, slow, tenantId, keyOf(bystander))
  const query = { principalKind: 'ServiceAccount', principalId: program.id } as const
  const { items } = await owner.permissionAssignments.list({ tenantId, query })
  const needed = items.find(({ permissionName }) => permissionName !== 'device.read' && isFor(name, permissionName))!
  await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: needed.id } })
  expect(await running.end).toBe(name.startsWith('listing') || name === 'upload' ? 403 : 'cut')
  expect(other.hasEnded()).toBe(false)
})

/** Messages that the protocol has for the agent. */
test('the agent is notified at once that its stream is dropped, and that an upload is over', async () => {
  const slow = await slowDevice()
  const { tenantId } = owner
  const program = await addTenantAccount(owner, grants())
  const running = [
    await start('download', slow, tenantId, keyOf(program)),
    await start('upload', slow, tenantId, keyOf(program)),
  ]
  await owner.tenantServiceAccounts.delete({ params: { tenantId, serviceAccountId: program.id } })
  await Promise.all(running.map(({ end }) => end))
  await expect
    .poll(() => slow.told.toSorted())
    .toEqual([expect.stringContaining('Stream canceled by client.'), 'Nobody takes this stream.'])
})

const isFor = (transfer: string, permission: string) =>
  ({
    'log contents': 'device.logs.read',
    preview: 'device.desktop-preview.read',
    upload: 'device.file-system.transfer-upload',
    listing: 'device.file-system.read',
    'listing of directories': 'device.file-system.read',
  })[transfer] === permission ||
  ((transfer === 'download' || transfer === 'archive') && permission === 'device.file-system.transfer-download')

/** Creates a signed-in user with a password. */
async function transferringUser(): Promise<Member> {
  const { tenantId } = owner
  const { id, email } = await createUser(owner, { password: account.password })
  const assignments = permissions.map((permissionName) => ({
    permissionName,
    ...inTenant(),
    principalKind: 'User' as const,
    principalId: id,
  }))
  await owner.permissionAssignments.createBatch({ tenantId, body: { assignments } })
  return server.signIn({ email })
}

describe('a running download and a running upload end', () => {
  /** User with transfers, and an event that ends them. */
  interface Scene {
    headers: Headers
    slow: SlowDevice
    tenantId?: string
    act(): Promise<unknown>
  }

  async function programScene(act: (program: Program, slow: SlowDevice) => Promise<unknown>): Promise<Scene> {
    const slow = await slowDevice()
    const program = await addTenantAccount(owner, grants())
    return { headers: keyOf(program), slow, act: () => act(program, slow) }
  }

  async function userScene(act: (user: Member) => Promise<unknown>): Promise<Scene> {
    const slow = await slowDevice()
    const user = await transferringUser()
    return { headers: { cookie: user.cookie!, origin: server.url }, slow, act: () => act(user) }
  }

  /** Events with the status of an interrupted upload; 400 is the status for an offline device. */
  const endings: Record<string, [status: number, prepare: () => Promise<Scene>]> = {
    'when the key is revoked': [
      401,
      () =>
        programScene(({ id, credentialId }) =>
          owner.tenantServiceAccounts.revokeCredential({
            params: { tenantId: owner.tenantId, serviceAccountId: id, credentialId },
          }),
        ),
    ],
    'when the account is disabled': [
      401,
      () =>
        programScene(({ id }) =>
          owner.tenantServiceAccounts.update({
            params: { tenantId: owner.tenantId, serviceAccountId: id },
            body: { name: id, isEnabled: false },
          }),
        ),
    ],
    'when the session signs out': [401, () => userScene((user) => user.auth.logout({}))],
    'when the key expires': [
      401,
      async () => {
        const { tenantId } = owner
        const scene = await programScene(async () => clock.advance(60_000))
        const { id } = await addTenantAccount(owner, grants())
        const { plainTextSecretKey } = await owner.tenantServiceAccounts.createCredential({
          params: { tenantId, serviceAccountId: id },
          body: { name: 'short', expiresAt: new Date(clock.now() + 60_000).toISOString() },
        })
        return { ...scene, headers: { 'x-api-key': plainTextSecretKey } }
      },
    ],
    'when an administrator resets the password': [
      401,
      () =>
        userScene((user) => owner.users.resetPassword({ tenantId: owner.tenantId, params: { userId: user.user.id } })),
    ],
    'when the user is deleted': [
      401,
      () => userScene((user) => owner.users.delete({ tenantId: owner.tenantId, params: { userId: user.user.id } })),
    ],
    'when a personal token is deleted': [
      401,
      async () => {
        let tokenId = ''
        const scene = await userScene((user) =>
          user.personalAccessTokens.delete({ tenantId: owner.tenantId, params: { id: tokenId } }),
        )
        const user = Object.assign(server.visitor(), { cookie: scene.headers['cookie'] })
        const { plainTextToken, personalAccessToken } = await user.personalAccessTokens.create({
          tenantId: owner.tenantId,
          body: { name: 'script' },
        })
        tokenId = personalAccessToken.id
        return { ...scene, headers: { 'x-personal-token': plainTextToken } }
      },
    ],
    'when the device is denied': [
      404,
      () =>
        programScene(({ id }, { device }) =>
          owner.permissionAssignments.create({
            tenantId: owner.tenantId,
            body: {
              principalKind: 'ServiceAccount',
              principalId: id,
              permissionName: 'device.read',
              scopeKind: 'Device',
              scopeId: device.id,
              effect: 'Deny',
            },
          }),
        ),
    ],
    'when the device leaves the group that the right is for': [
      404,
      async () => {
        const slow = await slowDevice()
        const { tenantId } = owner
        const { id: deviceGroupId } = await owner.deviceGroups.create({ tenantId, body: { name: randomUUID() } })
        const place = { tenantId, params: { deviceGroupId }, body: { deviceIds: [slow.device.id] } }
        await owner.deviceGroups.addMembers(place)
        const inGroup = { scopeKind: 'DeviceGroup', scopeId: deviceGroupId } as const
        const program = await addTenantAccount(
          owner,
          permissions.map((permissionName) => ({ permissionName, ...inGroup })),
        )
        return { headers: keyOf(program), slow, act: () => owner.deviceGroups.removeMembers(place) }
      },
    ],
    'when the device is deleted': [
      400,
      () => programScene((_, { device }) => owner.devices.delete({ params: { deviceId: device.id } })),
    ],
    'when the tenant is deleted': [
      400,
      async () => {
        const robot = await addServerAccount(owner)
        const { tenantId } = await robot.tenants.create({ body: { name: randomUUID() } })
        const slow = await slowDevice(Object.assign(robot, { tenantId, url: server.url }))
        return {
          headers: keyOf(robot),
          slow,
          tenantId,
          act: () => robot.tenants.delete({ params: { tenantId } }),
        }
      },
    ],
  }

  test.each(some(Object.entries(endings), 2))('%s', async (_, [status, prepare]) => {
    const { headers, slow, tenantId = owner.tenantId, act } = await prepare()
    const download = await start('download', slow, tenantId, headers)
    const upload = await start('upload', slow, tenantId, headers)
    await act()
    expect(await download.end).toBe('cut')
    expect(await upload.end).toBe(status)
  })
})

test('transfers of a user whose account is locked by wrong guesses continue', async () => {
  const slow = await slowDevice()
  const user = await transferringUser()
  const headers = { cookie: user.cookie!, origin: server.url }
  const { tenantId } = owner
  const running = [
    await start('download', slow, tenantId, headers),
    await start('upload', slow, tenantId, headers),
    await start('preview', slow, tenantId, headers),
  ]
  const body = { email: user.user.email, password: 'Wrong-Horse-7' }
  for (let count = 0; count < 5; count++) {
    await server.visitor().applianceSession.signIn({ body })
  }
  const right = { ...body, password: account.password }
  expect(await server.visitor().applianceSession.signIn({ body: right })).toMatchObject({ isLockedOut: true })
  // Any commit triggers a recheck of running work.
  await owner.tags.create({ tenantId, body: { name: randomUUID() } })
  clock.advance(5_000)
  expect(await steady(() => running.filter(({ hasEnded }) => hasEnded()).length)).toBe(0)
})
