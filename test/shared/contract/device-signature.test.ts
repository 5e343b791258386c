import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { decode, encode } from '@msgpack/msgpack'
import { describe, expect, test } from 'vitest'
import { identityFrom } from '../../../agent/trust/identity.ts'
import { signUpdate } from '../../../agent/device/reporter.ts'
import { encodeSignedDeviceUpdate } from '../../../shared/dtos/device-signature.ts'
import { signedUpdate } from '../../../tools/documents/signed-update.ts'
import type { SignedEncoding } from '../../../shared/contract/signed-bytes.ts'
import { DeviceUpdateRequestDto } from '../../../shared/dtos/device.ts'
import { columnOf, deviceReport } from '../../../shared/dtos/device-report.ts'
import { otherValue } from '../../support/reported.ts'

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

/** The encoded update inside a payload. */
const updateIn = (payload: Uint8Array) => Buffer.from((decode(payload) as [Uint8Array])[0])

const signedName = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase())

/** The update of the vector, with every field added since. */
const update: Record<string, unknown> = DeviceUpdateRequestDto.parse(vector.dto)
const [drive] = vector.dto.drives
const formsOf = (forms: Readonly<Record<string, SignedEncoding>>, values: Record<string, unknown> = {}) =>
  Object.entries(forms).map(([name, form]) => ({ name, form, value: values[name] }))
const fields = formsOf({ id: 'guid', tenantId: 'guid', ...columnOf(deviceReport, 'signed') }, update)
const driveFields = formsOf(deviceReport.drives.signed.list.map, drive)

/** JSON values that do not match an encoding. */
function wrongValues(form: SignedEncoding): unknown[] {
  const scalars = { guid: [5, null, 'short'], string: [5, true, []], boolean: [1, 'true', null] }
  const numbers = { integer: [1.5, 2 ** 32, '1', true, null], double: ['16', true, null] }
  return typeof form === 'string' ? { ...scalars, ...numbers }[form] : [5, 'x', {}, [5]]
}

describe('encodeSignedDeviceUpdate', () => {
  test('returns the bytes of the published update', () => {
    const payload = payloadOf(vector)
    expect({ length: updateIn(payload).length, sha256: sha256(updateIn(payload)) }).toEqual(signed.update)
    expect({ length: payload.length, sha256: sha256(payload) }).toEqual(published)
  })

  test('returns the bytes that the published signature covers, for Node and for the agent', () => {
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

  test.each([
    { change: 'a null public key', publicKey: null },
    { change: 'another last digit of the timestamp', timestamp: '2026-01-02T03:04:05.1234568+00:00' },
    { change: 'no user', dto: { ...vector.dto, currentUsers: [] } },
    { change: 'null in place of addresses', dto: { ...vector.dto, macAddresses: null } },
  ])('does not verify with $change', ({ change: _, ...changes }) => {
    expect(isSigned(payloadOf({ ...vector, ...changes }))).toBe(false)
  })

  test.each(fields)('covers $name', ({ name, form, value }) => {
    const other = updateIn(payloadOf({ ...vector, dto: { ...update, [name]: otherValue(form, value) } }))
    expect(other).not.toEqual(updateIn(payloadOf({ ...vector, dto: update })))
    expect(Object.keys(decode(other) as object)).toEqual(fields.map((field) => signedName(field.name)))
  })

  test.each(driveFields)('covers $name of a drive', ({ name, form, value }) => {
    const drives = [{ ...drive, [name]: otherValue(form, value) }]
    expect(isSigned(payloadOf({ ...vector, dto: { ...vector.dto, drives } }))).toBe(false)
  })

  const wholeNumbers = { integer: '10', double: 'cb4030000000000000' }
  test.each(Object.entries(wholeNumbers))('writes a whole number as %s', (type, bytes) => {
    for (const { name } of fields.filter(({ form }) => form === type)) {
      const one = updateIn(payloadOf({ ...vector, dto: { [name]: 16 } }))
      expect(one.toString('hex')).toBe(
        Buffer.concat([Buffer.from([0x81]), encode(signedName(name)), Buffer.from(bytes, 'hex')]).toString('hex'),
      )
    }
  })

  test('encodes only the present members, in order', () => {
    const dto = { name: 'a', id: vector.dto.id }
    expect(updateIn(payloadOf({ ...vector, dto })).toString('latin1')).toMatch(/^\x82\xa4Name\xa1a\xa2Id/)
    const { dnsHostName: _, ...older } = vector.dto
    expect(updateIn(payloadOf({ ...vector, dto: older })).toString('hex')).toMatch(/^de0013/)
  })

  test('agrees with a MessagePack library on strings and integers of every size', () => {
    const texts = [
      ...[0, 31, 32, 255, 256, 65_535, 65_536].flatMap((length) => ['a'.repeat(length), 'ü'.repeat(length / 2)]),
      '日本 😀 Ω',
      'a\ud800b',
      `${'x'.repeat(30)}ü`,
      `${'x'.repeat(300)}\udc00`,
    ]
    for (const text of texts) {
      const payload = Buffer.from(payloadOf({ ...vector, dto: { ...vector.dto, name: text } }))
      expect(payload.includes(Buffer.from(encode(text.toWellFormed())))).toBe(true)
    }
    for (const value of [0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31, -1, -32, -33, -129, -40_000]) {
      const payload = Buffer.from(payloadOf({ ...vector, dto: { processorCount: value } }))
      const start = payload.indexOf('ProcessorCount') + 14
      expect(payload.subarray(start, start + encode(value).length)).toEqual(Buffer.from(encode(value)))
    }
  })

  test.each(fields.flatMap(({ name, form }) => wrongValues(form).map((wrong) => ({ name, wrong }))))(
    'refuses $wrong for $name',
    ({ name, wrong }) => {
      expect(() => payloadOf({ ...vector, dto: { ...update, [name]: wrong } })).toThrow(
        new RegExp(`^${name}: expected`),
      )
    },
  )

  test.each([
    [{ currentUsers: ['ada', 5] }, /^currentUsers: expected a string, got number/],
    [{ drives: [{ driveType: 'Tape' }] }, /^drives: driveType: expected/],
    [{ name: 'a', newerMember: 1 }, /^unknown member "newerMember"/],
    [JSON.parse('{"__proto__": 1}'), /unknown member "__proto__"/],
  ])('refuses %o', (dto, message) => {
    expect(() => payloadOf({ ...vector, dto })).toThrow(message)
  })

  test('rejects an invalid timestamp', () => {
    expect(() => payloadOf({ ...vector, timestamp: 'yesterday' })).toThrow(/^timestamp:/)
  })
})

describe('signUpdate', () => {
  test('signs so that Node verifies it', () => {
    const message = signUpdate(
      DeviceUpdateRequestDto.parse(vector.dto),
      identityFrom(seed.toString('base64')),
      Date.UTC(2026, 0, 2),
    )
    expect(message.timestamp).toBe('2026-01-02T00:00:00.000+00:00')
    const signature = Buffer.from(message.signature, 'base64')
    expect(verify(null, payloadOf({ ...message, dto: message.dto }), publicKey, signature)).toBe(true)
  })
})
