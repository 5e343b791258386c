/** Server side of resumed uploads; with the real agent: `test/agent/capabilities/resumed-uploads.test.ts`. */
import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { success } from '../../../shared/dtos/hub-result.ts'
import { connectFileAgent, type AgentHandlers, type FileAgent } from '../../support/file-agent.ts'
import { addTenantAccount } from '../../support/people.ts'
import { integrator, ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { until, within } from '../../support/until.ts'

const server = serverForFile({ settings: { AppOptions__MaxFileTransferSize: '1000000' } })
const owner = ownerForFile(server)

const name = { targetDirectory: '/in', fileName: 'a.bin', fileSize: 9 }
const bytes = { 'content-type': 'application/octet-stream' }
const uploadId = randomUUID()

const addressOf = ({ id }: FileAgent, query: object = {}) => {
  const fields = Object.entries({ ...name, ...query }).map(([key, value]): [string, string] => [key, String(value)])
  return `/api/appliance/v1/devices/${id}/uploads/${uploadId}?${new URLSearchParams(fields).toString()}`
}
const stateOf = (device: FileAgent, by: Pick<Member, 'applianceDeviceUploads'> = owner) =>
  by.applianceDeviceUploads.state({ params: { deviceId: device.id, uploadId }, body: name })

/** Connects an agent that has the first four bytes of every upload, and records the upload keys. */
async function resuming(handlers: AgentHandlers = {}) {
  const keys: string[] = []
  const device = await connectFileAgent(owner, {
    ValidateFilePath({ upload }) {
      keys.push(upload!.uploadKey)
      return { isValid: true, upload: { receivedBytes: 4 } }
    },
    ...handlers,
  })
  return { device, keys }
}

test('an agent without support for resuming is never sent a piece', async () => {
  let isAsked = false
  const device: FileAgent = await connectFileAgent(owner, {
    ValidateFilePath: () => ({ isValid: true }),
    DownloadFileFromViewer: () => ((isAsked = true), success),
  })
  expect(await stateOf(device)).toEqual({ canResume: false, receivedBytes: 0, isDone: false })
  const response = await owner.fetch(addressOf(device), { method: 'PUT', headers: bytes, body: 'some' })
  expect([response.status, isAsked]).toEqual([409, false])
})

test('a piece is a separate stream, which an agent cannot fetch as a file', async () => {
  const received: string[] = []
  const { device } = await resuming({
    DownloadFileFromViewer: async (request) => {
      const { streamId, checkedStreamId, resume } = request
      await device.fetch({ ...request, streamId: checkedStreamId ?? streamId }).catch(() => received.push('nothing'))
      received.push((await device.fetch({ ...request, streamId: resume!.streamId })).subarray(0, -32).toString())
      return { ...success, upload: { receivedBytes: 6 } }
    },
  })
  const response = await owner.fetch(addressOf(device, { offset: 4 }), { method: 'PUT', headers: bytes, body: 'to' })
  expect(await response.json()).toEqual({ canResume: true, receivedBytes: 6, isDone: false })
  expect(received).toEqual(['nothing', 'to'])
})

test('an upload does not belong to another user who knows its id (T30)', async () => {
  const { device, keys } = await resuming()
  const grants = ['device.read', 'device.file-system.transfer-upload'].map((permissionName) => ({
    permissionName,
    scopeKind: 'Tenant' as const,
  }))
  const [one, two] = [await addTenantAccount(owner, grants), await addTenantAccount(owner, grants)]
  const asked = [owner, ...[one, two].map(({ key }) => integrator(server.url, { 'x-api-key': key }))]
  for (const by of asked) {
    await stateOf(device, by)
  }
  await stateOf(device, await server.signIn())
  expect([new Set(keys).size, keys[3] === keys[0]]).toEqual([3, true])
})

test('a file above the limit of the server is 413', async () => {
  const { device } = await resuming()
  const path = addressOf(device, { fileSize: 1_000_001 })
  expect((await owner.fetch(path, { method: 'PUT', headers: bytes, body: 'x' })).status).toBe(413)
})

test('without the permission the agent gets no request', async () => {
  const { device, keys } = await resuming()
  const { key } = await addTenantAccount(owner, [{ permissionName: 'device.read', scopeKind: 'Tenant' }])
  await expect(stateOf(device, integrator(server.url, { 'x-api-key': key }))).rejects.toMatchObject({ status: 403 })
  expect(keys).toEqual([])
})

test('a piece ends when the right to send it does (T29)', async () => {
  let hasBegun = false
  const told: string[] = []
  const { device } = await resuming({
    DownloadFileFromViewer: async (request) => {
      hasBegun = true
      await device
        .fetch({ ...request, streamId: request.resume!.streamId })
        .catch((error: Error) => told.push(error.message))
      return success
    },
  })
  const grants = ['device.read', 'device.file-system.transfer-upload'].map((permissionName) => ({
    permissionName,
    scopeKind: 'Tenant' as const,
  }))
  const program = await addTenantAccount(owner, grants)
  const { hostname, port } = new URL(server.url)
  const headers = { ...bytes, 'content-length': 9, 'x-api-key': program.key }
  const request = httpRequest({ hostname, port, method: 'PUT', path: addressOf(device), headers })
  const status = new Promise((resolve) => {
    request.on('response', (response) => resolve(response.resume().statusCode)).on('error', () => resolve('cut'))
  })
  request.write('some')
  await until(() => hasBegun)
  await owner.tenantServiceAccounts.delete({ params: { tenantId: owner.tenantId, serviceAccountId: program.id } })
  expect(await within(5_000, status)).toBe(401)
  await until(() => told.length > 0)
  request.destroy()
})
