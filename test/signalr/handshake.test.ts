import { describe, expect, test } from 'vitest'
import { createWire, settle, whole, type ClientSettings } from '../support/wire.ts'
import type { HubOptions } from '../../server/engines/signalr/options.ts'

async function shake(request: string, options?: Partial<HubOptions>, settings?: ClientSettings) {
  const wire = createWire({ options })
  const client = wire.open(settings)
  client.send(request)
  const answers = await client.answers()
  return { answers, ending: client.transport.ending, events: wire.hub.events, errors: wire.errors, wire, client }
}

describe('an accepted handshake', () => {
  test.each([
    '{"protocol":"json","version":1}\x1e',
    '{"version":1,"protocol":"JSON","new":[]}\x1e',
    '{"protocol":"json","version":0}\x1e',
    '{"protocol":"json","version":-1}\x1e',
    '{"protocol":"messagepack","version":2}\x1e',
  ])('%s', async (request) => {
    const { answers, ending, events } = await shake(request)
    expect({ answers, ending, events }).toEqual({ answers: ['{}'], ending: undefined, events: ['connected'] })
  })

  test('is answered in a binary frame for MessagePack, in a text frame for JSON', async () => {
    const packed = await shake('{"protocol":"messagepack","version":1}\x1e')
    const json = await shake('{"protocol":"json","version":1}\x1e')
    expect([packed, json].map(({ client }) => client.transport.written[0]?.format)).toEqual(['Binary', 'Text'])
  })

  test('keeps the messages that arrived in the same chunk', async () => {
    const request =
      '{"protocol":"json","version":1}\x1e{"type":1,"invocationId":"1","target":"echo","arguments":[1]}\x1e'
    const { answers } = await shake(request, {}, { cut: whole })
    expect(answers).toEqual(['{}', '{"type":3,"invocationId":"1","result":1}'])
  })

  test('is answered before the connected callback sends, and the callback runs before any dispatch', async () => {
    const wire = createWire()
    wire.hub.onConnected = async (connection) => {
      await settle()
      await wire.engine.clients.client(connection.id).send('Welcome', [])
    }
    const client = wire.open()
    client.send('{"protocol":"json","version":1}\x1e{"type":1,"invocationId":"1","target":"echo","arguments":[1]}\x1e')
    await settle()
    expect(await client.answers()).toEqual([
      '{}',
      '{"type":1,"target":"Welcome","arguments":[]}',
      '{"type":3,"invocationId":"1","result":1}',
    ])
  })
})

describe('a rejected handshake', () => {
  const unexpected = 'An unexpected error occurred during connection handshake.'
  const table: [request: string, error: string, settings?: ClientSettings, options?: Partial<HubOptions>][] = [
    ['{"protocol":"xml","version":1}', "The protocol 'xml' is not supported."],
    ['{"protocol":"json","version":1}', "The protocol 'json' is not supported.", {}, { protocols: ['messagepack'] }],
    ['{"protocol":"JSON","version":3}', "The server does not support version 3 of the 'JSON' protocol."],
    [
      '{"protocol":"messagepack","version":1}',
      "Cannot use the 'messagepack' protocol on the current transport. The transport does not support 'Binary' transfer format.",
      { transport: 'ServerSentEvents' },
    ],
    ['nonsense', unexpected],
    ['[]', unexpected],
    ['', unexpected],
    ['{"version":1}', unexpected],
    ['{"protocol":"json"}', unexpected],
    ['{"protocol":"json","version":"1"}', unexpected],
    ['{"protocol":1,"version":1}', unexpected],
    ['{"type":6}', unexpected],
    [
      '{"type":6}',
      `${unexpected} InvalidDataException: Missing required property 'protocol'. Message content: {"type":6}`,
      {},
      { detailedErrors: true },
    ],
    [' '.repeat(40_000), 'Handshake was canceled.'],
  ]
  test.each(table)('%s', async (request, error, settings, options) => {
    const { answers, ending, events, errors } = await shake(`${request}\x1e`, options, settings)
    expect({ answers, ending, events, errors }).toEqual({
      answers: [JSON.stringify({ error })],
      ending: 'ended',
      events: [],
      errors: [],
    })
  })

  test('that exceeds the limit without an end is cancelled', async () => {
    const { answers } = await shake('x'.repeat(32_769), {}, { cut: whole })
    expect(answers).toEqual(['{"error":"Handshake was canceled."}'])
  })

  test('that does not arrive in time is cancelled', async () => {
    const { wire, client } = await shake('{"protocol":"json"')
    await wire.clock.advance(14_000)
    expect(client.take()).toEqual([])
    await wire.clock.advance(1_000)
    expect([client.take(), client.transport.ending]).toEqual([['{"error":"Handshake was canceled."}'], 'ended'])
  })

  test('is not answered when the client has disconnected', async () => {
    const { wire, client } = await shake('{"protocol":"json"')
    client.leave()
    expect([client.take(), wire.hub.events, wire.clock.pending]).toEqual([[], [], 0])
  })
})
