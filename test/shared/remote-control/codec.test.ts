import { decode, encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UndecodableMessage } from '../../../shared/remote-control/byte-reader.ts'
import { decodeEnvelope, decodePayload, encodeMessage, encodeFrame } from '../../../shared/remote-control/codec.ts'
import { messages, nameOf, type MessageName, type Payload } from '../../../shared/remote-control/messages.ts'
import { imageFormat, pointerCursor } from '../../../shared/remote-control/values.ts'
import { defaultCaptureSettings } from '../../../shared/remote-control/viewer.ts'
import { runs } from '../../support/night.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const asHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const payloadOf = (bytes: Uint8Array) => decodeEnvelope(bytes).payload
const library = (bytes: Uint8Array) => decode(bytes, { useBigInt64: true })

const requestKeyFrame = hex('83 A7 44746F54797065 29 A7 5061796C6F6164 C4 01 80 AD 53656E6454696D657374616D70 01')

describe('encodeMessage', () => {
  test('RequestKeyFrame, with timestamp 1, has the published bytes', () => {
    expect(asHex(encodeMessage('RequestKeyFrame', {}, 1n))).toBe(asHex(requestKeyFrame))
  })

  test('Ack, of a message of 36 bytes, has the published payload', () => {
    const bytes = encodeMessage('Ack', { receivedSize: 36, sendTimestamp: 1n }, 5n)
    const expected = hex('82 AC 526563656976656453697A65 24 AD 53656E6454696D657374616D70 01')
    expect(asHex(payloadOf(bytes))).toBe(asHex(expected))
  })

  test('MovePointer has the published payload', () => {
    const bytes = encodeMessage('MovePointer', { normalizedX: 0.5, normalizedY: 0.25 }, 1n)
    const x = 'AB 4E6F726D616C697A656458 CB 3FE0000000000000'
    const y = 'AB 4E6F726D616C697A656459 CB 3FD0000000000000'
    expect(asHex(payloadOf(bytes))).toBe(asHex(hex(`82 ${x} ${y}`)))
  })

  test('ScreenRegions has the published payload', () => {
    const region = { x: 0, y: 0, width: 2, height: 1, encodedImage: hex('FFD8'), imageFormat: imageFormat.Jpeg }
    const bytes = encodeFrame({ regions: [region] }, 1n)
    const expected = hex('91 91 96 CA 00000000 CA 00000000 CA 40000000 CA 3F800000 C4 02 FFD8 00')
    expect(asHex(payloadOf(bytes))).toBe(asHex(expected))
  })

  test('ScreenRegions has moves after the regions, where other implementations ignore them', () => {
    const move = { x: 1, y: 2, width: 3, height: 4, fromX: 5, fromY: 6 }
    const payload = payloadOf(encodeFrame({ regions: [], moves: [move] }, 1n))
    expect(asHex(payload)).toBe(asHex(hex('92 90 91 96 01 02 03 04 05 06')))
    expect(decodePayload('ScreenRegions', payload)).toEqual({ regions: [], moves: [move] })
  })

  test('more moves than a viewer can draw are rejected', () => {
    const moves = Array.from({ length: 65 }, () => ({ x: 0, y: 0, width: 9, height: 9, fromX: 0, fromY: 1 }))
    const payload = payloadOf(encodeFrame({ regions: [], moves }, 1n))
    expect(() => decodePayload('ScreenRegions', payload)).toThrow('65 items are more than 64')
  })

  test('unset settings of this product are left out', () => {
    const names = (settings: Payload<'UpdateCaptureSettings'>) =>
      Object.keys(library(payloadOf(encodeMessage('UpdateCaptureSettings', settings, 1n))) as object)
    expect(names(defaultCaptureSettings)).not.toContain('AcceptsMoves')
    expect(names({ ...defaultCaptureSettings, acceptsMoves: true })).toContain('AcceptsMoves')
  })

  test('empty payloads are an empty list for two messages and an empty map for the others', () => {
    expect(asHex(payloadOf(encodeMessage('CloseRemoteControlSession', {}, 1n)))).toBe('90')
    expect(asHex(payloadOf(encodeMessage('ResetKeyboardState', {}, 1n)))).toBe('90')
    for (const name of ['RequestClipboardText', 'RequestKeyFrame', 'SessionDisconnectRequested'] as const) {
      expect(asHex(payloadOf(encodeMessage(name, {}, 1n)))).toBe('80')
    }
  })

  test('whole doubles stay doubles, so that strict readers accept them', () => {
    const payload = payloadOf(
      encodeMessage('WheelScroll', { normalizedX: 1, normalizedY: 0, scrollY: -120, scrollX: 0 }, 1n),
    )
    expect(Buffer.from(payload).filter((byte) => byte === 0xcb)).toHaveLength(4)
  })

  test('a fraction, or an integer that does not fit, is rejected', () => {
    const click = { button: 0.5, isDoubleClick: false, normalizedX: 0, normalizedY: 0 }
    expect(() => encodeMessage('MouseClick', click, 1n)).toThrow('expected a 32-bit integer, got 0.5')
    expect(() => encodeMessage('MouseClick', { ...click, button: 1e12 }, 1n)).toThrow(TypeError)
  })

  test('members are PascalCase and in the published order', () => {
    const capture = { height: 1080, width: 1920 }
    const display = {
      capturePixelSize: capture,
      displayId: ':0',
      index: 0,
      isPrimary: true,
      layoutBounds: { height: 1080, width: 1920, x: -1920, y: 0 },
      layoutCoordinateSpace: 1,
      name: 'screen',
      nativePixelSize: null,
    } as const
    const payload = decode(payloadOf(encodeMessage('DisplayData', { displays: [display] }, 1n)))
    expect(JSON.stringify(payload)).toBe(
      '{"Displays":[{"CapturePixelSize":{"Height":1080,"Width":1920},"DisplayId":":0","Index":0,"IsPrimary":true,' +
        '"LayoutBounds":{"Height":1080,"Width":1920,"X":-1920,"Y":0},"LayoutCoordinateSpace":1,"Name":"screen",' +
        '"NativePixelSize":null}]}',
    )
    const cursor = {
      cursor: pointerCursor.Custom,
      customCursorBase64Png: 'AA==',
      xHotspot: 1,
      yHotspot: 2,
      sessionId: 'AAAAAAAA-0000-0000-0000-000000000001',
    }
    expect(decode(payloadOf(encodeMessage('CursorChanged', cursor, 1n)))).toEqual({
      Cursor: 9,
      CustomCursorBase64Png: 'AA==',
      XHotspot: 1,
      YHotspot: 2,
      SessionId: 'aaaaaaaa-0000-0000-0000-000000000001',
    })
  })
})

describe('decodeEnvelope', () => {
  test.each([0n, 127n, 128n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n - 1n, -1n, -(2n ** 63n)])(
    'copies the timestamp %s exactly',
    (sendTimestamp) => {
      const bytes = encodeMessage('RequestKeyFrame', {}, sendTimestamp)
      expect(decodeEnvelope(bytes).sendTimestamp).toBe(sendTimestamp)
      expect(BigInt((library(bytes) as { SendTimestamp: number | bigint }).SendTimestamp)).toBe(sendTimestamp)
    },
  )

  test('reads members in any order and skips unknown ones', () => {
    const wrapped = {
      New: [{ deep: [1, 'x', new Uint8Array(3), null, 1.5, new Date()] }],
      SendTimestamp: 7,
      DtoType: 41,
    }
    expect(decodeEnvelope(encode(wrapped))).toMatchObject({ dtoType: 41, sendTimestamp: 7n })
  })

  test.each([
    ['a float as type', { DtoType: 41.5, Payload: new Uint8Array(), SendTimestamp: 1 }],
    ['a float as timestamp', { DtoType: 41, Payload: new Uint8Array(), SendTimestamp: 1.5 }],
    ['a text as payload', { DtoType: 41, Payload: 'x', SendTimestamp: 1 }],
    ['a list', [41, new Uint8Array(), 1]],
    ['no map', 41],
  ])('refuses %s', (_, value) => {
    expect(() => decodeEnvelope(encode(value))).toThrow(UndecodableMessage)
  })

  test('any bytes are decoded or rejected, without a crash', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeEnvelope(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(UndecodableMessage)
        }
      }),
    )
  })
})

describe('decodePayload', () => {
  const names = Object.keys(messages) as MessageName[]

  test.each(names)('%s, from any bytes, is decoded or rejected', (name) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        try {
          decodePayload(name, bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(UndecodableMessage)
        }
      }),
      { numRuns: runs(50) },
    )
  })

  test('a float in place of an integer is rejected, even if whole', () => {
    const click = { Button: 1.5, IsDoubleClick: true, NormalizedX: 1, NormalizedY: 0 }
    expect(() => decodePayload('MouseClick', encode(click))).toThrow('MouseClick: expected an integer')
    const whole = hex('81 A6 427574746F6E CA 3F800000')
    expect(() => decodePayload('MouseClick', whole)).toThrow(UndecodableMessage)
  })

  test('doubles are read from integers and singles too; missing members have their defaults', () => {
    expect(decodePayload('MovePointer', encode({ NormalizedX: 1 }))).toEqual({ normalizedX: 1, normalizedY: 0 })
    const single = encode({ NormalizedX: 0.5 }, { forceFloat32: true })
    expect(decodePayload('MovePointer', single)).toEqual({ normalizedX: 0.5, normalizedY: 0 })
  })

  test('singles are read from integers and doubles too', () => {
    const payload = decodePayload('ScreenRegion', encode([1, 2.5, 3, 4, new Uint8Array([9]), 1]))
    expect(payload).toMatchObject({ x: 1, y: 2.5, width: 3, height: 4, imageFormat: imageFormat.Png })
  })

  test('an unknown number of an enum is decoded as its first value', () => {
    expect(decodePayload('CursorChanged', encode({ Cursor: 77 })).cursor).toBe(pointerCursor.Unknown)
  })

  test('a list that claims more items than bytes is rejected at once', () => {
    expect(() => decodePayload('ScreenRegions', hex('91 DD FFFFFFFF'))).toThrow('items are more than')
    expect(() => decodePayload('ScreenRegions', hex('91 DD 00000010 90'))).toThrow('in the middle of a value')
  })

  test('a deeply nested value under an unknown name is skipped', () => {
    const deep = Buffer.concat([hex('82 A1 78'), Buffer.alloc(90_000, 0x91), hex('C0 A4 54657874 A1 61')])
    expect(decodePayload('TypeText', deep)).toEqual({ text: 'a' })
  })

  test('a message with more values than any needs is rejected before they are read (T26)', () => {
    const manyMembers = Buffer.concat([hex('DF 00100000'), Buffer.alloc(2 * 0x10_0000, hex('A0 C0'))])
    expect(() => decodeEnvelope(manyMembers)).toThrow('items are more than')
    const manyItems = Buffer.concat([hex('81 A1 78 DD 00100000'), Buffer.alloc(0x10_0000, 0xc0)])
    expect(() => decodeEnvelope(manyItems)).toThrow('has more than 100000 values')
  })

  test('a region with masses of unknown members is rejected before they are skipped (T26)', () => {
    const region = Buffer.concat([hex('DC 003A 00 00 01 01 C4 00 00'), Buffer.alloc(52, 0xc0)])
    expect(() => decodePayload('ScreenRegion', region)).toThrow('items are more than 32')
  })

  test('members with the names of built-in object members are ordinary members', () => {
    const bytes = encode({ ['__proto__']: { a: 1 }, constructor: 1, Text: 'a' })
    expect(decodePayload('TypeText', bytes)).toEqual({ text: 'a' })
  })

  test('images are views on the message, not copies', () => {
    const region = {
      x: 0,
      y: 0,
      width: 1,
      height: 1,
      encodedImage: new Uint8Array(70_000).fill(7),
      imageFormat: 0 as const,
    }
    const bytes = encodeFrame({ regions: [region, region] }, 1n)
    const { regions } = decodePayload('ScreenRegions', payloadOf(bytes))
    expect(regions.map(({ encodedImage }) => encodedImage.length)).toEqual([70_000, 70_000])
    expect(regions[1]?.encodedImage.buffer).toBe(bytes.buffer)
  })
})

describe('a message, encoded and decoded', () => {
  const position = fc.record({ normalizedX: fc.double(), normalizedY: fc.double() })
  const text = fc.string({ unit: 'grapheme', maxLength: 300 })
  const int = fc.integer()
  const cases = {
    MovePointer: position,
    TypeText: fc.record({ text }),
    ClipboardText: fc.record({ text: fc.option(text), sessionId: fc.uuid() }),
    MouseButtonEvent: fc
      .tuple(position, fc.record({ button: int, isPressed: fc.boolean() }))
      .map(([at, rest]) => ({ ...at, ...rest })),
    Ack: fc.record({ receivedSize: int, sendTimestamp: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
    VideoStreamPacket: fc.record({
      packetData: fc.uint8Array({ maxLength: 400 }),
      timestamp: fc.bigInt({ min: 0n, max: 2n ** 60n }),
    }),
    CaptureMetricsChanged: fc.record({
      fps: fc.double(),
      captureMode: text,
      currentQuality: int,
      extraData: fc
        .dictionary(
          text.filter((key) => key !== '__proto__'),
          text,
        )
        .map((texts) => new Map(Object.entries(texts))),
    }),
    RemoteControlSessionError: fc.record({ message: text, isFatal: fc.boolean() }),
  } as const

  test.each(Object.keys(cases) as (keyof typeof cases)[])('%s is the same, also for another reader', (name) => {
    const payloads = cases[name] as fc.Arbitrary<Payload<typeof name>>
    fc.assert(
      fc.property(payloads, fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (payload, timestamp) => {
        const bytes = encodeMessage(name, payload, timestamp)
        const read = decodeEnvelope(bytes)
        expect(nameOf(read.dtoType)).toBe(name)
        expect(decodePayload(name, read.payload)).toEqual(payload)
        expect(() => library(read.payload)).not.toThrow()
      }),
    )
  })
})
