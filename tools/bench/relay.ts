import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  finalBit,
  maskBit,
  maskBytes,
  maxHeadBytes,
  opcodes,
  writeHead,
} from '../../server/engines/flow/websocket/frames.ts'
import { applianceRecordings } from '../../shared/api/appliance-recordings.ts'
import { createClient } from '../../shared/contract/client.ts'
import type { RecordingPolicyDto } from '../../shared/dtos/recording.ts'
import { encodeFrame } from '../../shared/remote-control/codec.ts'
import { registerFleet, signIn } from '../simulate/fleet.ts'
import { makeTicket, type RelayTicket } from '../simulate/relay-ticket.ts'
import { startBare, startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { costOf, percentiles, timesOf, type Figures, type Round } from './measure.ts'

const roundTripCount = 3_000
const slices = 5
/** The server closes a connection without any message after 30 s. */
const pingMs = 10_000
const bytesPerWrite = 1_048_576

/** Both ends of a session. */
type Pair = [requester: Socket, responder: Socket]

/** A relay, and how to join a pair of sockets there. */
interface Relay {
  server: ServerProcess
  join: () => Promise<Pair>
}

/** Opens a WebSocket and returns its socket: a library would cost as much as the measured relay. */
async function upgrade(address: string, headers: Record<string, string> = {}): Promise<Socket> {
  const sent = request(address.replace('ws', 'http'), {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      ...headers,
    },
  })
  const [, socket] = (await once(sent.end(), 'upgrade')) as [unknown, Socket]
  return socket.setNoDelay()
}

const connectPair = ({ requester, responder }: RelayTicket, headers: Record<string, string> = {}): Promise<Pair> =>
  Promise.all([upgrade(requester, headers), upgrade(responder)])

/** Binary message of a device with a part of its picture, masked with zeros. */
function frameOf(pictureBytes: number): Buffer {
  const encodedImage = randomBytes(pictureBytes)
  const region = { x: 0, y: 0, width: 640, height: 360, encodedImage, imageFormat: 0 } as const
  const message = encodeFrame({ regions: [region] }, 0n)
  const head = Buffer.alloc(maxHeadBytes + maskBytes)
  const end = writeHead(head, 0, finalBit | opcodes.binary, message.length, maskBit) + maskBytes
  return Buffer.concat([head.subarray(0, end), message])
}

/** Writes frames with back-pressure for some seconds. */
const throughput = (frameBytes: number, forSeconds: number) => {
  const load = Buffer.concat(Array.from({ length: bytesPerWrite / frameBytes }, () => frameOf(frameBytes)))
  return async ({ server, join }: Relay): Promise<Figures> => {
    const [requester, responder] = await join()
    let [received, isOver] = [0, false]
    requester.on('data', (chunk: Buffer) => (received += isOver ? 0 : chunk.length))
    const send = () => {
      while (!isOver && responder.write(load)) {
        // Writes until back-pressure.
      }
    }
    responder.on('drain', send)
    const { seconds, cpu } = await costOf({ server }, async () => {
      send()
      await sleep(forSeconds * 1000)
      isOver = true
    })
    requester.destroy()
    responder.destroy()
    return { mbPerSecond: received / 1e6 / seconds, cpuSecondsPerGb: cpu.server / (received / 1e9) }
  }
}

const small = frameOf(1024)

/** Calls `onMessage` for each complete small message, which the server sends without a mask. */
function onSmall(socket: Socket, onMessage: () => void) {
  let missing = small.length - maskBytes
  socket.on('data', (chunk) => {
    missing -= chunk.length
    if (missing === 0) {
      missing = small.length - maskBytes
      onMessage()
    }
  })
}

async function roundTrips({ join }: Relay): Promise<Figures> {
  const [requester, responder] = await join()
  let arrived = () => {}
  onSmall(responder, () => responder.write(small))
  onSmall(requester, () => arrived())
  const exchange = () =>
    new Promise<void>((resolve) => {
      arrived = resolve
      requester.write(small)
    })
  const times = await timesOf(exchange, (count) => count < roundTripCount)
  requester.destroy()
  responder.destroy()
  return percentiles(times)
}

/** Relays between a device that accepts every session, and a viewer that requests sessions. */
export async function relay(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  await using server = await startServer(folder.path)
  await using bareServer = await startBare('relay')
  const { agents, cookie } = await registerFleet(server.url, 1)
  const agent = agents[0]!
  agent.onSession = () => {}
  await agent.connect(server.url)
  const pings = setInterval(() => agent.ping(), pingMs)
  const { connection, viewer } = await connectViewer(server.url, cookie)
  const join = async () => {
    const ticket = makeTicket(server.url)
    const { sessionId, responder: websocketUri } = ticket
    const session = { sessionId, websocketUri, deviceId: agent.id, targetProcessId: 1 }
    const { isSuccess, reason } = await viewer.RequestRemoteControlSession2(session)
    if (!isSuccess) {
      throw new Error(reason ?? 'The session was refused.')
    }
    return connectPair(ticket, { cookie, origin: server.url })
  }
  const { tenantId, fetch } = await signIn(server.url)
  const recordings = createClient(applianceRecordings, { baseUrl: server.url, fetch })
  const unrecorded = { customerId: null, tagId: null, mode: 'off', retentionDays: null, quotaMegabytes: null } as const
  const setPolicies = (policies: RecordingPolicyDto[]) =>
    recordings.replacePolicies({ tenantId, body: { items: policies } })
  const bare: Relay = { server: bareServer, join: () => connectPair(makeTicket(bareServer.url)) }
  const seconds = round.number('seconds', 2)
  const both = [{ server, join }, bare] as const
  for (const [policies, kept] of [
    [[unrecorded], ''],
    [[], ', last minutes kept'],
  ] as const) {
    await setPolicies([...policies])
    await round.measure(`relay, 64 KiB${kept}`, both, throughput(65_536, seconds), slices)
    await round.measure(`relay, 4 KiB${kept}`, both, throughput(4096, seconds), slices)
    await round.measure(`relay, round trip of 1 KiB${kept}`, both, roundTrips, slices)
  }
  clearInterval(pings)
  await connection.stop()
  agent.close()
}
