/** Server side of operations on files and of small uploads; with a real agent: `test/renderer/arrange-files.spec.ts`. */
import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { DevicePermission } from '../../../shared/access.ts'
import { askConsentType } from '../../../shared/dtos/consent.ts'
import { SmallFilesDto } from '../../../shared/dtos/file-messages.ts'
import { successOf } from '../../../shared/dtos/hub-result.ts'
import { connectFileAgent, type FileAgent } from '../../support/file-agent.ts'
import { atTenant } from '../../support/grants.ts'
import { addMember, addTenantAccount } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = serverForFile({ settings: { AppOptions__MaxFileTransferSize: '1000' } })
const owner = ownerForFile(server)

const items = [{ path: '/in/a', name: 'a' }]
const running = { isEnded: false, files: 1, totalFiles: 2, bytes: 5, totalBytes: 10 }
const messageOf = (payload: string) => JSON.parse(Buffer.from(payload, 'base64').toString()) as Record<string, unknown>

const operate = ({ id }: FileAgent, init: RequestInit = {}, member: Member = owner) =>
  member.fetch(`/api/appliance/v1/devices/${id}/files/operations/${randomUUID()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'copy', targetDirectory: '/out', items }),
    ...init,
  })

test('progress comes in lines while the device works, and the end names each problem', async () => {
  const end = Promise.withResolvers<void>()
  const device = await connectFileAgent(owner, {
    ReceiveDto: async ({ dtoType }) => {
      if (dtoType === 'appliance.file-operation-state') {
        end.resolve()
        return successOf({ operation: running })
      }
      await end.promise
      return successOf({ operation: { ...running, isEnded: true, problems: ['File already exists.'] } })
    },
  })
  const response = await operate(device)
  const lines = (await response.text()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    running,
    { ...running, isEnded: true, problems: ['File already exists.'] },
  ])
  const sql = "SELECT outcome, targetName FROM audit_events WHERE kind = 'file.copied' AND deviceId = ?"
  expect(await server.rows(sql, device.id)).toEqual([{ outcome: 'failure', targetName: '/in/a' }])
})

test('a client that leaves cancels the operation on the device', async () => {
  const messages: [type: string | number, key: unknown][] = []
  const ended = Promise.withResolvers<void>()
  const device = await connectFileAgent(owner, {
    ReceiveDto: async ({ dtoType, payload }) => {
      messages.push([dtoType, messageOf(payload).operationKey])
      if (dtoType === 'appliance.run-file-operation') {
        await ended.promise
      } else if (dtoType === 'appliance.end-file-operation') {
        ended.resolve()
      }
      return successOf({ operation: running })
    },
  })
  const leaving = new AbortController()
  const response = operate(device, { signal: leaving.signal }).catch(() => undefined)
  await until(() => messages.length > 0)
  leaving.abort()
  await response
  await until(() => messages.some(([type]) => type === 'appliance.end-file-operation'))
  expect(new Set(messages.map(([, key]) => key)).size).toBe(1)
})

test('a move ends when the permission to delete is taken away (T10)', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const device = await connectFileAgent(owner, {
    ReceiveDto: async ({ dtoType }) => {
      if (dtoType === 'appliance.run-file-operation') {
        begun.resolve()
        await ended.promise
      } else if (dtoType === 'appliance.end-file-operation') {
        ended.resolve()
      }
      return successOf({ operation: running })
    },
  })
  const { tenantId } = owner
  const granted = ['device.read', 'device.file-system.transfer-upload', 'device.file-system.delete'] as const
  const program = await addTenantAccount(owner, granted.map(atTenant))
  const response = fetch(`${owner.url}/api/appliance/v1/devices/${device.id}/files/operations/${randomUUID()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': program.key },
    body: JSON.stringify({ kind: 'move', targetDirectory: '/out', items }),
  }).then((answer) => answer.text())
  response.catch(() => {})
  await begun.promise
  const query = { principalKind: 'ServiceAccount', principalId: program.id } as const
  const { items: held } = await owner.permissionAssignments.list({ tenantId, query })
  const { id } = held.find(({ permissionName }) => permissionName === 'device.file-system.delete')!
  await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: id } })
  await ended.promise
  await response.catch(() => {})
})

test('copying needs the permission to upload, and moving also the permission to delete', async () => {
  const grants: DevicePermission[][] = [
    ['device.read', 'device.file-system.write'],
    ['device.read', 'device.file-system.transfer-upload'],
    ['device.read', 'device.file-system.transfer-upload', 'device.file-system.delete'],
  ]
  const members: Member[] = []
  for (const permissions of grants) {
    members.push(await addMember(server, owner.tenantId, permissions))
  }
  const device = await connectFileAgent(owner, {
    ReceiveDto: () => successOf({ operation: { ...running, isEnded: true, problems: [null] } }),
  })
  const statusesOf = (kind: 'copy' | 'move') =>
    Promise.all(
      members.map(async (member) => {
        const body = JSON.stringify({ kind, targetDirectory: '/out', items })
        return (await operate(device, { body }, member)).status
      }),
    )
  expect(await statusesOf('copy')).toEqual([403, 200, 200])
  expect(await statusesOf('move')).toEqual([403, 403, 200])
})

test('an operation does not begin for a client that left while the person at the device was asked (T29)', async () => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const begun: unknown[] = []
  const device = await connectFileAgent(owner, {
    ReceiveDto: async ({ dtoType }) => {
      if (dtoType === askConsentType) {
        asked.resolve()
        await answered.promise
        return successOf(null) as never
      }
      begun.push(dtoType)
      return successOf({ operation: { ...running, isEnded: true, problems: [null] } })
    },
  })
  await device.SendConsentAnswers({ standing: [], alwaysAsk: [] })
  const leaving = new AbortController()
  const response = operate(device, { signal: leaving.signal }).catch(() => undefined)
  await asked.promise
  leaving.abort()
  await response
  // Its connection has ended at the server before this request is answered.
  await owner.fetch('/api/appliance/v1/sessions')
  answered.resolve()
  const sql = "SELECT outcome FROM audit_events WHERE kind = 'file.copied' AND deviceId = ?"
  expect(await until(async () => (await server.rows(sql, device.id))[0])).toEqual({ outcome: 'failure' })
  expect(begun).toEqual([])
})

test('an operation whose end does not tell of each item is a failure, not a success', async () => {
  const device = await connectFileAgent(owner, {
    ReceiveDto: () => successOf({ operation: { ...running, isEnded: true } }),
  })
  expect((await operate(device)).status).toBe(500)
  const sql = "SELECT outcome FROM audit_events WHERE kind = 'file.copied' AND deviceId = ?"
  expect(await server.rows(sql, device.id)).toEqual([{ outcome: 'failure' }])
})

test('the SHA-256 of a file is for those who may download it', async () => {
  const facts = { kind: 'file' as const, size: 4 }
  const reader = await addMember(server, owner.tenantId, ['device.read', 'device.file-system.read'])
  const device = await connectFileAgent(owner, { ReceiveDto: () => successOf({ facts }) })
  const ask = (isHashWanted: boolean) =>
    reader.fetch(`/api/appliance/v1/devices/${device.id}/files/facts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: '/etc/pin', isHashWanted }),
    })
  expect([(await ask(false)).status, (await ask(true)).status]).toEqual([200, 403])
})

test('an agent of another make is said to be unable', async () => {
  const device = await connectFileAgent(owner, { ReceiveDto: () => null })
  expect((await operate(device)).status).toBe(409)
  expect((await sendSmall(device, [{ fileName: 'a', fileSize: 1 }], 'x')).status).toBe(409)
})

function sendSmall({ id }: FileAgent, files: object[], bytes: string, headLength?: number) {
  const sha256 = 'a'.repeat(64)
  const text = JSON.stringify({ files: files.map((file) => ({ targetDirectory: '/in', sha256, ...file })) })
  const length = Buffer.alloc(4)
  length.writeUInt32BE(headLength ?? Buffer.byteLength(text))
  return owner.fetch(`/api/appliance/v1/devices/${id}/small-uploads`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: Buffer.concat([length, Buffer.from(text), Buffer.from(bytes)]),
  })
}

test('several small files reach the device as one stream, and a wrong body reaches none', async () => {
  const received: string[] = []
  const device: FileAgent = await connectFileAgent(owner, {
    ReceiveDto: async ({ payload }) => {
      const { streamId, files } = messageOf(payload) as { streamId: string; files: object[] }
      const request = { streamId, targetDirectoryPath: '', fileName: '', fileSize: 3, overwrite: false }
      received.push((await device.fetch(request)).toString())
      return successOf({ received: { problems: files.map(() => null) } })
    },
  })
  const files = [
    { fileName: 'a', fileSize: 1 },
    { fileName: 'b', fileSize: 2 },
  ]
  expect(await (await sendSmall(device, files, 'abb')).json()).toEqual({ problems: [null, null] })
  expect(received).toEqual(['abb'])
  expect((await sendSmall(device, files, 'abb', 3)).status).toBe(400)
  expect((await sendSmall(device, [{ fileName: '../a', fileSize: 1 }], 'a')).status).toBe(400)
  expect((await sendSmall(device, [{ fileName: 'a', fileSize: 1001 }], 'a')).status).toBe(413)
  expect((await sendSmall(device, files, 'a')).status).toBe(400)
  const sql = "SELECT targetName FROM audit_events WHERE kind = 'file.uploaded' AND outcome = 'success' ORDER BY id"
  expect(await server.rows(sql)).toEqual([{ targetName: 'a' }, { targetName: 'b' }])
})

test('small files are not said to be written by a device that did not fetch them', async () => {
  const device = await connectFileAgent(owner, { ReceiveDto: () => successOf({ received: { problems: [null] } }) })
  const answer = await sendSmall(device, [{ fileName: 'unread', fileSize: 1 }], 'a')
  expect(answer.status).toBe(500)
  const sql = "SELECT outcome FROM audit_events WHERE kind = 'file.uploaded' AND targetName = 'unread'"
  expect(await server.rows(sql)).toEqual([{ outcome: 'failure' }])
})

test('a list of far too many files is not looked through, and one that comes in crumbs is joined once (T26)', async () => {
  const device = await connectFileAgent(owner, { ReceiveDto: () => null })
  const post = (text: string, step: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(owner.url)
      const path = `/api/appliance/v1/devices/${device.id}/small-uploads`
      const headers = { cookie: owner.cookie!, 'content-type': 'application/octet-stream', origin: owner.url }
      const request = httpRequest({ method: 'POST', hostname, port, path, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
      const length = Buffer.alloc(4)
      length.writeUInt32BE(text.length)
      const body = Buffer.from(`${length.toString('latin1')}${text}`, 'latin1')
      request.on('error', reject)
      for (let at = 0; at < body.length; at += step) {
        request.write(body.subarray(at, at + step))
      }
      request.end()
    })
  const parse = vi.spyOn(SmallFilesDto, 'safeParse')
  const concat = vi.spyOn(Buffer, 'concat')
  onTestFinished(() => void vi.restoreAllMocks())
  expect(await post(`{"files":[${'{},'.repeat(100_000)}{}]}`, 64 * 1024)).toBe(400)
  expect(parse.mock.calls).toEqual([[undefined]])
  concat.mockClear()
  expect(await post(' '.repeat(20_000), 4)).toBe(400)
  const joined = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0)
  expect(joined).toBeLessThan(200_000)
})

test('a person follows ten files of a device, and leaves places for others (T44)', async () => {
  const colleague = await addMember(server, owner.tenantId, ['device.read', 'device.file-system.transfer-download'])
  const streamIds: unknown[] = []
  const device = await connectFileAgent(owner, {
    ReceiveDto: ({ payload }) => {
      streamIds.push(messageOf(payload).streamId)
      return new Promise(() => {})
    },
  })
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const begin = (member: Member, { signal } = leaving) =>
    member.fetch(`/api/appliance/v1/devices/${device.id}/files/follow?path=/var/log/app.log`, { signal })
  /** Asks the device to follow a file, without an answer. */
  const follow = (member: Member, controller?: AbortController) => void begin(member, controller).catch(() => {})
  const first = new AbortController()
  follow(owner, first)
  Array.from({ length: 9 }, () => follow(owner))
  await until(() => streamIds.length === 10)
  const refused = await begin(owner)
  expect(refused.status).toBe(429)
  expect(await refused.text()).toContain('You already follow 10 files of this device.')
  follow(colleague)
  await until(() => streamIds.length === 11)
  first.abort()
  await until(() => {
    follow(owner)
    return streamIds.length > 11
  })
})
