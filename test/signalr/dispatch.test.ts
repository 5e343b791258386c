import { describe, expect, test } from 'vitest'
import { OperationCanceledException } from '../../server/engines/signalr/errors.ts'
import { createWire, settle, whole } from '../support/wire.ts'
import type { HubOptions } from '../../server/engines/signalr/options.ts'

const completion = (invocationId: string, outcome: object = {}) => JSON.stringify({ type: 3, invocationId, ...outcome })

async function connected(options?: Partial<HubOptions>) {
  const wire = createWire({ options })
  return { ...wire, client: await wire.connect() }
}

describe('an invocation', () => {
  const failed = (target: string) => `An unexpected error occurred invoking '${target}' on the server.`
  const refused = (target: string) => `Failed to invoke '${target}' due to an error on the server.`
  const table: [target: string, args: unknown[], outcome: object, detailed?: object][] = [
    ['Echo', [{ a: 1 }], { result: { a: 1 } }],
    ['eCHO', ['any case'], { result: 'any case' }],
    ['EchoLater', [1], { result: 1 }],
    ['Void', [], { result: null }],
    ['Fail', ['text'], { error: `${failed('Fail')} HubException: text` }],
    ['Crash', ['text'], { error: failed('Crash') }, { error: `${failed('Crash')} TypeError: text` }],
    ['Nope', [], { error: `${refused('Nope')} HubException: Method does not exist.` }],
    ['constructor', [], { error: `${refused('constructor')} HubException: Method does not exist.` }],
    ['__proto__', [], { error: `${refused('__proto__')} HubException: Method does not exist.` }],
    [
      'Echo',
      [1, 2],
      { error: refused('Echo') },
      { error: `${refused('Echo')} InvalidDataException: Invocation provides 2 argument(s) but target expects 1.` },
    ],
    ['Forbidden', [], { error: "Failed to invoke 'Forbidden' because user is unauthorized" }],
    ['ForbiddenLater', [], { error: "Failed to invoke 'ForbiddenLater' because user is unauthorized" }],
    [
      'CountTo',
      [1],
      { error: "The client attempted to invoke the streaming 'CountTo' method with a non-streaming invocation." },
    ],
    ['Sum', [], { error: `${failed('Sum')} HubException: Client sent 0 stream(s), Hub method expects 1.` }],
  ]
  test.each(table)('%s %j', async (target, args, outcome, detailed = outcome) => {
    for (const [detailedErrors, expected] of [
      [false, outcome],
      [true, detailed],
    ] as const) {
      const { client } = await connected({ detailedErrors })
      client.invoke('7', target, ...args)
      expect(await client.answers()).toEqual([completion('7', expected)])
    }
  })

  test.each(table)('%s %j, answer not wanted', async (target, args) => {
    const { client } = await connected()
    client.invoke(undefined, target, ...args)
    expect(await client.answers()).toEqual([])
    client.invoke('8', 'Echo', 'alive')
    expect(await client.answers()).toEqual([completion('8', { result: 'alive' })])
  })

  test('of a synchronous method is answered in the same tick', async () => {
    const { client } = await connected()
    client.invoke('7', 'Echo', 1)
    expect(client.take()).toEqual([completion('7', { result: 1 })])
  })

  test('that throws is logged once, but not if it throws a HubException', async () => {
    const { client, errors } = await connected()
    client.invoke('1', 'Crash', 'oops')
    client.invoke('2', 'Fail', 'intended')
    await settle()
    expect(errors).toEqual(['A hub method failed. oops'])
  })

  test('whose result cannot be serialized ends the connection', async () => {
    const { client, hub } = await connected({ detailedErrors: true })
    client.invoke('1', 'Wait')
    await settle()
    hub.release(1n)
    const [close] = await client.answers()
    expect(JSON.parse(close ?? '')).toMatchObject({ type: 7, allowReconnect: true })
    expect(hub.events).toEqual(['connected', expect.stringContaining('disconnected: ')])
  })
})

describe('order', () => {
  test('invocations of one client run one at a time, and all later messages wait', async () => {
    const { client, hub } = await connected()
    client.invoke('1', 'Wait')
    client.invoke('2', 'Wait')
    client.invoke('3', 'Echo', 3)
    client.stream('4', 'CountTo', 1)
    expect([hub.waiting, await client.answers()]).toEqual([1, []])
    hub.release('one')
    expect(await client.answers()).toEqual([completion('1', { result: 'one' })])
    expect(hub.waiting).toBe(1)
    hub.release('two')
    expect(await client.answers()).toEqual([
      completion('2', { result: 'two' }),
      completion('3', { result: 3 }),
      '{"type":2,"invocationId":"4","item":0}',
      completion('4'),
    ])
  })

  test('with two slots, two run at once and end in any order', async () => {
    const { client, hub } = await connected({ maxParallelInvocations: 2 })
    client.invoke('1', 'Wait')
    client.invoke('2', 'Echo', 2)
    client.invoke('3', 'Wait')
    client.invoke('4', 'Echo', 4)
    expect(await client.answers()).toEqual([completion('2', { result: 2 })])
    expect(hub.waiting).toBe(2)
    hub.release('one')
    expect(await client.answers()).toEqual([completion('1', { result: 'one' }), completion('4', { result: 4 })])
  })

  test('streams and uploads take no slot', async () => {
    const { client, hub } = await connected()
    client.sendJson({ type: 1, invocationId: '1', target: 'IgnoreUpload', arguments: [], streamIds: ['s'] })
    client.stream('2', 'Silence')
    client.invoke('3', 'Echo', 3)
    expect(await client.answers()).toEqual([completion('3', { result: 3 })])
    expect(hub.waiting).toBe(1)
  })

  test('a call is dropped when the connection ends while its rights are checked', async () => {
    const { client, hub } = await connected()
    const method = hub.find('Note')
    hub.find = () => method && { ...method, authorize: () => settle().then(() => true) }
    client.invoke('1', 'Note', 'never')
    client.leave()
    await settle()
    await settle()
    expect(hub.events).toEqual(['connected', 'disconnected'])
  })

  test('a waiting invocation is dropped when the connection ends', async () => {
    const { client, hub } = await connected()
    client.invoke('1', 'Wait')
    client.invoke('2', 'Note', 'second')
    await settle()
    client.leave()
    hub.release('one')
    await settle()
    expect(hub.events).toEqual(['connected', 'disconnected'])
  })
})

describe('messages that refer to nothing are ignored', () => {
  test.each([
    { type: 2, invocationId: 'x', item: 1 },
    { type: 3, invocationId: 'x', result: 1 },
    { type: 5, invocationId: 'x' },
    { type: 6 },
    { type: 8, sequenceId: 1 },
    { type: 9, sequenceId: 99 },
    { type: 99, anything: 1 },
  ])('%j', async (message) => {
    const { client } = await connected()
    client.sendJson(message, { type: 1, invocationId: '1', target: 'Echo', arguments: [1] })
    expect(await client.answers()).toEqual([completion('1', { result: 1 })])
  })
})

describe('a server stream', () => {
  const item = (invocationId: string, value: unknown) => JSON.stringify({ type: 2, invocationId, item: value })
  const streaming = 'An error occurred on the server while streaming results.'
  const table: [target: string, args: unknown[], answers: string[], detailed?: string[]][] = [
    ['CountTo', [2], [item('7', 0), item('7', 1), completion('7')]],
    ['CountTo', [0], [completion('7')]],
    ['FailAfter', [1], [item('7', 0), completion('7', { error: `${streaming} HubException: enough` })]],
    [
      'CrashAfter',
      [1],
      [item('7', 0), completion('7', { error: streaming })],
      [item('7', 0), completion('7', { error: `${streaming} TypeError: too much` })],
    ],
    [
      'FailBeforeStream',
      [],
      [
        completion('7', {
          error:
            "An unexpected error occurred invoking 'FailBeforeStream' on the server. HubException: no stream today",
        }),
      ],
    ],
    [
      'NoStream',
      [],
      [
        completion('7', {
          error:
            "The value returned by the streaming method 'NoStream' is not a ChannelReader<> or IAsyncEnumerable<>.",
        }),
      ],
    ],
    [
      'Echo',
      [1],
      [
        completion('7', {
          error: "The client attempted to invoke the non-streaming 'Echo' method with a streaming invocation.",
        }),
      ],
    ],
    [
      'Nope',
      [],
      [
        completion('7', {
          error: "Failed to invoke 'Nope' due to an error on the server. HubException: Method does not exist.",
        }),
      ],
    ],
  ]
  test.each(table)('%s %j', async (target, args, answers, detailed = answers) => {
    for (const [detailedErrors, expected] of [
      [false, answers],
      [true, detailed],
    ] as const) {
      const { client } = await connected({ detailedErrors })
      client.stream('7', target, ...args)
      expect(await client.answers()).toEqual(expected)
    }
  })

  test('that its client cancels ends with a completion and stops its producer', async () => {
    const { client, hub } = await connected()
    client.stream('7', 'CountForever')
    await settle()
    client.sendJson({ type: 5, invocationId: '7' })
    const answers = await client.answers()
    expect([answers.at(-1), await client.answers(), hub.events]).toEqual([
      completion('7'),
      [],
      ['connected', 'count cancelled'],
    ])
  })

  test('that is cancelled in the chunk that began it still cleans up', async () => {
    const wire = createWire()
    const client = await wire.connect({ cut: whole })
    const start = '{"type":4,"invocationId":"7","target":"CleanUp","arguments":[]}\x1e'
    client.send(`${start}{"type":5,"invocationId":"7"}\x1e`)
    expect([await client.answers(), wire.hub.events]).toEqual([[completion('7')], ['connected', 'cleaned up']])
  })

  test('that is cancelled ends at once although its producer does not react', async () => {
    const { client, hub } = await connected()
    client.stream('7', 'Silence')
    client.sendJson({ type: 5, invocationId: '7' })
    expect(await client.answers()).toEqual([completion('7')])
    client.stream('7', 'CountTo', 0)
    expect(await client.answers()).toEqual([completion('7')])
    expect(hub.events).toEqual(['connected', 'silence returned'])
  })

  test('that never pauses yields to other messages, including its cancellation', async () => {
    const { client } = await connected()
    client.stream('7', 'CountTo', Number.MAX_SAFE_INTEGER)
    await settle()
    expect(client.take().length).toBeLessThan(1_000)
    client.sendJson({ type: 5, invocationId: '7' })
    expect(await client.answers()).toContain(completion('7'))
  })

  test('is not affected by a second stream with its id, which is rejected', async () => {
    const { client } = await connected()
    client.stream('7', 'Silence')
    client.stream('7', 'CountTo', 1)
    expect(await client.answers()).toEqual([completion('7', { error: "Invocation ID '7' is already in use." })])
    client.sendJson({ type: 5, invocationId: '7' })
    expect(await client.answers()).toEqual([completion('7')])
  })

  test('is stopped when the connection ends', async () => {
    const { client, hub, errors } = await connected()
    client.stream('7', 'CountForever')
    client.stream('8', 'Silence')
    await settle()
    client.leave()
    await settle()
    expect([hub.events.sort(), errors]).toEqual([
      ['connected', 'count cancelled', 'disconnected', 'silence returned'],
      [],
    ])
  })
})

describe('an upload stream', () => {
  const start = (target: string, streamIds: string[], ...args: unknown[]) => ({
    type: 1,
    invocationId: '1',
    target,
    arguments: args,
    streamIds,
  })
  const item = (invocationId: string, value: unknown) => ({ type: 2, invocationId, item: value })
  const end = (invocationId: string, error?: string) => ({ type: 3, invocationId, error })

  test('is read to its end', async () => {
    const { client } = await connected()
    client.sendJson(start('SumFrom', ['s'], 100), item('s', 1), item('s', 2), end('s'))
    expect(await client.answers()).toEqual([completion('1', { result: 103 })])
  })

  test('is matched to the parameter at its position', async () => {
    const { client } = await connected()
    client.sendJson(start('SumTwo', ['b', 'a']), item('a', 1), item('b', 20), end('a'), end('b'))
    expect(await client.answers()).toEqual([completion('1', { result: [20, 1] })])
  })

  test('can be sent to a method that answers with a stream', async () => {
    const { client } = await connected()
    client.sendJson({ ...start('Double', ['s']), type: 4 }, item('s', 1), item('s', 2), end('s'))
    expect(await client.answers()).toEqual([
      '{"type":2,"invocationId":"1","item":2}',
      '{"type":2,"invocationId":"1","item":4}',
      completion('1'),
    ])
  })

  test('fails with the error of the client', async () => {
    const { client } = await connected()
    client.sendJson(start('Sum', ['s']), item('s', 1), end('s', 'no more'))
    expect(await client.answers()).toEqual([
      completion('1', { error: "An unexpected error occurred invoking 'Sum' on the server. HubException: no more" }),
    ])
  })

  test.each([
    [false, 'Failed to bind Stream message.'],
    [true, 'Failed to bind Stream message. InvalidDataException: Expected a number.'],
  ])('fails with an item that can not be bound (detailed errors %s)', async (detailedErrors, text) => {
    const { client } = await connected({ detailedErrors })
    client.sendJson(start('Sum', ['s']), item('s', 'x'), item('s', 1), end('s'))
    await settle()
    client.sendJson(start('Echo', [], 1))
    expect(await client.answers()).toEqual([
      completion('1', { error: `An unexpected error occurred invoking 'Sum' on the server. HubException: ${text}` }),
      completion('1', { result: 1 }),
    ])
  })

  test('that is not read pauses the input of its connection', async () => {
    const { client, hub } = await connected({ streamBufferCapacity: 3 })
    client.sendJson(start('IgnoreUpload', ['s']), ...[1, 2, 3].map((n) => item('s', n)))
    client.invoke('2', 'Echo', 'before')
    expect(await client.answers()).toEqual([completion('2', { result: 'before' })])
    client.sendJson(item('s', 4))
    client.invoke('3', 'Echo', 'after')
    expect(await client.answers()).toEqual([])
    hub.release('done')
    expect(await client.answers()).toEqual([completion('1', { result: 'done' }), completion('3', { result: 'after' })])
  })

  test('is removed when its method ends', async () => {
    const { client, hub } = await connected()
    client.sendJson(start('IgnoreUpload', ['s']))
    hub.release('done')
    await settle()
    client.sendJson(item('s', 'not even bound'), start('Sum', ['s']), item('s', 5), end('s'))
    expect(await client.answers()).toEqual([completion('1', { result: 'done' }), completion('1', { result: 5 })])
  })

  test('rejects an id that is in use', async () => {
    const { client } = await connected()
    client.sendJson(start('IgnoreUpload', ['s']), { ...start('Sum', ['s']), invocationId: '2' })
    const error =
      "An unexpected error occurred invoking 'Sum' on the server. HubException: Stream ID 's' is already in use."
    expect(await client.answers()).toEqual([completion('2', { error })])
  })

  test('fails when the connection ends', async () => {
    const { client, hub, errors } = await connected()
    let seen: unknown
    const method = hub.find('Sum')
    hub.find = () =>
      method && {
        ...method,
        invoke: async ({ uploads: [numbers] }) => {
          try {
            for await (const _ of numbers ?? []) {
            }
          } catch (error) {
            seen = error
          }
        },
      }
    client.sendJson(start('Sum', ['s']))
    client.leave()
    await settle()
    expect([seen, errors]).toEqual([new OperationCanceledException('The underlying connection was closed.'), []])
  })
})
