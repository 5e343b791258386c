import { Subject } from '@microsoft/signalr'
import { expect, test } from 'vitest'
import { failure, type HubResult } from '../../shared/dtos/hub-result.ts'
import { base64, connectFileAgent, type FileAgent } from '../support/file-agent.ts'
import { atTenant } from '../support/grants.ts'
import { addTenantAccount } from '../support/people.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { programCaller, startSession } from '../support/session.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const rights = ['device.file-system.transfer-upload', 'device.remote-control.connect'] as const

async function takeAway(serviceAccountId: string, permission: (typeof rights)[number]) {
  const { tenantId } = owner
  const query = { principalKind: 'ServiceAccount', principalId: serviceAccountId } as const
  const { items } = await owner.permissionAssignments.list({ tenantId, query })
  const { id } = items.find(({ permissionName }) => permissionName === permission)!
  await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: id } })
}

/** Starts an upload over the hub that the device fetches and that does not end by itself. */
async function runningUpload() {
  const program = await addTenantAccount(owner, rights.map(atTenant))
  const { viewer } = await programCaller(server, { 'x-api-key': program.key })
  const heard: string[] = []
  let isFetching = false
  const device: FileAgent = await connectFileAgent(owner, {
    DownloadFileFromViewer: async (request) => {
      isFetching = true
      await device.fetch(request).catch((error: Error) => heard.push(error.message))
      return failure('File upload was canceled by client.')
    },
  })
  const items = new Subject<string>()
  const metadata = {
    deviceId: device.id,
    targetDirectory: '/in',
    fileName: 'a',
    fileSize: 1_000_000,
    contentType: '',
    overwrite: false,
  }
  const answer = viewer.connection.invoke<HubResult>('UploadFile', metadata, items)
  answer.catch(() => {})
  items.next(base64(Buffer.alloc(30_000)))
  await until(() => isFetching)
  return { program, viewer, answer, heard }
}

const sessions = async () => (await owner.applianceRemoteSessions.list({})).items.map(({ kind }) => kind)

test('an upload over the hub ends when its right is removed, with an error for the device and the viewer', async () => {
  const { program, answer, heard } = await runningUpload()
  expect(await sessions()).toEqual(['upload'])
  await takeAway(program.id, 'device.file-system.transfer-upload')
  expect(await answer).toEqual(failure('Forbidden.'))
  await until(() => heard.length === 1)
  expect(heard[0]).toContain('Stream canceled by client.')
  expect(await sessions()).toEqual([])
})

test('an upload over the hub ends with the credential of its viewer', async () => {
  const { program, viewer, heard } = await runningUpload()
  const { tenantId } = owner
  await owner.tenantServiceAccounts.revokeCredential({
    params: { tenantId, serviceAccountId: program.id, credentialId: program.credentialId },
  })
  await viewer.closed
  await until(() => heard.length === 1)
  expect(await sessions()).toEqual([])
})

test('an upload that a user ended reports that user', async () => {
  const { answer } = await runningUpload()
  const { items } = await owner.applianceRemoteSessions.list({})
  await owner.applianceRemoteSessions.end({ params: { sessionId: items[0]!.id }, body: { reason: 'Too large.' } })
  expect(await answer).toEqual(failure(`${owner.user.userName} ended the session: Too large.`))
})

test('a relay ends with its right, also while nothing is sent', async () => {
  const program = await addTenantAccount(owner, rights.map(atTenant))
  const agent = await recordingAgent(owner)
  const caller = await programCaller(server, { 'x-api-key': program.key })
  const { viewerEnd, deviceEnd } = await startSession(caller, agent)
  await takeAway(program.id, 'device.file-system.transfer-upload')
  viewerEnd.socket.send('still here')
  await until(() => deviceEnd.messages.length === 1)
  await takeAway(program.id, 'device.remote-control.connect')
  await Promise.all([viewerEnd.closed, deviceEnd.closed])
  expect(await sessions()).toEqual([])
})
