import { once } from 'node:events'
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

const invocation = (target: string, ...args: unknown[]) =>
  JSON.stringify({ type: 1, invocationId: '1', target, arguments: args }) + separator

/** List filled with as many items as fit. */
const filling = (bytes: number, item: string) =>
  `[${`${item},`.repeat(Math.floor(bytes / (item.length + 1)) - 20)}${item}]`

const json = (hub: HubCall['hub'], target: string, name: string, message: string): HubCall => ({
  hub,
  target,
  name,
  protocol: 'json',
  message,
})

/** Length-prefixed frame; four bytes of varint encode up to 256 MiB. */
function frame(payload: Buffer): Buffer {
  const prefix = [0, 7, 14, 21].map((shift, index) => ((payload.length >> shift) & 0x7f) | (index < 3 ? 0x80 : 0))
  return Buffer.concat([Buffer.from(prefix), payload])
}

/** Invocation with a list of as many one-byte values as fit as its argument. */
function packed(target: string, bytes: number, value: number): Buffer {
  const head = Buffer.concat([
    Buffer.from([0x96, 1, 0x80, 0xa1, 0x31, 0xa0 | target.length]),
    Buffer.from(target),
    Buffer.from([0x91, 0xdd]),
  ])
  const count = Buffer.alloc(4)
  const items = Buffer.alloc(bytes - head.length - 20, value)
  count.writeUInt32BE(items.length)
  return frame(Buffer.concat([head, count, items, Buffer.from([0x90])]))
}

/** Largest calls of both hubs. */
export function worstCalls(fleet: Fleet): HubCall[] {
  const device = { id: fleet.deviceIds[1], tenantId: fleet.tenantId, ...simulatedReport(1) }
  const signature = Buffer.alloc(64).toString('base64')
  const publicKey = Buffer.alloc(32, 9).toString('base64')
  const reported = (list: string, item: string) => {
    const rest = JSON.stringify({ ...device, [list]: undefined })
    return `${rest.slice(0, -1)},"${list}":${filling(agentBytes - 5_000, item)}}`
  }
  const updates = [
    ['users without names', reported('currentUsers', '""')],
    ['users', reported('currentUsers', '"somebody"')],
    ['users with umlauts', reported('currentUsers', '"ü"')],
    ['empty drives', reported('drives', '{}')],
    ['drives', reported('drives', JSON.stringify(device.drives[0]))],
    ['lists in place of texts', reported('macAddresses', '[]')],
    ['a long name', JSON.stringify({ ...device, name: 'n'.repeat(agentBytes - 5_000) })],
    [
      'unknown members',
      `${JSON.stringify(device).slice(0, -1)},${Array.from({ length: 90_000 }, (_, i) => `"${i}":0`).join()}}`,
    ],
  ] as const
  const signed = (dto: string) =>
    `{"type":1,"invocationId":"1","target":"UpdateDeviceSigned","arguments":[{"dto":${dto},` +
    `"timestamp":"${new Date().toISOString()}","signature":"${signature}","publicKey":"${publicKey}"}]}${separator}`
  const ids = (count: number) => fleet.deviceIds.slice(0, count)
  const followed = ids(Math.floor((viewerBytes - 200) / 39))
  return [
    ...updates.map(([name, dto]) => json('agent', 'UpdateDeviceSigned', name, signed(dto))),
    ...updates.map(([name, dto]) =>
      json(
        'agent',
        'UpdateDevice',
        name,
        `{"type":1,"invocationId":"1","target":"UpdateDevice","arguments":[${dto}]}${separator}`,
      ),
    ),
    json(
      'agent',
      '(unknown)',
      'empty lists',
      `{"type":1,"invocationId":"1","target":"X","arguments":${filling(agentBytes - 200, '[]')}}${separator}`,
    ),
    json('agent', '(unknown)', 'many small messages', `{"type":6}${separator}`.repeat(90_000)),
    json('agent', '(unknown)', 'many small calls', '{"type":1,"target":"X","arguments":[]}\x1e'.repeat(25_000)),
    ...[0x80, 0x90, 0xc0, 0xa0].map((value): HubCall => ({
      hub: 'agent',
      target: 'UpdateDevice',
      name: `a million values 0x${value.toString(16)}`,
      protocol: 'messagepack',
      message: packed('UpdateDevice', agentBytes, value),
    })),
    json(
      'viewer',
      'SubscribeToDeviceHeartbeats',
      'a hundred devices',
      invocation('SubscribeToDeviceHeartbeats', ids(100)),
    ),
    json(
      'viewer',
      'SubscribeToDeviceHeartbeats2',
      'as many ids as fit',
      invocation('SubscribeToDeviceHeartbeats2', { deviceIds: followed }),
    ),
    json(
      'viewer',
      'UnsubscribeFromDeviceHeartbeats',
      'as many ids as fit',
      invocation('UnsubscribeFromDeviceHeartbeats', followed),
    ),
    json(
      'viewer',
      'SendTerminalInput2',
      'a long input',
      invocation('SendTerminalInput2', {
        deviceId: fleet.deviceIds[0],
        input: { terminalId: fleet.deviceIds[0], input: 'x'.repeat(90_000) },
      }),
    ),
    json(
      'viewer',
      '(unknown)',
      'empty lists',
      `{"type":1,"invocationId":"1","target":"X","arguments":${filling(viewerBytes - 200, '[]')}}${separator}`,
    ),
  ]
}

const answerMs = 3_000

/** Opens a connection; `send` calls and resolves with the answer, or with how the connection ended. */
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
          resolve(text.slice(0, 100))
        }
        socket.on('message', (data: Buffer) => isAnswer(data) && end(data.toString()))
        socket.once('close', (code) => end(`closed ${code}`))
        socket.send(call.message)
      }),
  }
}
