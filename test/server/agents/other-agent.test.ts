import { randomUUID } from 'node:crypto'
import { Subject } from '@microsoft/signalr'
import { beforeEach, expect, test } from 'vitest'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import { failure, success, successOf } from '../../../shared/dtos/hub-result.ts'
import { base64, pieces } from '../../support/file-agent.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { OtherAgent } from '../../support/other-agent.ts'
import { desktop } from '../../support/recording-agent.ts'
import { joinRelay } from '../../support/relay.ts'
import { callerOf, requestSession, sessionKinds } from '../../support/session.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let agent: OtherAgent
beforeEach(async () => {
  agent = await OtherAgent.connect(owner)
})

const files = '/api/v1/device-file-system'
const inTenant = () => `tenantId=${owner.tenantId}`

test('a terminal of lines: banner and prompt come before the answer, output after it', async () => {
  const viewer = await connectViewer(owner)
  const terminalId = randomUUID()
  expect(await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })).toEqual(success)
  const texts = () => viewer.outputs.map(({ output }) => output)
  expect(texts()).toEqual(['PowerShell 7.5\n', 'PS /> '])
  await viewer.SendTerminalInput2({ deviceId: agent.id, input: { terminalId, input: 'dir' } })
  await until(() => texts().length === 4)
  expect(texts().slice(2)).toEqual(['ran dir\n', 'PS /> '])
  expect(await viewer.CloseTerminalSession2({ deviceId: agent.id, terminalId })).toEqual(success)
  const unopened = randomUUID()
  await viewer.SendTerminalInput2({ deviceId: agent.id, input: { terminalId: unopened, input: 'dir' } })
  await until(() => texts().length === 8)
})

test('void calls run one at a time, also a call that calls the server', async () => {
  const viewer = await connectViewer(owner)
  await viewer.RefreshDeviceInfo2({ deviceId: agent.id })
  await viewer.SendPowerStateChange2({ deviceId: agent.id, changeType: 1 })
  await viewer.CloseTerminalSession2({ deviceId: agent.id, terminalId: randomUUID() })
  await until(() => agent.done.length === 3)
  expect(agent.done).toEqual(['RefreshDeviceInfo', 'ReceivePowerStateChange', 'CloseTerminalSession'])
})

test.each(sessionKinds)('a session of %s is joined, whichever end connects first', async (kind) => {
  const caller = await callerOf(owner)
  const ticket = makeTicket(server.url)
  expect(await caller.viewer.GetActiveDesktopSessions2({ deviceId: agent.id })).toEqual(
    successOf({ sessions: [desktop(1)] }),
  )
  expect(await requestSession(caller, agent.id, ticket, kind)).toEqual(success)
  const viewerEnd = await joinRelay(ticket.requester, caller.headers)
  viewerEnd.socket.send('hello')
  await until(() => agent.relayed.length === 1 && viewerEnd.messages.length === 1)
  expect(viewerEnd.messages[0]!.toString()).toBe(`hello from ${ticket.sessionId}`)
  agent.relays.get(ticket.sessionId)!.close()
  expect(await viewerEnd.closed).toEqual([1000, 'Session ended.'])
})

test('a chat has answers that the viewer confirms, and reports a closed window', async () => {
  const viewer = await connectViewer(owner)
  const chat = { deviceId: agent.id, sessionId: randomUUID(), message: 'hi', timestamp: '2026-01-02T03:04:05Z' }
  expect(await viewer.SendChatMessage2({ ...chat, targetProcessId: 4711 })).toEqual(success)
  expect(await agent.reply(chat.sessionId, 'yes?', viewer.connection.connectionId!)).toBe(true)
  expect(viewer.chats.map(({ message, senderUsername }) => [message, senderUsername])).toEqual([['yes?', 'person']])
  expect(await viewer.CloseChatSession2({ ...chat, targetProcessId: 4711 })).toEqual(success)
  expect(await viewer.SendChatMessage2({ ...chat, sessionId: randomUUID(), targetProcessId: 1 })).toEqual(
    failure('IPC server not found for target process.'),
  )
})

test('an upload is answered only when it is written', async () => {
  const viewer = await connectViewer(owner)
  const content = Buffer.alloc(100_000, 'x')
  const items = new Subject<string>()
  const metadata = { deviceId: agent.id, targetDirectory: '/in', fileName: 'a.txt', fileSize: content.length }
  const answer = viewer.connection.invoke('UploadFile', metadata, items)
  for (const piece of pieces(content)) {
    items.next(piece)
  }
  items.complete()
  expect(await answer).toEqual(success)
  expect(agent.written.get('a.txt')!.equals(content)).toBe(true)
  const form = new FormData()
  form.append('targetSaveDirectory', '/in')
  form.append('file', new Blob(['over HTTP']), 'b.txt')
  const response = await owner.fetch(`${files}/upload/${agent.id}?${inTenant()}`, { method: 'POST', body: form })
  expect(response.status).toBe(200)
  expect(base64(agent.written.get('b.txt')!)).toBe(base64('over HTTP'))
})

test('a download arrives when its stream comes after the answer, a listing and a preview when it comes before', async () => {
  const download = await owner.fetch(`${files}/download/${agent.id}?filePath=/a&${inTenant()}`)
  expect(Buffer.from(await download.arrayBuffer()).equals(agent.file)).toBe(true)
  const preview = await owner.fetch(`/api/v1/desktop-preview/${agent.id}/4711?${inTenant()}`)
  expect(Buffer.from(await preview.arrayBuffer()).equals(agent.file)).toBe(true)
  const { entries } = await owner.deviceFileSystem.contents({
    body: { deviceId: agent.id, directoryPath: '/srv' },
    tenantId: owner.tenantId,
  })
  expect(entries).toHaveLength(101)
  expect(entries.at(-1)).toMatchObject({ name: 'folder', isDirectory: true })
})

test('its rejections are forwarded; unknown methods and errors become a missing answer', async () => {
  const viewer = await connectViewer(owner)
  const { id: deviceId } = agent
  expect(await viewer.InvokeCtrlAltDel2({ deviceId, targetDesktopProcessId: 1 })).toEqual(
    failure('Ctrl+Alt+Del invocation is only supported on Windows.'),
  )
  const silent = failure('Agent did not respond.')
  expect(await viewer.TestVncConnection2({ deviceId, port: 5900 })).toEqual(silent)
  expect(await viewer.RequestRemoteControlPermission2({ deviceId, targetProcessId: 1 })).toEqual(silent)
})

test('an agent that disconnects without a close is offline for every call', async () => {
  const viewer = await connectViewer(owner)
  agent.leave()
  await until(async () => !(await owner.devices.get({ params: { deviceId: agent.id } })).isOnline)
  expect(await viewer.TestVncConnection2({ deviceId: agent.id, port: 5900 })).toEqual(
    failure('Device is not currently connected.'),
  )
})
