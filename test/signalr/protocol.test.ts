import { encode } from '@msgpack/msgpack'
import { describe, expect, test } from 'vitest'
import { InvalidDataException } from '../../server/engines/signalr/errors.ts'
import { jsonProtocol, parseMessage, writeMessage } from '../../server/engines/signalr/protocol/json.ts'
import { decodeMessage, encodeMessage } from '../../server/engines/signalr/protocol/messagepack.ts'
import type { Message } from '../../server/engines/signalr/protocol/messages.ts'
import { ReceiveBuffer } from '../../server/engines/signalr/protocol/receive-buffer.ts'

const completion = { type: 3, invocationId: '7', error: undefined, hasResult: false, result: undefined } as const
const invocation = { type: 1, invocationId: 'xyz', target: 'method', args: [42], streamIds: [] } as const

describe('JSON, both ways', () => {
  const table: [text: string, message: Message][] = [
    ['{"type":1,"invocationId":"xyz","target":"method","arguments":[42]}', invocation],
    ['{"type":1,"target":"method","arguments":[42]}', { ...invocation, invocationId: undefined }],
    [
      '{"type":1,"target":"m","arguments":[],"streamIds":["1","2"]}',
      { type: 1, invocationId: undefined, target: 'm', args: [], streamIds: ['1', '2'] },
    ],
    ['{"type":2,"invocationId":"7","item":null}', { type: 2, invocationId: '7', item: null }],
    [
      '{"type":2,"invocationId":"7","item":{"a":[1.5,"é\\u001e"]}}',
      { type: 2, invocationId: '7', item: { a: [1.5, 'é\x1e'] } },
    ],
    ['{"type":3,"invocationId":"7"}', completion],
    ['{"type":3,"invocationId":"7","error":"no"}', { ...completion, error: 'no' }],
    ['{"type":3,"invocationId":"7","result":null}', { ...completion, hasResult: true, result: null }],
    [
      '{"type":4,"invocationId":"7","target":"m","arguments":["a"]}',
      { type: 4, invocationId: '7', target: 'm', args: ['a'], streamIds: [] },
    ],
    ['{"type":5,"invocationId":"7"}', { type: 5, invocationId: '7' }],
    ['{"type":6}', { type: 6 }],
    ['{"type":7}', { type: 7, error: undefined, allowReconnect: false }],
    ['{"type":7,"error":"","allowReconnect":true}', { type: 7, error: '', allowReconnect: true }],
    ['{"type":8,"sequenceId":36}', { type: 8, sequenceId: 36 }],
    ['{"type":9,"sequenceId":19}', { type: 9, sequenceId: 19 }],
  ]
  test.each(table)('%s', (text, message) => {
    expect(parseMessage(text)).toEqual(message)
    expect(writeMessage(message as Exclude<Message, { type: 0 }>)).toBe(`${text}\x1e`)
  })
})

describe('JSON, reading only', () => {
  const table: [text: string, message: Message][] = [
    ['{"arguments":[42],"target":"method","invocationId":"xyz","type":1}', invocation],
    ['{"type":1,"invocationId":"xyz","target":"method","arguments":[42],"headers":{"a":"b"},"new":1}', invocation],
    ['{"type":1,"invocationId":"","target":"method","arguments":[42]}', { ...invocation, invocationId: undefined }],
    ['{"type":7,"allowReconnect":false}', { type: 7, error: undefined, allowReconnect: false }],
    ['{"type":99,"anything":[]}', { type: 0 }],
    ['{"type":1.5}', { type: 0 }],
    ['{"type":6,"__proto__":{"polluted":1}}', { type: 6 }],
  ]
  test.each(table)('%s', (text, message) => expect(parseMessage(text)).toEqual(message))
})

describe('JSON, rejected', () => {
  const table: [text: string, error: string][] = [
    ['', 'Error reading JSON.'],
    ['{"type":6', 'Error reading JSON.'],
    ['[]', 'Unexpected JSON token. Expected a JSON Object.'],
    ['null', 'Unexpected JSON token. Expected a JSON Object.'],
    ['6', 'Unexpected JSON token. Expected a JSON Object.'],
    ['{}', "Missing required property 'type'."],
    ['{"type":"1"}', "Expected 'type' to be of type Number."],
    ['{"type":1,"arguments":[]}', "Missing required property 'target'."],
    ['{"type":1,"target":null,"arguments":[]}', "Expected 'target' to be of type String."],
    ['{"type":1,"target":"m"}', "Missing required property 'arguments'."],
    ['{"type":1,"target":"m","arguments":{}}', "Expected 'arguments' to be of type Array."],
    ['{"type":1,"target":"m","arguments":null}', "Expected 'arguments' to be of type Array."],
    ['{"type":1,"invocationId":null,"target":"m","arguments":[]}', "Expected 'invocationId' to be of type String."],
    ['{"type":1,"invocationId":7,"target":"m","arguments":[]}', "Expected 'invocationId' to be of type String."],
    ['{"type":1,"target":"m","arguments":[],"streamIds":"1"}', "Expected 'streamIds' to be of type Array."],
    ['{"type":1,"target":"m","arguments":[],"streamIds":[1]}', "Expected 'streamIds' to be of type String."],
    ['{"type":1,"target":"m","arguments":[],"headers":{"a":1}}', "Expected 'headers' to be of type String."],
    ['{"type":1,"target":"m","arguments":[],"headers":[]}', "Expected 'headers' to be of type Object."],
    ['{"type":2,"item":1}', "Missing required property 'invocationId'."],
    ['{"type":2,"invocationId":"","item":1}', "Missing required property 'invocationId'."],
    ['{"type":2,"invocationId":"1"}', "Missing required property 'item'."],
    ['{"type":3,"result":1}', "Missing required property 'invocationId'."],
    ['{"type":3,"invocationId":"1","error":1}', "Expected 'error' to be of type String."],
    [
      '{"type":3,"invocationId":"1","error":"e","result":1}',
      "The 'error' and 'result' properties are mutually exclusive.",
    ],
    ['{"type":4,"target":"m","arguments":[]}', "Missing required property 'invocationId'."],
    ['{"type":5}', "Missing required property 'invocationId'."],
    ['{"type":7,"error":1}', "Expected 'error' to be of type String."],
    ['{"type":8}', "Missing required property 'sequenceId'."],
    ['{"type":9,"sequenceId":"1"}', "Expected 'sequenceId' to be of type Number."],
    [
      `{"type":2,"invocationId":"1","item":${'['.repeat(70)}${']'.repeat(70)}}`,
      'Error reading JSON. The maximum depth of 64 was exceeded.',
    ],
  ]
  test.each(table)('%s', (text, error) => expect(() => parseMessage(text)).toThrow(new InvalidDataException(error)))

  test('text that is not UTF-8 is rejected', () => {
    const input = new ReceiveBuffer()
    input.append(Buffer.from([...Buffer.from('{"type":6,"a":"'), 0xc3, 0x28, ...Buffer.from('"}\x1e')]))
    expect(() => jsonProtocol.read(input, 1_000)).toThrow('Error reading JSON.')
  })

  test('the replacement character itself is accepted', () => {
    const input = new ReceiveBuffer()
    input.append(Buffer.from('{"type":2,"invocationId":"1","item":"\uFFFD"}\x1e'))
    expect(jsonProtocol.read(input, 1_000)).toEqual({ type: 2, invocationId: '1', item: '\uFFFD' })
  })
})

describe('values in JSON', () => {
  const table: [value: unknown, text: string][] = [
    [undefined, 'null'],
    [() => 1, 'null'],
    [{ gone: undefined, left: null }, '{"left":null}'],
    [new Uint8Array([1, 2, 3]), '"AQID"'],
    [
      { bytes: Buffer.from([1, 2, 3]), more: [new Uint8Array([255]).subarray(0, 1)] },
      '{"bytes":"AQID","more":["/w=="]}',
    ],
    ['\u{1F600} "\\ é', '"\u{1F600} \\"\\\\ é"'],
  ]
  test.each(table)('%j', (item, text) => {
    expect(writeMessage({ type: 2, invocationId: '1', item })).toBe(`{"type":2,"invocationId":"1","item":${text}}\x1e`)
  })

  test('an empty error is not written', () => {
    expect(writeMessage({ ...completion, error: '' })).toBe('{"type":3,"invocationId":"7"}\x1e')
  })

  test('a circular value cannot be encoded', () => {
    const item: unknown[] = []
    item.push(item)
    expect(() => writeMessage({ type: 2, invocationId: '1', item })).toThrow(TypeError)
  })
})

const fromHex = (hex: string) => Uint8Array.from(hex.split(' ').filter(Boolean), (byte) => parseInt(byte, 16))
const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')

describe('MessagePack, both ways', () => {
  const table: [hex: string, message: Message][] = [
    ['96 01 80 a3 78 79 7a a6 6d 65 74 68 6f 64 91 2a 90', invocation],
    ['96 01 80 c0 a6 6d 65 74 68 6f 64 91 2a 90', { ...invocation, invocationId: undefined }],
    ['96 01 80 c0 a1 6d 90 91 a1 31', { type: 1, invocationId: undefined, target: 'm', args: [], streamIds: ['1'] }],
    ['94 02 80 a3 78 79 7a 2a', { type: 2, invocationId: 'xyz', item: 42 }],
    ['94 02 80 a1 31 c4 03 01 02 03', { type: 2, invocationId: '1', item: new Uint8Array([1, 2, 3]) }],
    ['95 03 80 a3 78 79 7a 01 a5 45 72 72 6f 72', { ...completion, invocationId: 'xyz', error: 'Error' }],
    ['94 03 80 a3 78 79 7a 02', { ...completion, invocationId: 'xyz' }],
    ['95 03 80 a3 78 79 7a 03 2a', { ...completion, invocationId: 'xyz', hasResult: true, result: 42 }],
    ['95 03 80 a3 78 79 7a 03 c0', { ...completion, invocationId: 'xyz', hasResult: true, result: null }],
    ['96 04 80 a1 31 a1 6d 91 2a 90', { type: 4, invocationId: '1', target: 'm', args: [42], streamIds: [] }],
    ['93 05 80 a3 78 79 7a', { type: 5, invocationId: 'xyz' }],
    ['91 06', { type: 6 }],
    ['93 07 c0 c2', { type: 7, error: undefined, allowReconnect: false }],
    ['93 07 c0 c3', { type: 7, error: undefined, allowReconnect: true }],
    ['93 07 a0 c2', { type: 7, error: '', allowReconnect: false }],
    ['92 08 24', { type: 8, sequenceId: 36 }],
    ['92 09 13', { type: 9, sequenceId: 19 }],
  ]
  test.each(table)('%s', (hex, message) => {
    expect(decodeMessage(fromHex(hex))).toEqual(message)
    const [length, ...body] = encodeMessage(message)
    expect([length, toHex(Uint8Array.from(body))]).toEqual([body.length, hex])
  })
})

describe('MessagePack, reading only', () => {
  const table: [hex: string, message: Message][] = [
    ['95 01 80 a3 78 79 7a a6 6d 65 74 68 6f 64 91 2a', invocation],
    ['96 d1 00 01 80 a3 78 79 7a a6 6d 65 74 68 6f 64 91 cc 2a 90', invocation],
    ['96 01 81 a1 61 a1 62 a3 78 79 7a a6 6d 65 74 68 6f 64 91 2a 90', invocation],
    ['96 01 80 a0 a6 6d 65 74 68 6f 64 91 2a 90', { ...invocation, invocationId: undefined }],
    ['97 01 80 a3 78 79 7a a6 6d 65 74 68 6f 64 91 2a 90 c3', invocation],
    ['92 07 c0', { type: 7, error: undefined, allowReconnect: false }],
    ['92 08 cc 24', { type: 8, sequenceId: 36 }],
    ['91 63', { type: 0 }],
    ['93 63 c0 c0', { type: 0 }],
  ]
  test.each(table)('%s', (hex, message) => expect(decodeMessage(fromHex(hex))).toEqual(message))
})

describe('MessagePack, rejected', () => {
  const call = (...parts: unknown[]) => toHex(encode(parts))
  const table: [what: string, hex: string, error: RegExp][] = [
    ['an empty body', '', /shorter/],
    ['a map', '80', /array length/],
    ['a number', '06', /array length/],
    ['an empty array', '90', /'type'/],
    ['a type that is no integer', '91 a1 31', /'type'/],
    ['a float as type', '91 cb 3f f8 00 00 00 00 00 00', /'type'/],
    ['headers that are no map', call(1, [], '1', 'm', []), /'headers'/],
    ['headers nil', call(1, null, '1', 'm', []), /'headers'/],
    ['a header that is no string', call(1, { a: 1 }, '1', 'm', []), /'headers'/],
    ['an empty header', call(1, { a: '' }, '1', 'm', []), /'headers'/],
    ['an id that is no string', call(1, {}, 1, 'm', []), /'invocationId'/],
    ['an empty id of a stream invocation', call(4, {}, '', 'm', []), /'invocationId'/],
    ['a nil id of a stream item', call(2, {}, null, 1), /'invocationId'/],
    ['an empty target', call(1, {}, '1', '', []), /'target'/],
    ['a nil target', call(1, {}, '1', null, []), /'target'/],
    ['arguments that are no array', call(1, {}, '1', 'm', {}), /'arguments'/],
    ['an empty stream id', call(1, {}, '1', 'm', [], ['']), /'streamIds'/],
    ['too few elements', call(1, {}, '1', 'm'), /Expected 5 elements/],
    ['an item without an item', call(2, {}, '1'), /Expected 4 elements/],
    ['an unknown result kind', call(3, {}, '1', 4, 1), /result kind/],
    ['an error that is no string', call(3, {}, '1', 1, 1), /'error'/],
    ['a result that is missing', call(3, {}, '1', 3), /Expected 5 elements/],
    ['a sequence id that is no integer', call(8, 'a'), /'sequenceId'/],
    ['a close without an error', '91 07', /Expected 2 elements/],
    ['a truncated body', '96 01 80 a3 78 79', /shorter/],
    ['bytes behind the message', '91 06 00', /Extra bytes/],
    ['a declared length of four thousand million', '94 02 80 a1 31 dd ff ff ff ff', /shorter/],
    ['a map of four thousand million', '94 02 80 a1 31 df ff ff ff ff', /shorter/],
    ['a string of four thousand million bytes', '94 02 80 a1 31 db ff ff ff ff', /shorter/],
    ['an id that cannot be decoded', '94 02 80 c1 01', /'invocationId'/],
    ['headers that cannot be decoded', '94 02 81 a1 61 c1 a1 31 01', /'headers'/],
  ]
  test.each(table)('%s', (_what, hex, error) => expect(() => decodeMessage(fromHex(hex))).toThrow(error))
})

describe('MessagePack, with a value that cannot be decoded', () => {
  const values: [what: string, hex: string, error: RegExp][] = [
    ['nesting without end', `${'91 '.repeat(100)}c0`, /nested too deep/],
    ['nesting of the size of a message', `${'91 '.repeat(30_000)}c0`, /nested too deep/],
    ['the key __proto__', '81 a9 5f 5f 70 72 6f 74 6f 5f 5f 01', /__proto__/],
    ['the byte that means nothing', 'c1', /MessagePack/],
    ['a timestamp of three bytes', 'c7 03 ff 00 00 00', /timestamp/],
  ]
  test.each(values)('%s', (_what, hex, error) => {
    const read = (before: string, after = '') => decodeMessage(fromHex(`${before} ${hex} ${after}`))
    const unreadable = expect.objectContaining({
      error: expect.objectContaining({ message: expect.stringMatching(error) }),
    })
    expect(read('96 01 80 a3 78 79 7a a1 6d 91', '90')).toEqual({ ...invocation, target: 'm', args: unreadable })
    expect(read('94 02 80 a1 31')).toEqual({ type: 2, invocationId: '1', item: unreadable })
    expect(read('95 03 80 a1 37 03')).toEqual({ ...completion, hasResult: true, result: unreadable })
  })
})

test('a MessagePack array that claims more elements than its message can hold is rejected', () => {
  // Each array fits into the rest of the message, all together do not: the codec would allocate memory for all of them.
  const nested = new Uint8Array(10_000).fill(0xc0)
  nested.set([0x94, 2, 0x80, 0xa1, 0x31])
  for (let i = 0; i < 50; i++) {
    nested.set([0xdd, 0, 0, 0x20, 0], 5 + 5 * i)
  }
  expect(() => decodeMessage(nested)).toThrow(/shorter/)
})

describe('numbers in MessagePack', () => {
  const item = (value: unknown) => toHex(encodeMessage({ type: 2, invocationId: '1', item: value })).slice(18)
  test('whole numbers are written as integers, however large', () => {
    expect([1, -1, 300, 2 ** 32, 2 ** 53 - 1].map(item)).toEqual([
      '01',
      'ff',
      'cd 01 2c',
      'cf 00 00 00 01 00 00 00 00',
      'cf 00 1f ff ff ff ff ff ff',
    ])
  })
  test('whole numbers that are not exact are written as integers as well', () => {
    expect([2 ** 53, 2 ** 63, -(2 ** 53), -(2 ** 63), { a: [2 ** 60, 2 ** 40, 5, 0.5] }].map(item)).toEqual([
      'cf 00 20 00 00 00 00 00 00',
      'cf 80 00 00 00 00 00 00 00',
      'd3 ff e0 00 00 00 00 00 00',
      'd3 80 00 00 00 00 00 00 00',
      '81 a1 61 94 cf 10 00 00 00 00 00 00 00 cf 00 00 01 00 00 00 00 00 05 cb 3f e0 00 00 00 00 00 00',
    ])
  })
  test('a BigInt is encoded as an integer, and a BigInt of more than 64 bits is rejected', () => {
    expect([1n, 2n ** 64n - 1n, -(2n ** 63n)].map(item)).toEqual([
      'cf 00 00 00 00 00 00 00 01',
      'cf ff ff ff ff ff ff ff ff',
      'd3 80 00 00 00 00 00 00 00',
    ])
    expect(() => item(2n ** 64n)).toThrow('The integer 18446744073709551616 does not fit into 64 bits.')
  })
  test('integers beyond 2^53 are decoded as BigInt and others as numbers, and both are encoded unchanged', () => {
    const hex = '94 02 80 a1 31 94 cf 00 20 00 00 00 00 00 01 d3 80 00 00 00 00 00 00 01 cf 00 00 01 00 00 00 00 00 07'
    const message = decodeMessage(fromHex(hex))
    expect(message).toMatchObject({ item: [2n ** 53n + 1n, 1n - 2n ** 63n, 2 ** 40, 7] })
    expect(toHex(encodeMessage(message)).slice(3)).toBe(hex)
  })
  test('numbers beyond 64 bits are floats', () => expect(item(2 ** 64)).toBe('cb 43 f0 00 00 00 00 00 00'))
  test('other numbers are written as 64-bit floats', () => expect(item(1.5)).toBe('cb 3f f8 00 00 00 00 00 00'))
  test('undefined members are left out, undefined elements are nil', () => {
    expect([item({ a: undefined }), item([undefined])]).toEqual(['80', '91 c0'])
  })
})
