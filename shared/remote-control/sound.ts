/** Sound of a desktop, as packets of Opus in stereo. */
export const soundRate = 48_000
export const soundChannels = 2
/** Samples of a packet in each channel: 20 ms. */
export const soundSamples = 960
/** Music is clear at this rate, and a line of 5 Mbit/s hardly notices. */
export const soundBitsPerSecond = 64_000
/** Maximum number of packets in a message; a packet that waits behind more is late. */
export const maxSoundPackets = 10
/** Largest packet of one frame, with its first byte (RFC 6716, section 3.4). */
export const maxSoundPacketBytes = 1275 + 1

/** Longest frames of a mode are 20 ms but in its first, which goes on to 60 ms (RFC 6716, section 3.1). */
const modes = [
  { configurations: 12, each: 4, with20Ms: 1 },
  { configurations: 16, each: 2, with20Ms: 1 },
  { configurations: 32, each: 4, with20Ms: 3 },
]

/**
 * Whether a packet has the single frame of 20 ms that devices send. Other packets have up to 48 frames and six times
 * the sound; the first byte tells, before anything is decoded (T35).
 */
export function isSoundPacket(packet: Uint8Array): boolean {
  const [first = 0] = packet
  const configuration = first >> 3
  const mode = modes.find(({ configurations }) => configuration < configurations)
  const hasOneFrame = (first & 3) === 0
  const isWhole = packet.length > 1 && packet.length <= maxSoundPacketBytes
  return isWhole && hasOneFrame && mode !== undefined && configuration % mode.each === mode.with20Ms
}
