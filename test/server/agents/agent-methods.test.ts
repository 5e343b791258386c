import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { failure } from '../../../shared/dtos/hub-result.ts'
import { agentHub } from '../../../shared/hubs/agent-hub.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let agent: RecordingAgent
beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
})

const timestamp = '2026-01-02T03:04:05Z'
const streamId = randomUUID()
const terminalId = randomUUID()

/** Stream of a single item, as sent by the official client. */
const stream = (item: unknown) => ({
  subscribe(subscriber: { next(value: unknown): void; complete(): void }) {
    subscriber.next(item)
    subscriber.complete()
    return { dispose: () => {} }
  },
})

interface Row {
  args: unknown[]
  /** Answer to an unrequested message of an agent. */
  answer: unknown
}

const rows: Record<string, Row> = {
  SendChatResponse: {
    args: [{ sessionId: randomUUID(), desktopSessionProcessId: 1, message: 'x', timestamp, viewerConnectionId: 'x' }],
    answer: false,
  },
  SendTerminalOutputToViewer: {
    args: ['nobody', { terminalId, output: 'x', outputKind: 0, timestamp }],
    answer: null,
  },
  SendDesktopPreviewStream: { args: [streamId, stream('AAEC')], answer: null },
  SendDirectoryContentsStream: { args: [streamId, true, stream([])], answer: null },
  SendFileContentStream: { args: [streamId, stream('AAEC')], answer: failure('Nobody takes this stream.') },
  ConfirmPowerOrder: { args: [randomUUID()], answer: failure('It was canceled.') },
  SendConsentAnswers: { args: [{ standing: [], alwaysAsk: [] }], answer: null },
  SendPowerState: { args: [{ variants: [], order: null, ended: null }], answer: null },
  SendSessionHeard: { args: [randomUUID()], answer: null },
  SendStopNotice: { args: ['Stopped'], answer: null },
  SendOpenTerminals: { args: [[]], answer: null },
  SendSubdirectoriesStream: { args: [streamId, stream([])], answer: null },
  SendUpdateRefusal: { args: ['Unsigned.'], answer: null },
  SendWrongIdentity: { args: [{ agoMs: 1, address: 'x', expected: 'x', seen: 'x' }], answer: null },
}

test('the table names every method except updates and streams, which have separate tests', () => {
  const elsewhere = ['UpdateDevice', 'UpdateDeviceSigned', 'GetFileStreamFromViewer']
  expect([...Object.keys(rows), ...elsewhere].toSorted()).toEqual(Object.keys(agentHub.methods).toSorted())
})

describe.each(Object.entries(rows))('%s', (method, { args, answer }) => {
  test('is rejected on a connection without a proved device', async () => {
    const { connection } = await agent.agent.open(server.url)
    await expect(connection.invoke(method, ...args)).rejects.toThrow('because user is unauthorized')
  })

  test('is dropped when it names a request of another device', async () => {
    expect(await agent.connection.invoke(method, ...args)).toEqual(answer)
  })

  test('with too few arguments fails the call, and the connection remains open', async () => {
    await expect(agent.connection.invoke(method)).rejects.toThrow(`'${method}'`)
    expect((await agent.UpdateDeviceSigned(agent.agent.signed(agent.agent.report()))).isSuccess).toBe(true)
  })
})

test('a stream for a viewer that was not offered to this device fails', async () => {
  const fetch = (connection: typeof agent.connection) =>
    new Promise((resolve, reject) => {
      const request = { streamId, targetDirectoryPath: '/', fileName: 'a', fileSize: 1, overwrite: false }
      connection
        .stream('GetFileStreamFromViewer', request)
        .subscribe({ next: resolve, complete: () => resolve(null), error: reject })
    })
  await expect(fetch(agent.connection)).rejects.toThrow('Stream not found.')
  const { connection } = await agent.agent.open(server.url)
  await expect(fetch(connection)).rejects.toThrow('unauthorized')
})
