import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { Encoder } from '@msgpack/msgpack'
import { describe, expect, test } from 'vitest'
import { identityFrom } from '../../../agent/identity.ts'
import { signUpdate } from '../../../agent/signing.ts'
import { encodeSignedDeviceUpdate } from '../../../shared/contract/device-signature.ts'
import { signedUpdate } from '../../../scripts/documents/signed-update.ts'

const { message: vector, payload: published, ...signed } = signedUpdate()
const seed = Buffer.from(signed.seed, 'hex')

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const payloadOf = ({ dto, timestamp, publicKey }: { dto: object; timestamp: string; publicKey: string | null }) =>
  encodeSignedDeviceUpdate(dto, timestamp, publicKey)

const publicKey = createPublicKey({
  key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(vector.publicKey, 'base64')]),
  format: 'der',
  type: 'spki',
})
const isSigned = (payload: Uint8Array) => verify(null, payload, publicKey, Buffer.from(vector.signature, 'base64'))

/** The encoded update inside a payload: after the array header and the 16-bit `bin` header. */
const updateIn = (payload: Uint8Array) => payload.subarray(4, 4 + ((payload[2] ?? 0) << 8) + (payload[3] ?? 0))

describe('encodeSignedDeviceUpdate', () => {
  test('gives the bytes of the published update', () => {
    const payload = payloadOf(vector)
    expect({ length: updateIn(payload).length, sha256: sha256(updateIn(payload)) }).toEqual(signed.update)
    expect({ length: payload.length, sha256: sha256(payload) }).toEqual(published)
  })

  test('is what the published signature covers, for Node and for the agent', () => {
    const payload = payloadOf(vector)
    expect(isSigned(payload)).toBe(true)
    const key = createPrivateKey({
      key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
      format: 'der',
      type: 'pkcs8',
    })
    expect(sign(null, payload, key).toString('base64')).toBe(vector.signature)
    const identity = identityFrom(seed.toString('base64'))
    expect(identity.publicKey).toBe(vector.publicKey)
    expect(Buffer.from(identity.sign(payload)).toString('base64')).toBe(vector.signature)
  })

  const changedMembers = Object.entries({
    id: '21111111-2222-3333-4444-555555555555',
    name: 'buro-01',
    is64Bit: false,
    osArchitecture: 3,
    totalMemory: 16.01,
    currentUsers: [],
    macAddresses: null,
    drives: [{ ...vector.dto.drives[0], driveType: 'Network' }],
  }).map(([name, value]) => ({ change: `another ${name}`, dto: { ...vector.dto, [name]: value } }))

  test.each<{ change: string; dto?: object; timestamp?: string; publicKey?: null }>([
    { change: 'a null public key', publicKey: null },
    { change: 'another last digit of the timestamp', timestamp: '2026-01-02T03:04:05.1234568+00:00' },
    ...changedMembers,
  ])('does not verify with $change', ({ dto = vector.dto, timestamp = vector.timestamp, publicKey: key }) => {
    const message = { dto, timestamp, publicKey: key === undefined ? vector.publicKey : key }
    expect(isSigned(payloadOf(message))).toBe(false)
  })

  test('writes whole doubles as float64 and not as integers', () => {
    const { totalMemory: _, ...rest } = vector.dto
    const asInteger = payloadOf({ ...vector, dto: { ...rest, processorCount: 16 } })
    const hex = Buffer.from(payloadOf(vector)).toString('hex')
    expect(hex).toContain(`${Buffer.from('TotalMemory').toString('hex')}cb4030000000000000`)
    expect(Buffer.from(asInteger).toString('hex')).toContain(`${Buffer.from('ProcessorCount').toString('hex')}10`)
  })

  test('writes only the members that arrived, in the order they arrived', () => {
    const hexOf = (dto: object) =>
      Buffer.from(updateIn(payloadOf({ ...vector, dto: { ...dto, osDescription: 'x'.repeat(300) } })))
    expect(hexOf({ name: 'a', id: vector.dto.id }).toString('latin1')).toMatch(/^.{0,3}\x83\xa4Name\xa1a\xa2Id/s)
    const { dnsHostName: _, ...older } = vector.dto
    expect(Buffer.from(updateIn(payloadOf({ ...vector, dto: older }))).toString('hex')).toMatch(/^de0013/)
  })

  test('agrees with a MessagePack library on strings and integers of every size', () => {
    const encoder = new Encoder()
    const texts = ['', 'a'.repeat(31), 'a'.repeat(32), 'ü'.repeat(128), 'x'.repeat(70_000), '日本 😀 Ω', 'a\ud800b']
    for (const text of texts) {
      const payload = Buffer.from(payloadOf({ ...vector, dto: { ...vector.dto, name: text } }))
      expect(payload.includes(Buffer.from(encoder.encode(text.toWellFormed())))).toBe(true)
    }
    for (const value of [0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31, -1, -32, -33, -129, -40_000]) {
      const payload = Buffer.from(payloadOf({ ...vector, dto: { processorCount: value } }))
      const start = payload.indexOf('ProcessorCount') + 14
      expect(payload.subarray(start, start + encoder.encode(value).length)).toEqual(Buffer.from(encoder.encode(value)))
    }
  })

  test.each([
    [{ id: 5 }, /^id: expected a GUID/],
    [{ name: 5 }, /^name: expected a string/],
    [{ is64Bit: 1 }, /^is64Bit: expected true or false/],
    [{ processorCount: 1.5 }, /^processorCount: expected a 32-bit integer/],
    [{ totalMemory: '16' }, /^totalMemory: expected a number/],
    [{ drives: [{ driveType: 'Tape' }] }, /^drives: driveType: expected/],
    [{ name: 'a', newerMember: 1 }, /^unknown member "newerMember"/],
    [JSON.parse('{"__proto__": 1}'), /unknown member "__proto__"/],
  ])('refuses %o', (dto, message) => {
    expect(() => payloadOf({ ...vector, dto })).toThrow(message)
  })

  test('refuses a timestamp that is none', () => {
    expect(() => payloadOf({ ...vector, timestamp: 'yesterday' })).toThrow(/^timestamp:/)
  })
})

describe('signUpdate', () => {
  test('signs so that Node verifies it', () => {
    const message = signUpdate(vector.dto, identityFrom(seed.toString('base64')), Date.UTC(2026, 0, 2))
    expect(message.timestamp).toBe('2026-01-02T00:00:00.000+00:00')
    const signature = Buffer.from(message.signature, 'base64')
    expect(verify(null, payloadOf({ ...message, dto: message.dto }), publicKey, signature)).toBe(true)
  })
})
