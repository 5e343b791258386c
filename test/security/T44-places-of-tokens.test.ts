import { Subject } from '@microsoft/signalr'
import { expect, onTestFinished, test } from 'vitest'
import { followFileType, runFileOperationType } from '../../shared/dtos/file-messages.ts'
import { successOf } from '../../shared/dtos/hub-result.ts'
import { base64 } from '../support/file-agent.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

interface Told {
  dtoType: string
  payload: string
}

const permissions = [
  'device.read',
  'device.file-system.read',
  'device.file-system.transfer-download',
  'device.file-system.transfer-upload',
] as const

/** Program with a restricted token of the owner. */
async function programWithToken() {
  const { tenantId } = owner
  const scopes = permissions.map((permissionName) => ({ permissionName, scopeKind: 'Tenant' as const }))
  const body = { name: 'limited', permissionMode: 'Restricted' as const, scopes }
  const { plainTextToken } = await owner.personalAccessTokens.create({ tenantId, body })
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  return (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, {
      ...init,
      signal: stop.signal,
      headers: { ...(init.headers as Record<string, string>), 'x-personal-token': plainTextToken },
    })
}

test('T44: an account follows as many files of a device with many tokens as with one', async () => {
  const agent = await recordingAgent(owner)
  agent.answers['ReceiveDto'] = ({ dtoType, payload }: Told) => {
    if (dtoType === followFileType) {
      const { streamId } = JSON.parse(Buffer.from(payload, 'base64').toString()) as { streamId: string }
      const items = new Subject<string>()
      agent.connection.send('SendFileContentStream', streamId, items).catch(() => {})
      items.next(base64('{}\n'))
      return successOf({})
    }
    return null
  }
  const follow = `/api/appliance/v1/devices/${agent.id}/files/follow?path=/a&lines=10`
  const [first, second] = [await programWithToken(), await programWithToken()]
  for (let followed = 0; followed < 10; followed++) {
    expect((await first(follow)).status).toBe(200)
  }
  expect((await second(follow)).status).toBe(429)
})

test('T44: an agent is told of one owner for the copies of all tokens of an account', async () => {
  const agent = await recordingAgent(owner)
  const owners: string[] = []
  agent.answers['ReceiveDto'] = ({ dtoType, payload }: Told) => {
    if (dtoType === runFileOperationType) {
      owners.push((JSON.parse(Buffer.from(payload, 'base64').toString()) as { ownerKey: string }).ownerKey)
    }
    return null
  }
  for (const program of [await programWithToken(), await programWithToken()]) {
    const path = `/api/appliance/v1/devices/${agent.id}/files/operations/${crypto.randomUUID()}`
    const body = JSON.stringify({ kind: 'copy', targetDirectory: '/b', items: [{ path: '/a', name: 'a' }] })
    const response = await program(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    await response.text()
  }
  expect([owners.length, new Set(owners).size]).toEqual([2, 1])
})
