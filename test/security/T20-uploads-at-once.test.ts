import { randomUUID } from 'node:crypto'
import { request as httpRequest, type ClientRequest } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { connectFileAgent } from '../support/file-agent.ts'
import { addTenantAccount } from '../support/people.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)
const open: ClientRequest[] = []
afterAll(() => open.forEach((request) => request.destroy()))

test('T20: uploads of an account by HTTP beyond 32 at once are rejected', async () => {
  let begun = 0
  const device = await connectFileAgent(owner, {
    ValidateFilePath: () => ({ isValid: true, upload: { receivedBytes: 0 } }),
    DownloadFileFromViewer: async () => {
      begun++
      return new Promise(() => {})
    },
  })
  const { key } = await addTenantAccount(
    owner,
    ['device.read', 'device.file-system.transfer-upload'].map((permissionName) => ({
      permissionName,
      scopeKind: 'Tenant' as const,
    })),
  )
  const statuses: number[] = []
  const { hostname, port } = new URL(server.url)
  for (let i = 0; i < 50; i++) {
    const query = new URLSearchParams({ targetDirectory: '/in', fileName: `${i}.bin`, fileSize: '1000' })
    const path = `/api/appliance/v1/devices/${device.id}/uploads/${randomUUID()}?${query.toString()}`
    const headers = { 'content-type': 'application/octet-stream', 'content-length': 1000, 'x-api-key': key }
    const request = httpRequest({ hostname, port, method: 'PUT', path, headers }, (response) => {
      statuses.push(response.statusCode!)
      response.resume()
    })
    request.on('error', () => {})
    request.write('begin')
    open.push(request)
  }
  await until(() => begun + statuses.length === 50)
  expect(begun).toBe(32)
  expect(new Set(statuses)).toEqual(new Set([429]))
})
