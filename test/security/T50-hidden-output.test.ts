import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import type { TerminalOutputDto } from '../../shared/dtos/terminal.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { setRecordingPolicies } from '../support/recorded-session.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

/* Output that a viewer sees in a terminal that must be recorded is in the recording (T50). */

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(() => setRecordingPolicies(owner, { mode: 'always' }))

interface Room {
  agent: RecordingAgent
  viewer: Viewer
  at: { deviceId: string; terminalId: string }
}

async function openRoom(): Promise<Room> {
  const [agent, viewer] = [await recordingAgent(owner), await connectViewer(owner)]
  const at = { deviceId: agent.id, terminalId: randomUUID() }
  expect(await viewer.CreateTerminalSession2(at)).toMatchObject({ isSuccess: true })
  return { agent, viewer, at }
}

const print = (
  { viewer, at: { terminalId } }: Room,
  agent: RecordingAgent,
  output: string,
  part: Partial<TerminalOutputDto> = {},
) =>
  agent.SendTerminalOutputToViewer(viewer.connection.connectionId!, {
    terminalId,
    output,
    outputKind: 0,
    timestamp: new Date().toISOString(),
    ...part,
  })

const seen = ({ viewer }: Room) => viewer.outputs.map(({ output }) => output).filter((output) => output !== '')

/** Ends the terminal; returns its recorded output. */
async function recorded({ viewer, at }: Room): Promise<string[]> {
  await viewer.CloseTerminalSession2(at)
  const { id } = await until(async () => {
    const { items } = await owner.applianceRecordings.list({ query: { deviceId: at.deviceId } })
    return items[0]?.state === 'complete' ? items[0] : undefined
  })
  const reading = await owner.applianceRecordings.read({ params: { recordingId: id } })
  const answer = await owner.fetch(`/api/appliance/v1/recordings/${id}/readings/${reading.id}/asciicast`)
  const [, ...lines] = (await answer.text()).trim().split('\n')
  const events = lines.map((line) => JSON.parse(line) as [number, string, string])
  return events.flatMap(([, code, text]) => (code === 'o' ? [text] : []))
}

const attach = { input: '', isRaw: true, isAttach: true }

const askForReplay = async ({ viewer, at: { deviceId, terminalId } }: Room) =>
  expect(await viewer.SendTerminalInput2({ deviceId, input: { ...attach, terminalId } })).toMatchObject({
    isSuccess: true,
  })

test('output printed while the device was away is recorded once, also when a viewer asks for it before the device sends it', async () => {
  const room = await openRoom()
  await print(room, room.agent, 'before ')
  await room.agent.connection.stop()
  const again = await recordingAgent(owner, { agent: room.agent.agent })
  const replay = async () => {
    await askForReplay(room)
    await print(room, again, 'before ', { isReplay: true, isPast: true })
    await print(room, again, 'while away ', { isPast: true })
  }
  await replay()
  await print(room, again, 'now ')
  await replay()
  await print(room, again, 'later')
  const past = ['before ', 'while away ']
  expect(seen(room)).toEqual(['before ', ...past, 'now ', ...past, 'later'])
  expect(await recorded(room)).toEqual(['before ', ...past, 'now ', 'later'])
})

test('output printed while the server was restarted is recorded, also when the device sends it before it reports the terminal', async () => {
  const before = await openRoom()
  await print(before, before.agent, 'before ')
  await server.restart()
  const again = await recordingAgent(owner, { agent: before.agent.agent })
  const room = { ...before, viewer: await connectViewer(owner) }
  await print(room, again, 'before ', { isReplay: true, isPast: true })
  await again.SendOpenTerminals([{ terminalId: room.at.terminalId, shell: '/bin/bash' }])
  await askForReplay(room)
  await print(room, again, 'before ', { isReplay: true, isPast: true })
  await print(room, again, 'while away ', { isPast: true })
  expect(seen(room)).toEqual(['before ', 'while away '])
  expect(await recorded(room)).toEqual(['before ', 'while away '])
})

/** Connects a viewer of a terminal that reads nothing afterwards. */
async function connectDeafViewer({ deviceId, terminalId }: Room['at']): Promise<void> {
  const negotiated = await owner.fetch('/hubs/viewer/negotiate?negotiateVersion=1', { method: 'POST' })
  const { connectionToken } = (await negotiated.json()) as Record<string, string>
  const address = `${owner.url.replace('http', 'ws')}/hubs/viewer?id=${connectionToken}`
  const socket = new WebSocket(address, { headers: owner.headers })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const send = async (message: object) => {
    socket.send(`${JSON.stringify(message)}\x1e`)
    await once(socket, 'message')
  }
  await send({ protocol: 'json', version: 1 })
  const call = { deviceId, input: { ...attach, terminalId } }
  await send({ type: 1, invocationId: '1', target: 'SendTerminalInput2', arguments: [call] })
  socket.pause()
}

test('output that one viewer has seen is recorded when the terminal is closed while another viewer does not read', async () => {
  const room = await openRoom()
  const { agent, viewer, at } = room
  await connectDeafViewer(at)
  let answered = 0
  // Each waits for the answer of the server, as agents do.
  const printing = (async () => {
    for (let count = 0; count < 30; count++) {
      await print(room, agent, `${count} ${'x'.repeat(400_000)}`)
      answered++
    }
  })()
  printing.catch(() => {})
  await until(async () => {
    const before = seen(room).length
    await viewer.GetActiveDesktopSessions2({ deviceId: at.deviceId })
    return answered < before && seen(room).length === before
  })
  const shown = seen(room).map((output) => output.slice(0, 10))
  expect((await recorded(room)).map((output) => output.slice(0, 10))).toEqual(shown)
})
