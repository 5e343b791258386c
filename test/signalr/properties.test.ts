import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonProtocol } from '../../server/engines/signalr/protocol/json.ts'
import { messagePackProtocol } from '../../server/engines/signalr/protocol/messagepack.ts'
import type { HubProtocol, Message } from '../../server/engines/signalr/protocol/messages.ts'
import { ReceiveBuffer } from '../../server/engines/signalr/protocol/receive-buffer.ts'
import { createWire, settle, type Cut } from '../support/wire.ts'
import { anyCharacter } from '../support/any-character.ts'
import { runs } from '../support/night.ts'

/** Values both protocols carry unchanged. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.string({ unit: anyCharacter }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 5, noNullPrototype: true },
    ),
  ),
}))

const id = fc.string({ minLength: 1 })
const args = fc.array(value, { maxLength: 4 })
const streamIds = fc.array(id, { maxLength: 3 })
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    type: fc.constant(1 as const),
    invocationId: fc.option(id, { nil: undefined }),
    target: id,
    args,
    streamIds,
  }),
  fc.record({ type: fc.constant(4 as const), invocationId: id, target: id, args, streamIds }),
  fc.record({ type: fc.constant(2 as const), invocationId: id, item: value }),
  fc
    .tuple(
      id,
      fc.oneof(fc.constant({}), fc.record({ error: id }), fc.record({ hasResult: fc.constant(true), result: value })),
    )
    .map(([invocationId, outcome]) => ({
      type: 3 as const,
      invocationId,
      error: undefined,
      hasResult: false,
      result: undefined,
      ...outcome,
    })),
  fc.record({ type: fc.constant(5 as const), invocationId: id }),
  fc.constant({ type: 6 as const }),
  fc.record({
    type: fc.constant(7 as const),
    error: fc.option(fc.string(), { nil: undefined }),
    allowReconnect: fc.boolean(),
  }),
  fc.record({ type: fc.constantFrom(8 as const, 9 as const), sequenceId: fc.nat() }),
)

/** Cuts bytes at the places `cuts` say, in order. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
}

const protocols: [string, HubProtocol][] = [
  ['json', jsonProtocol],
  ['messagepack', messagePackProtocol],
]

test.each(protocols)('%s: any written message is read again, however it is split into chunks', (_name, protocol) => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 20 }), (messages, cuts) => {
      const bytes = Buffer.concat(messages.map((each) => Buffer.from(protocol.write(each) as Uint8Array)))
      const input = new ReceiveBuffer()
      const read: Message[] = []
      for (const piece of pieces(bytes, cuts)) {
        input.append(piece)
        for (let next = protocol.read(input, Infinity); next; next = protocol.read(input, Infinity)) {
          read.push(next)
        }
      }
      expect(read).toEqual(messages)
      expect(input.length).toBe(0)
    }),
    { numRuns: runs(300) },
  )
})

test.each(protocols)(
  '%s: random bytes are refused with InvalidDataException or taken as incomplete',
  (_name, protocol) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const input = new ReceiveBuffer()
        input.append(Buffer.from(bytes))
        try {
          while (protocol.read(input, 32_768)) {}
        } catch (error) {
          expect(error).toHaveProperty('name', 'InvalidDataException')
        }
      }),
      { numRuns: runs(2_000) },
    )
  },
)

test('messagepack: a message with one changed byte is rejected with InvalidDataException or decoded as another message', () => {
  fc.assert(
    fc.property(message, fc.nat(), fc.integer({ min: 0, max: 255 }), (original, at, byte) => {
      const bytes = Buffer.from(messagePackProtocol.write(original) as Uint8Array)
      bytes[at % bytes.length] = byte
      const input = new ReceiveBuffer()
      input.append(bytes)
      try {
        messagePackProtocol.read(input, 32_768)
      } catch (error) {
        expect(error).toHaveProperty('name', 'InvalidDataException')
      }
    }),
    { numRuns: runs(2_000) },
  )
})

const targets = fc.constantFrom(
  'Echo',
  'echolater',
  'Void',
  'Fail',
  'Crash',
  'Sum',
  'SumTwo',
  'Double',
  'CountTo',
  'Silence',
  'AskMe',
  'Abort',
  'x',
)
const fewIds = fc.constantFrom('1', '2', 's1', 's2', 's3')
const hostile = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constantFrom(1, 4),
      invocationId: fewIds,
      target: targets,
      arguments: fc.array(value, { maxLength: 2 }),
      streamIds: fc.array(fewIds, { maxLength: 2 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant(2), invocationId: fewIds, item: value }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom(3, 5), invocationId: fewIds }) },
  { weight: 2, arbitrary: fc.constantFrom({ type: 6 }, { type: 99 }, { type: 3, invocationId: '1', error: 'e' }) },
  { weight: 1, arbitrary: fc.constantFrom({ type: 7 }, { type: 'x' }, {}) },
)

test('whatever a client sends and whenever it disconnects, callbacks pair, nothing leaks and other clients are served', async () => {
  const rejections: unknown[] = []
  const note = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', note)
  await fc.assert(
    fc.asyncProperty(
      fc.array(hostile, { maxLength: 15 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      fc.boolean(),
      async (messages, cuts, isClean) => {
        const wire = createWire()
        const cut: Cut = (bytes) => pieces(bytes, cuts)
        const [client, bystander] = [await wire.connect({ cut }), await wire.connect()]
        client.sendJson(...messages)
        await settle()
        client.leave(isClean)
        bystander.invoke('1', 'Echo', 'alive')
        const answers = await bystander.answers()
        bystander.leave()
        await settle()
        expect(answers).toContain('{"type":3,"invocationId":"1","result":"alive"}')
        const ends = wire.hub.events.filter((event) => event.startsWith('disconnected'))
        expect([ends.length, wire.engine.clients.connections.count, wire.clock.pending]).toEqual([2, 0, 0])
      },
    ),
    { numRuns: runs(300) },
  )
  process.off('unhandledRejection', note)
  expect(rejections).toEqual([])
})
