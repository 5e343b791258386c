import { ByteReader, UndecodableMessage } from './byte-reader.ts'
import { ByteWriter } from '../contract/byte-writer.ts'
import { binary, integer, long, map, type Value } from './encodings.ts'
import { messageOf, messages, type MessageName, type Payload, type ScreenFrame } from './messages.ts'

/** Envelope of a message: a map with the payload, which is a separate MessagePack value. */
const envelope = map({ dtoType: integer, payload: binary, sendTimestamp: long })
export type Envelope = Value<typeof envelope>

function encode<N extends MessageName>(name: N, payload: Payload<N>, sendTimestamp: bigint, capacity?: number) {
  const { number, payload: encoding } = messageOf(name)
  const to = new ByteWriter(capacity)
  to.mapHeader(3)
  to.string('DtoType')
  to.integer(number)
  to.string('Payload')
  to.nested(() => encoding.write(to, payload))
  to.string('SendTimestamp')
  to.long(sendTimestamp)
  return to.result()
}

/**
 * Encodes one message. `sendTimestamp` is in any unit of the sender. Throws `TypeError` for integers that do not fit.
 */
export const encodeMessage = <N extends MessageName>(name: N, payload: Payload<N>, sendTimestamp: bigint): Uint8Array =>
  encode(name, payload, sendTimestamp)

/** Encodes a frame into a buffer of the right size: each image is copied once. */
export function encodeFrame(frame: ScreenFrame, sendTimestamp: bigint): Uint8Array {
  const { regions, moves = [], video = { packet: new Uint8Array(), areas: [] } } = frame
  const imageBytes = regions.reduce((sum, { encodedImage }) => sum + encodedImage.length, video.packet.length)
  const parts = regions.length + moves.length + video.areas.length
  return encode('ScreenRegions', frame, sendTimestamp, 128 + parts * 32 + imageBytes)
}

/** Decodes the envelope; the payload is a view on `bytes`. Throws `UndecodableMessage`. */
export const decodeEnvelope = (bytes: Uint8Array): Envelope => envelope.read(new ByteReader(bytes))

/** Decodes a payload; ignores the payload of a message without members. Throws `UndecodableMessage`. */
export function decodePayload<N extends MessageName>(name: N, payload: Uint8Array): Payload<N> {
  const { payload: encoding } = messages[name]
  if (Object.keys(encoding.missing).length === 0) {
    return encoding.missing as Payload<N>
  }
  try {
    return encoding.read(new ByteReader(payload)) as Payload<N>
  } catch (error) {
    throw error instanceof UndecodableMessage ? new UndecodableMessage(`${name}: ${error.message}`) : error
  }
}
