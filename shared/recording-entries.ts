/** Entries of a block of a recording: kind (1 byte), milliseconds and length (4 bytes each, big-endian), content. */

export const recordingEntries = {
  /** A message of the device, as the relay passed it on. */
  device: 0,
  /** Input of the viewer as JSON: `RecordedInput`. */
  viewer: 1,
  /** An event of asciicast v2. */
  terminal: 2,
  /** End of the recording, which may come long after the last change. */
  end: 3,
} as const

export const recordingEntryHeadBytes = 9

export interface RecordingEntry {
  kind: number
  /** Milliseconds since the recorder began. */
  at: number
  /** View on the block. */
  content: Uint8Array
}

/** Entries of a block. Ends before an entry that is cut off. */
export function* entriesIn(block: Uint8Array): Iterable<RecordingEntry> {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  for (let offset = 0; offset + recordingEntryHeadBytes <= block.length;) {
    const start = offset + recordingEntryHeadBytes
    const end = start + view.getUint32(offset + 5)
    if (end > block.length) {
      return
    }
    yield { kind: view.getUint8(offset), at: view.getUint32(offset + 1), content: block.subarray(start, end) }
    offset = end
  }
}
