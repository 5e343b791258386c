/**
 * Integers beyond 2^53, which numbers cannot represent exactly. Incoming integers become BigInt, outgoing integers are
 * encoded as integers: readers of integers reject floats. The codec's `useBigInt64` makes every 64-bit integer a BigInt
 * and every number above 2^32 a float, so it is used only for messages that need it.
 */

import { types } from 'node:util'
import { Decoder, Encoder, ExtData } from '@msgpack/msgpack'
import { InvalidDataException } from '../errors.ts'

const decoder = new Decoder({ useBigInt64: true })
const encoder = new Encoder({ useBigInt64: true, ignoreUndefined: true })

const smallest = -(2n ** 63n)
const largest = 2n ** 64n - 1n
/** With `useBigInt64`, the codec encodes larger numbers as floats. */
const firstWide = 2 ** 32

/** Decodes a value, with BigInt only if a number would be inexact. */
export const decodeLargeIntegers = (bytes: Uint8Array): unknown => convert(decoder.decode(bytes), narrowed)

/**
 * Encodes a value with `usual`, which rejects BigInt, unless the value holds large integers. Throws for a BigInt of
 * more than 64 bits. The result is valid until the next call.
 */
export function encodeExactly(usual: Encoder, value: unknown): Uint8Array {
  let bytes: Uint8Array | undefined
  try {
    bytes = usual.encodeSharedRef(value)
  } catch (thrown) {
    if (!holdsLargeIntegers(value)) {
      throw thrown
    }
  }
  // Scanning the bytes is much cheaper than walking the members, and nearly always enough.
  if (bytes && !(mayHoldLargeFloats(bytes) && holdsLargeIntegers(value))) {
    return bytes
  }
  return encoder.encode(convert(value, widened))
}

const floatFormat = 0xcb
/** The upper 16 bits of 2^53 as a float, and a mask without the sign bit. */
const firstLarge = 0x43_40
const withoutSign = 0x7f_ff

/** True if the bytes hold a float beyond 2^53, or bytes that resemble such a float. */
function mayHoldLargeFloats(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(floatFormat); at >= 0; at = bytes.indexOf(floatFormat, at + 1)) {
    const upper = ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    if ((upper & withoutSign) >= firstLarge) {
      return true
    }
  }
  return false
}

function holdsLargeIntegers(value: unknown): boolean {
  if (typeof value === 'number') {
    return isLargeInteger(value)
  }
  if (!hasMembers(value)) {
    return typeof value === 'bigint'
  }
  if (Array.isArray(value)) {
    return value.some(holdsLargeIntegers)
  }
  for (const key in value) {
    if (holdsLargeIntegers(value[key])) {
      return true
    }
  }
  return false
}

/** True for an inexact integer in the 64-bit range. Beyond that range all numbers are floats. */
const isLargeInteger = (value: number) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && value >= -(2 ** 63) && value < 2 ** 64

const narrowed = (value: unknown): unknown =>
  typeof value === 'bigint' && BigInt(Number(value)) === value ? Number(value) : value

function widened(value: unknown): unknown {
  if (typeof value === 'bigint' && (value < smallest || value > largest)) {
    throw new InvalidDataException(`The integer ${value} does not fit into 64 bits.`)
  }
  return typeof value === 'number' &&
    Math.abs(value) >= firstWide &&
    (Number.isSafeInteger(value) || isLargeInteger(value))
    ? BigInt(value)
    : value
}

/** Copies a value with each leaf converted. */
function convert(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (!hasMembers(value)) {
    return leaf(value)
  }
  return Array.isArray(value)
    ? value.map((item) => convert(item, leaf))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convert(item, leaf)]))
}

/** True for values that the codec encodes member by member; bytes, dates and extensions are encoded whole. */
const hasMembers = (value: unknown): value is Record<string, unknown> | unknown[] =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  !types.isDate(value) &&
  !(value instanceof ExtData)
