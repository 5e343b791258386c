import { once } from 'node:events'
import { encode } from '@msgpack/msgpack'
import { WebSocket } from 'ws'
import { simulatedReport } from '../../simulate/facts.ts'
import type { Fleet } from './fleet.ts'

const separator = '\x1e'

/** Maximum message sizes of the two hubs. */
const agentBytes = 1024 * 1024
const viewerBytes = 100_000

export interface HubCall {
  hub: 'agent' | 'viewer'
  target: string
  /** Reason why the call is hard. */
  name: string
  protocol: 'json' | 'messagepack'
  /** All bytes sent after the handshake, in a single WebSocket message. */
  message: string | Buffer
}

/** An invocation whose argument is JSON. */
const invocation = (target: string, argument: string) =>
  `{"type":1,"invocationId":"1","target":"${target}","arguments":[${argument}]}${separator}`

/** List filled with as many items as fit. */
const filling = (bytes: number, item: string) =>
  `[${`${item},`.repeat(Math.floor(bytes / (item.length + 1)) - 20)}${item}]`

/** Length-prefixed invocation of MessagePack with a list of as many values of one byte as fit. */
function packed(target: string, value: unknown): Buffer {
  const items = Array.from({ length: agentBytes - 200 }, () => value)
  const payload = Buffer.from(encode([1, {}, '1', target, [items], []]))
  // Four bytes of a varint encode up to 256 MiB.
  const prefix = [0, 7, 14, 21].map((shift, index) => ((payload.length >> shift) & 0x7f) | (index < 3 ? 0x80 : 0))
  return Buffer.concat([Buffer.from(prefix), payload])
}

/** Hard reports of a device, by the reason. */
function hardReports(fleet: Fleet): Record<string, string> {
  const device = { id: fleet.deviceIds[1], tenantId: fleet.tenantId, ...simulatedReport(1) }
  const withList = (list: string, item: string) => {
    const rest = JSON.stringify({ ...device, [list]: undefined })
    return `${rest.slice(0, -1)},"${list}":${filling(agentBytes - 5_000, item)}}`
  }
  const unknown = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`${index}`, 0]))
  return {
    'users without names': withList('currentUsers', '""'),
    users: withList('currentUsers', '"somebody"'),
    'users with umlauts': withList('currentUsers', '"ü"'),
    'empty drives': withList('drives', '{}'),
    drives: withList('drives', JSON.stringify(device.drives[0])),
    'lists in place of texts': withList('macAddresses', '[]'),
    'a long name': JSON.stringify({ ...device, name: 'n'.repeat(agentBytes - 5_000) }),
    'unknown members': JSON.stringify({ ...device, ...unknown }),
  }
}

/** Largest calls of both hubs. */
export function worstCalls(fleet: Fleet): HubCall[] {
  const call =
    (hub: HubCall['hub']) =>
    (target: string, name: string, argument: string): HubCall => ({
      hub,
      target,
      name,
      protocol: 'json',
      message: invocation(target, argument),
    })
  const [agent, viewer] = [call('agent'), call('viewer')]
  const proof = {
    timestamp: new Date().toISOString(),
    signature: Buffer.alloc(64).toString('base64'),
    publicKey: Buffer.alloc(32, 9).toString('base64'),
  }
  const signed = (dto: string) => `{"dto":${dto},${JSON.stringify(proof).slice(1)}`
  const reports = Object.entries(hardReports(fleet))
  const many = (name: string, text: string): HubCall => ({ ...agent('(unknown)', name, ''), message: text })
  const [deviceId] = fleet.deviceIds
  const ids = (count: number) => JSON.stringify(fleet.deviceIds.slice(0, count))
  const allThatFit = ids(Math.floor((viewerBytes - 200) / 39))
  const input = { deviceId, input: { terminalId: deviceId, input: 'x'.repeat(90_000) } }
  return [
    ...reports.map(([name, dto]) => agent('UpdateDeviceSigned', name, signed(dto))),
    ...reports.map(([name, dto]) => agent('UpdateDevice', name, dto)),
    agent('(unknown)', 'empty lists', filling(agentBytes - 200, '[]')),
    many('many small messages', `{"type":6}${separator}`.repeat(90_000)),
    many('many small calls', `{"type":1,"target":"X","arguments":[]}${separator}`.repeat(25_000)),
    ...[{}, [], null, ''].map((value): HubCall => ({
      hub: 'agent',
      target: 'UpdateDevice',
      name: `a million values ${JSON.stringify(value)}`,
      protocol: 'messagepack',
      message: packed('UpdateDevice', value),
    })),
    viewer('SubscribeToDeviceHeartbeats', 'a hundred devices', ids(100)),
    viewer('SubscribeToDeviceHeartbeats2', 'as many ids as fit', `{"deviceIds":${allThatFit}}`),
    viewer('UnsubscribeFromDeviceHeartbeats', 'as many ids as fit', allThatFit),
    viewer('SendTerminalInput2', 'a long input', JSON.stringify(input)),
    viewer('(unknown)', 'empty lists', filling(viewerBytes - 200, '[]')),
  ]
}

const answerMs = 3_000

/** Opens a connection; `send` calls and resolves with how the call, or the connection, ended. */
export async function openCall(url: string, call: HubCall, cookie: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hubs/${call.hub}`, {
    headers: call.hub === 'viewer' ? { cookie, origin: url } : {},
  })
  await once(socket, 'open')
  socket.on('error', () => {})
  const shaken = once(socket, 'message')
  socket.send(`{"protocol":"${call.protocol}","version":1}${separator}`)
  await shaken
  const isAnswer = (data: Buffer) => call.protocol === 'messagepack' || /"type":[37]/.test(data.toString())
  return {
    close: () => socket.terminate(),
    send: () =>
      new Promise<string>((resolve) => {
        const timer = setTimeout(() => resolve('no answer'), answerMs)
        const end = (text: string) => {
          clearTimeout(timer)
          resolve(text)
        }
        socket.on('message', (data: Buffer) => isAnswer(data) && end('answered'))
        socket.once('close', (code) => end(`closed ${code}`))
        socket.send(call.message)
      }),
  }
}
