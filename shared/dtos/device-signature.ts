import { columnOf, deviceReport } from './device-report.ts'
import { ByteWriter } from '../contract/byte-writer.ts'
import { signedBytes } from '../contract/signed-bytes.ts'

const updateBytes = signedBytes({ map: { id: 'guid', tenantId: 'guid', ...columnOf(deviceReport, 'signed') } })

const writer = new ByteWriter(4096)

const timestampPattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)$/
const ticksAt1970 = 621_355_968_000_000_000n

/** The local time of an ISO 8601 timestamp in units of 100 ns since the year 1; its offset is not applied. */
function ticksOf(timestamp: string): bigint {
  const match = timestampPattern.exec(timestamp)
  if (!match) {
    throw new TypeError('timestamp: expected an ISO 8601 date and time with an offset')
  }
  const [, year, month, day, hour, minute, second, fraction = ''] = match
  const unixMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  return ticksAt1970 + BigInt(unixMs) * 10_000n + BigInt(fraction.slice(0, 7).padEnd(7, '0'))
}

/**
 * Encodes the bytes covered by the signature of a device update (`docs/hubs.md`, "What is signed"): MessagePack of the
 * update's values. `update` holds the members exactly as received (parsed JSON, before any schema adds defaults or cuts
 * text); `timestamp` and `publicKey` are the texts of the same message. Throws `TypeError` naming the member that is
 * unknown or of a wrong type: such an update cannot be verified.
 */
export function encodeSignedDeviceUpdate(update: object, timestamp: string, publicKey: string | null): Uint8Array {
  const ticks = ticksOf(timestamp)
  writer.length = 0
  writer.listHeader(3)
  writer.binary(updateBytes(update))
  writer.long(ticks)
  if (publicKey === null) {
    writer.nothing()
  } else {
    writer.string(publicKey)
  }
  return writer.result().slice()
}
