import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Principal } from '../../../server/ground/principal.ts'
import { mayUseDesktopSession } from '../../../server/remote/desktop-sessions.ts'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { manualClock } from '../../support/clock.ts'
import { connectFileAgent, pieces, type AgentHandlers, type FileAgent } from '../../support/file-agent.ts'
import { account, ownerForFile, serverForFile, useTestServer } from '../../support/server.ts'
import { later, steady, until } from '../../support/until.ts'

const clock = manualClock()
const server = serverForFile({ clock })
const owner = ownerForFile(server)

async function online(handlers: (device: () => FileAgent) => AgentHandlers) {
  const device: FileAgent = await connectFileAgent(
    owner,
    handlers(() => device),
    clock,
  )
  return device
}

const session = (systemSessionId: number) => ({
  areRemoteControlPermissionsGranted: true,
  desktopName: 'Default',
  name: `Console ${systemSessionId}`,
  processId: 4711,
  systemSessionId,
  type: 1 as const,
  username: 'ada',
})

const problemOf = async (response: Response) => {
  const { title, detail, code } = (await response.json()) as { title: string; detail?: string; code?: string }
  return { status: response.status, title, detail, code }
}

describe('desktop sessions', () => {
  const read = (device: FileAgent) => owner.fetch(`/api/v1/devices/${device.id}/desktop-sessions`)

  test('are those that the agent lists, in an envelope', async () => {
    const device = await online(() => ({ GetActiveDesktopSessions: () => [session(1), session(2)] }))
    expect(await owner.devices.desktopSessions({ params: { deviceId: device.id } })).toEqual({
      items: [session(1), session(2)],
    })
  })

  test('have defaults for members that the agent leaves out', async () => {
    const device = await online(() => ({ GetActiveDesktopSessions: () => [{ processId: 1 }] as never }))
    expect((await owner.devices.desktopSessions({ params: { deviceId: device.id } })).items).toEqual([
      {
        areRemoteControlPermissionsGranted: false,
        desktopName: '',
        name: '',
        processId: 1,
        systemSessionId: 0,
        type: 0,
        username: '',
      },
    ])
  })

  test('of a device that is offline: 409', async () => {
    const device = await online(() => ({}))
    await device.connection.stop()
    await expect
      .poll(async () => problemOf(await read(device)))
      .toMatchObject({
        status: 409,
        detail: 'Device is not currently online.',
        code: 'device-offline',
      })
  })

  test('are 500 when the agent fails, disconnects or does not answer', async () => {
    const failing = await online(() => ({ GetActiveDesktopSessions: () => Promise.reject(new Error('x')) }))
    expect(await problemOf(await read(failing))).toMatchObject({ status: 500, detail: 'Agent did not respond.' })
    const leaving = await online((self) => ({
      GetActiveDesktopSessions: () => (void self().connection.stop(), new Promise<never>(() => {})),
    }))
    expect((await problemOf(await read(leaving))).status).toBe(500)
    let isAsked = false
    const silent = await online(() => ({
      GetActiveDesktopSessions: () => ((isAsked = true), new Promise<never>(() => {})),
    }))
    const answer = read(silent)
    await until(() => isAsked)
    clock.advance(30_000)
    expect((await problemOf(await answer)).status).toBe(500)
  })

  test.each<[string, Partial<Extract<Principal['credential'], { kind: 'LogonToken' }>> | undefined, boolean]>([
    ['everyone else may use all of them', undefined, true],
    ['a logon token without a list, too', { allowedDesktopSessionIds: null }, true],
    ['one with a list only those', { allowedDesktopSessionIds: [1, 3] }, false],
    ['and one with an empty list none', { allowedDesktopSessionIds: [] }, false],
  ])('%s', (_, token, mayUse) => {
    const credential = token ? { kind: 'LogonToken', ...token } : { kind: 'BearerToken', familyId: '' }
    const principal = { credential } as Principal
    expect(mayUseDesktopSession(principal, 2)).toBe(mayUse)
    expect(mayUseDesktopSession(principal, 1)).toBe(mayUse || token?.allowedDesktopSessionIds?.length === 2)
  })
})

describe('a desktop preview', () => {
  const picture = randomBytes(90_000)
  const addressOf = (device: FileAgent, processId: number | string = 4711) =>
    `/api/v1/desktop-preview/${device.id}/${processId}?tenantId=${owner.tenantId}`

  test.each([0, 30])('is the picture that the agent sends %i ms after its answer', async (delay) => {
    const told: unknown[] = []
    const device = await online((self) => ({
      RequestDesktopPreview: ({ streamId, requesterId, targetProcessId }) => {
        told.push(requesterId === streamId, targetProcessId)
        const send = () => self().send('SendDesktopPreviewStream', [streamId], pieces(picture))
        if (delay > 0) {
          later(delay, send)
        } else {
          send()
        }
        return success
      },
    }))
    const response = await owner.fetch(addressOf(device))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': expect.stringContaining('no-store') as string,
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers.get('content-length')).toBeNull()
    expect(Buffer.from(await response.arrayBuffer()).equals(picture)).toBe(true)
    expect(told).toEqual([false, 4711])
  })

  test('taken again within ten minutes is in the audit log once', async () => {
    const device = await online((self) => ({
      RequestDesktopPreview: ({ streamId }) => {
        self().send('SendDesktopPreviewStream', [streamId], pieces(picture))
        return success
      },
    }))
    const take = async () => (await owner.fetch(addressOf(device))).arrayBuffer()
    const tenantId = owner.tenantId
    const events = async () => (await owner.applianceAuditLog.list({ tenantId, query: {} })).items
    const previews = async () =>
      (await events()).filter(({ kind, deviceId }) => kind === 'session.ended' && deviceId === device.id).length
    await take()
    await take()
    // Rows are written in the order of what they tell.
    await server.signIn(account)
    await until(async () => (await events())[0]?.kind === 'sign-in.password')
    expect(await previews()).toBe(1)
    clock.advance(10 * 60_000)
    await take()
    await until(async () => (await previews()) === 2)
  })

  test('is in the audit log although an earlier one showed nothing', async () => {
    let refuses = true
    const device = await online((self) => ({
      RequestDesktopPreview({ streamId }) {
        if (refuses) {
          return failure('No desktop client.')
        }
        self().send('SendDesktopPreviewStream', [streamId], pieces(picture))
        return success
      },
    }))
    const { tenantId } = owner
    const previews = async () => {
      const { items } = await owner.applianceAuditLog.list({ tenantId, query: { kind: 'session.ended' } })
      return items.filter(({ deviceId }) => deviceId === device.id)
    }
    await (await owner.fetch(addressOf(device))).arrayBuffer()
    await until(async () => (await previews()).length === 1)
    refuses = false
    await (await owner.fetch(addressOf(device))).arrayBuffer()
    const [last] = await until(async () => ((await previews()).length === 2 ? previews() : undefined))
    expect(last?.details).toMatchObject({ bytesFromDevice: picture.length })
  })

  test('that the agent refuses is 503 with its reason', async () => {
    const device = await online(() => ({ RequestDesktopPreview: () => failure('No desktop client.') }))
    expect(await problemOf(await owner.fetch(addressOf(device)))).toEqual({
      status: 503,
      title: 'Desktop preview request failed',
      detail: 'No desktop client.',
      code: 'device-refused',
    })
  })

  test('times out with the lifetime of its stream', async () => {
    let isAsked = false
    const device = await online(() => ({
      RequestDesktopPreview: () => ((isAsked = true), new Promise<never>(() => {})),
    }))
    let status: number | undefined
    const answer = owner.fetch(addressOf(device)).then((response) => (status = response.status))
    await until(() => isAsked)
    clock.advance(4 * 60_000)
    expect(await steady(() => status)).toBeUndefined()
    clock.advance(60_000)
    expect(await answer).toBe(408)
  })

  test('needs a process id: anything but a number is 400', async () => {
    const device = await online(() => ({}))
    for (const processId of ['abc', '-1', '1.5', '99999999999']) {
      expect((await owner.fetch(addressOf(device, processId))).status).toBe(400)
    }
  })

  test('is 404 when previews are turned off', async () => {
    const other = await useTestServer({ settings: { AppOptions__DisableDesktopPreview: 'true' } })
    const member = await other.owner()
    const device = await connectFileAgent(member)
    const response = await member.fetch(`/api/v1/desktop-preview/${device.id}/1?tenantId=${member.tenantId}`)
    expect(response.status).toBe(404)
  })
})
