import { driveTypes, type DeviceUpdateRequestDto, type Drive } from '../dtos/device.ts'

/*
 * The bytes that an agent signs: MessagePack made from the values of an update (`docs/hubs.md`, "What is signed"). The server runs
 * this for every heartbeat, so everything is written into one reused buffer; nothing here may be interrupted by an await.
 */
let buffer = new Uint8Array(4096)
let view = new DataView(buffer.buffer)
let position = 0

type Write = (value: unknown) => void
type Shape = ReadonlyMap<string, { key: Uint8Array; write: Write }>

function reserve(bytes: number) {
  if (position + bytes <= buffer.length) {
    return
  }
  const grown = new Uint8Array(Math.max(buffer.length * 2, position + bytes))
  grown.set(buffer)
  buffer = grown
  view = new DataView(buffer.buffer)
}

/** `tag` and a length or value of 1, 2 or 4 bytes. Callers have reserved the room. */
function writeTagged(tag: number, size: 1 | 2 | 4, value: number) {
  buffer[position] = tag
  if (size === 1) {
    buffer[position + 1] = value
  } else if (size === 2) {
    view.setUint16(position + 1, value)
  } else {
    view.setUint32(position + 1, value)
  }
  position += 1 + size
}

function writeCount(count: number, fixTag: number, tag16: number) {
  reserve(5)
  if (count <= 15) {
    buffer[position++] = fixTag | count
  } else if (count <= 0xffff) {
    writeTagged(tag16, 2, count)
  } else {
    writeTagged(tag16 + 1, 4, count)
  }
}

/** The character at `index`; U+FFFD for a lone surrogate, as the encoders of the platforms involved write it. */
function codePointOf(text: string, index: number) {
  const code = text.codePointAt(index) ?? 0xfffd
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code
}

function utf8Length(text: string) {
  let length = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x80) {
      length += unit < 0x800 ? 1 : 2
      index += codePointOf(text, index) > 0xffff ? 1 : 0
    }
  }
  return length
}

function writeUtf8(text: string) {
  for (let index = 0; index < text.length; index++) {
    let code = text.charCodeAt(index)
    if (code < 0x80) {
      buffer[position++] = code
    } else if (code < 0x800) {
      buffer[position++] = 0xc0 | (code >> 6)
      buffer[position++] = 0x80 | (code & 0x3f)
    } else {
      code = codePointOf(text, index)
      if (code > 0xffff) {
        index++
        buffer[position++] = 0xf0 | (code >> 18)
        buffer[position++] = 0x80 | ((code >> 12) & 0x3f)
      } else {
        buffer[position++] = 0xe0 | (code >> 12)
      }
      buffer[position++] = 0x80 | ((code >> 6) & 0x3f)
      buffer[position++] = 0x80 | (code & 0x3f)
    }
  }
}

function writeString(value: unknown) {
  if (value === null) {
    writeNull()
    return
  }
  if (typeof value !== 'string') {
    throw new TypeError(`expected a string, got ${typeof value}`)
  }
  const length = utf8Length(value)
  reserve(5 + length)
  if (length <= 31) {
    buffer[position++] = 0xa0 | length
  } else if (length <= 0xff) {
    writeTagged(0xd9, 1, length)
  } else if (length <= 0xffff) {
    writeTagged(0xda, 2, length)
  } else {
    writeTagged(0xdb, 4, length)
  }
  writeUtf8(value)
}

function writeNull() {
  reserve(1)
  buffer[position++] = 0xc0
}

function writeGuid(value: unknown) {
  if (typeof value !== 'string' || value.length !== 36) {
    throw new TypeError('expected a GUID of 36 characters')
  }
  writeString(value.toLowerCase())
}

function writeBoolean(value: unknown) {
  if (typeof value !== 'boolean') {
    throw new TypeError(`expected true or false, got ${typeof value}`)
  }
  reserve(1)
  buffer[position++] = value ? 0xc3 : 0xc2
}

function writeInt(value: unknown) {
  if (typeof value !== 'number' || !Number.isInteger(value) || value > 0xffffffff || value < -0x80000000) {
    throw new TypeError('expected a 32-bit integer')
  }
  reserve(5)
  if (value >= 0) {
    writeUint(value)
  } else if (value >= -32) {
    buffer[position++] = value
  } else if (value >= -0x80) {
    writeTagged(0xd0, 1, value)
  } else if (value >= -0x8000) {
    writeTagged(0xd1, 2, value)
  } else {
    writeTagged(0xd2, 4, value)
  }
}

function writeUint(value: number) {
  if (value <= 0x7f) {
    buffer[position++] = value
  } else if (value <= 0xff) {
    writeTagged(0xcc, 1, value)
  } else if (value <= 0xffff) {
    writeTagged(0xcd, 2, value)
  } else {
    writeTagged(0xce, 4, value)
  }
}

function writeDouble(value: unknown) {
  if (typeof value !== 'number') {
    throw new TypeError(`expected a number, got ${typeof value}`)
  }
  reserve(9)
  buffer[position] = 0xcb
  view.setFloat64(position + 1, value)
  position += 9
}

const driveTypeNumbers = new Map(Object.entries(driveTypes).map(([name, number]) => [name.toLowerCase(), number]))

/** A name in JSON, an integer in the signed bytes. */
const writeDriveType: Write = (value) =>
  writeInt(typeof value === 'string' ? driveTypeNumbers.get(value.toLowerCase()) : value)

const writeList =
  (writeItem: Write): Write =>
  (value) => {
    if (value === null) {
      writeNull()
      return
    }
    if (!Array.isArray(value)) {
      throw new TypeError(`expected an array, got ${typeof value}`)
    }
    writeCount(value.length, 0x90, 0xdc)
    value.forEach(writeItem)
  }

/** The members that arrived, in the order they arrived, under their PascalCase names. */
const writeMap =
  (shape: Shape): Write =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new TypeError('expected an object')
    }
    const names = Object.keys(value)
    writeCount(names.length, 0x80, 0xde)
    for (const name of names) {
      const member = shape.get(name) ?? shape.get(name.toLowerCase())
      if (!member) {
        throw new TypeError(`unknown member "${name}"`)
      }
      reserve(member.key.length)
      buffer.set(member.key, position)
      position += member.key.length
      try {
        member.write((value as Record<string, unknown>)[name])
      } catch (error) {
        throw new TypeError(`${name}: ${(error as Error).message}`)
      }
    }
  }

/** Each member can be found by its JSON name and, for peers of other habits, by that name in lower case. */
function shapeOf(members: Record<string, Write>): Shape {
  return new Map(
    Object.entries(members).flatMap(([name, write]) => {
      position = 0
      writeString(name.charAt(0).toUpperCase() + name.slice(1))
      const member = { key: buffer.slice(0, position), write }
      return [
        [name, member],
        [name.toLowerCase(), member],
      ]
    }),
  )
}

const writeDrive = writeMap(
  shapeOf({
    driveType: writeDriveType,
    rootDirectory: writeString,
    name: writeString,
    driveFormat: writeString,
    freeSpace: writeDouble,
    totalSize: writeDouble,
    volumeLabel: writeString,
  } satisfies Record<keyof Drive, Write>),
)

const writeUpdate = writeMap(
  shapeOf({
    id: writeGuid,
    tenantId: writeGuid,
    name: writeString,
    agentVersion: writeString,
    is64Bit: writeBoolean,
    osArchitecture: writeInt,
    osDescription: writeString,
    platform: writeInt,
    processorCount: writeInt,
    cpuUtilization: writeDouble,
    totalMemory: writeDouble,
    totalStorage: writeDouble,
    usedMemory: writeDouble,
    usedStorage: writeDouble,
    currentUsers: writeList(writeString),
    macAddresses: writeList(writeString),
    localIpV4: writeString,
    localIpV6: writeString,
    drives: writeList(writeDrive),
    dnsHostName: writeString,
  } satisfies Record<keyof DeviceUpdateRequestDto, Write>),
)

const timestampPattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)$/
const ticksAt1970 = 621_355_968_000_000_000n

/** The clock reading of an ISO 8601 timestamp in units of 100 ns since the year 1; its offset is not applied. */
function ticksOf(timestamp: string): bigint {
  const match = timestampPattern.exec(timestamp)
  if (!match) {
    throw new TypeError('timestamp: expected an ISO 8601 date and time with an offset')
  }
  const [, year, month, day, hour, minute, second, fraction = ''] = match
  const unixMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  return ticksAt1970 + BigInt(unixMs) * 10_000n + BigInt(fraction.slice(0, 7).padEnd(7, '0'))
}

/** Room for the array header and the longest `bin` header, which are known only after the update is written. */
const prefixBytes = 6

/**
 * The bytes that the signature of a device update covers.
 * `update` holds the members exactly as they arrived (parsed JSON, before any schema adds defaults or cuts text);
 * `timestamp` and `publicKey` are the texts of the same message. Throws `TypeError` naming the member that is unknown
 * or of a wrong type: such an update cannot be verified.
 */
export function encodeSignedDeviceUpdate(update: object, timestamp: string, publicKey: string | null): Uint8Array {
  const ticks = ticksOf(timestamp)
  position = prefixBytes
  writeUpdate(update)
  const end = position
  const length = end - prefixBytes
  const size = length <= 0xff ? 1 : length <= 0xffff ? 2 : 4
  const start = prefixBytes - 2 - size
  position = start
  buffer[position++] = 0x93
  writeTagged(size === 1 ? 0xc4 : size === 2 ? 0xc5 : 0xc6, size, length)
  position = end
  reserve(9)
  buffer[position] = 0xcf
  view.setBigUint64(position + 1, ticks)
  position += 9
  writeString(publicKey)
  return buffer.slice(start, position)
}
