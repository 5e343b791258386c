import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { recordingMarks } from '../../shared/dtos/recording.ts'
import { TimeSlice } from '../ground/clock.ts'

/*
 * File of a recording: a head, then blocks. A block is the lengths of its two parts (4 bytes each) and the parts: facts
 * about the block as JSON, and its entries. Each part is sealed with AES-256-GCM; recording, number of the block and part
 * are authenticated, so a block of another place or recording does not open. The last block has facts alone, and says so.
 */

const fileHead = Buffer.from('FHREC001')
const headBytes = 8
const tagBytes = 16
const keyBytes = 32
const maxFactsBytes = 256 * 1024
/** A relayed message has at most 64 MiB. */
const maxEntriesBytes = 80 * 1024 * 1024
/** Bytes that are sealed, unsealed or hashed at once: a block of the largest message takes a second (T26). */
const pieceBytes = 1024 * 1024

const Mark = z.object({ at: z.number(), kind: z.enum(recordingMarks), text: z.string() })
export type Mark = z.output<typeof Mark>

const Facts = z.union([
  z.object({ isLast: z.literal(true) }),
  z.object({ from: z.number(), to: z.number(), isKey: z.boolean(), marks: z.array(Mark) }),
])
type Facts = z.output<typeof Facts>

/** Entries of some seconds, not sealed yet. */
export interface Segment {
  /** Milliseconds since the start of the recorder. */
  from: number
  to: number
  /** Whether the segment can be shown without the segments before it. */
  isKey: boolean
  marks: readonly Mark[]
  entries: Buffer
}

/** A block whose facts were read. */
export interface Block extends Omit<Segment, 'entries'> {
  index: number
  /** Place and length of the sealed entries. */
  offset: number
  sealedBytes: number
}

export const entriesBytes = ({ sealedBytes }: Block): number => sealedBytes - tagBytes

/** A block is damaged, was changed, or belongs to another place. */
export class DamagedBlock extends Error {
  constructor(index: number) {
    super(`Block ${index + 1} of this recording is damaged or was changed.`)
  }
}

export const newKey = (): Buffer => randomBytes(keyBytes)

interface Place {
  id: string
  index: number
  part: 0 | 1
}

/** Unique for the key of a recording: every block is sealed once. */
function nonceOf({ index, part }: Place): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 4)
  nonce.writeUInt32BE(part, 8)
  return nonce
}

const additional = ({ id, index, part }: Place) => Buffer.from(`farhand/recording/1/${id}/${index}/${part}`)

/** Works on the pieces of buffers, in order; yields between them. */
async function eachPiece(parts: readonly Buffer[], work: (piece: Buffer) => void): Promise<void> {
  const slice = new TimeSlice()
  for (const part of parts) {
    for (let at = 0; at < part.length; at += pieceBytes) {
      if (slice.isOver) {
        await slice.yield()
      }
      work(part.subarray(at, at + pieceBytes))
    }
  }
}

async function seal(key: KeyObject, place: Place, plain: Buffer): Promise<Buffer[]> {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(place), { authTagLength: tagBytes })
  cipher.setAAD(additional(place))
  const sealed: Buffer[] = []
  await eachPiece([plain], (piece) => void sealed.push(cipher.update(piece)))
  cipher.final()
  return [...sealed, cipher.getAuthTag()]
}

const opener = (key: KeyObject, place: Place, tag: Buffer) =>
  createDecipheriv('aes-256-gcm', key, nonceOf(place), { authTagLength: tagBytes })
    .setAAD(additional(place))
    .setAuthTag(tag)

/** Throws `DamagedBlock` if what was opened was changed. */
function finish(decipher: ReturnType<typeof opener>, index: number): void {
  try {
    decipher.final()
  } catch {
    throw new DamagedBlock(index)
  }
}

const lengthOf = (parts: readonly Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0)

/** Writes the blocks of a recording. */
export class BlockWriter {
  /** Sealed blocks and bytes so far. */
  blocks = 0
  bytes = 0
  readonly #file: FileHandle
  readonly #id: string
  readonly #key: KeyObject
  readonly #hash = createHash('sha256')

  private constructor(file: FileHandle, id: string, key: Buffer) {
    this.#file = file
    this.#id = id
    this.#key = createSecretKey(key)
  }

  /** Creates the file, readable by its owner only. */
  static async create(path: string, id: string, key: Buffer): Promise<BlockWriter> {
    const writer = new BlockWriter(await open(path, 'wx', 0o600), id, key)
    await writer.#append([fileHead])
    return writer
  }

  async write({ entries, marks, ...facts }: Segment): Promise<void> {
    await this.#writeBlock({ ...facts, marks: [...marks] }, entries)
  }

  /** Flushes what was written to the disk. */
  async flush(): Promise<void> {
    await this.#file.datasync()
  }

  /** Writes the last block and closes the file. Returns the digest of the file. */
  async finish(): Promise<string> {
    await this.#writeBlock({ isLast: true }, Buffer.alloc(0))
    await this.flush()
    await this.#file.close()
    return this.#hash.digest('hex')
  }

  /** Closes a file that cannot be written to any more. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {})
  }

  async #writeBlock(facts: Facts, entries: Buffer) {
    const index = this.blocks++
    const sealedFacts = await seal(this.#key, { id: this.#id, index, part: 0 }, Buffer.from(JSON.stringify(facts)))
    const sealedEntries = await seal(this.#key, { id: this.#id, index, part: 1 }, entries)
    const head = Buffer.alloc(headBytes)
    head.writeUInt32BE(lengthOf(sealedFacts), 0)
    head.writeUInt32BE(lengthOf(sealedEntries), 4)
    await this.#append([head, ...sealedFacts, ...sealedEntries])
  }

  /** Copies no block: fresh memory for it would take as long as its digest. */
  async #append(parts: Buffer[]) {
    await eachPiece(parts, (piece) => void this.#hash.update(piece))
    for (let rest = parts; rest.length > 0;) {
      const { bytesWritten } = await this.#file.writev(rest)
      rest = bytesWritten < lengthOf(rest) ? [Buffer.concat(rest).subarray(bytesWritten)] : []
    }
    this.bytes += lengthOf(parts)
  }
}

/** Blocks found by `readBlocks`. */
export interface ReadBlocks {
  blocks: Block[]
  /** Whether the last block is there: without it the file was cut off. */
  isComplete: boolean
  /** End of the last block that opens. */
  bytes: number
}

/** Reads the blocks of a recording. */
export class BlockReader implements AsyncDisposable {
  readonly #file: FileHandle
  readonly #id: string
  readonly #key: KeyObject

  private constructor(file: FileHandle, id: string, key: Buffer) {
    this.#file = file
    this.#id = id
    this.#key = createSecretKey(key)
  }

  static async open(path: string, id: string, key: Buffer): Promise<BlockReader> {
    return new BlockReader(await open(path, 'r'), id, key)
  }

  /**
   * Reads the facts of all blocks. A block that is cut off ends the list, as after a power cut; one that does not open
   * throws `DamagedBlock`.
   */
  async readBlocks(): Promise<ReadBlocks> {
    const found: ReadBlocks = { blocks: [], isComplete: false, bytes: fileHead.length }
    if (!(await this.#read(0, fileHead.length))?.equals(fileHead)) {
      throw new DamagedBlock(0)
    }
    const { size } = await this.#file.stat()
    for (let index = 0; ; index++) {
      const head = await this.#read(found.bytes, headBytes)
      if (!head) {
        return found
      }
      const [factsBytes, sealedBytes] = [head.readUInt32BE(0), head.readUInt32BE(4)]
      if (
        factsBytes < tagBytes ||
        factsBytes > maxFactsBytes ||
        sealedBytes < tagBytes ||
        sealedBytes > maxEntriesBytes
      ) {
        throw new DamagedBlock(index)
      }
      const at = found.bytes + headBytes
      const sealed = await this.#read(at, factsBytes)
      if (!sealed || at + factsBytes + sealedBytes > size) {
        return found
      }
      const facts = this.#factsOf(index, sealed)
      found.bytes = at + factsBytes + sealedBytes
      if ('isLast' in facts) {
        return { ...found, isComplete: true }
      }
      found.blocks.push({ ...facts, index, offset: at + factsBytes, sealedBytes })
    }
  }

  /** Entries of a block. */
  async readEntries(block: Block): Promise<Buffer> {
    const entries = Buffer.allocUnsafe(entriesBytes(block))
    let length = 0
    for await (const piece of this.entriesOf(block)) {
      length += piece.copy(entries, length)
    }
    return entries
  }

  /** Yields the entries of a block in pieces. Only the end shows whether they were changed: throws `DamagedBlock`. */
  async *entriesOf(block: Block): AsyncIterable<Buffer> {
    const { index, offset } = block
    const end = offset + entriesBytes(block)
    const tag = await this.#readBlock(index, end, tagBytes)
    const decipher = opener(this.#key, { id: this.#id, index, part: 1 }, tag)
    for (let at = offset; at < end; at += pieceBytes) {
      yield decipher.update(await this.#readBlock(index, at, Math.min(pieceBytes, end - at)))
    }
    finish(decipher, index)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  #factsOf(index: number, sealed: Buffer): Facts {
    const end = sealed.length - tagBytes
    const decipher = opener(this.#key, { id: this.#id, index, part: 0 }, sealed.subarray(end))
    const plain = decipher.update(sealed.subarray(0, end))
    finish(decipher, index)
    return Facts.parse(JSON.parse(plain.toString()))
  }

  async #readBlock(index: number, offset: number, length: number): Promise<Buffer> {
    const bytes = await this.#read(offset, length)
    if (!bytes) {
      throw new DamagedBlock(index)
    }
    return bytes
  }

  /** Undefined past the end of the file. */
  async #read(offset: number, length: number): Promise<Buffer | undefined> {
    const bytes = Buffer.allocUnsafe(length)
    for (let done = 0; done < length;) {
      const { bytesRead } = await this.#file.read(bytes, done, length - done, offset + done)
      if (bytesRead === 0) {
        return undefined
      }
      done += bytesRead
    }
    return bytes
  }
}

/** SHA-256 of a file's first bytes. */
export async function digestOf(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha256')
  await using file = await open(path, 'r')
  for await (const chunk of file.createReadStream({ end: Math.max(0, bytes - 1), autoClose: false })) {
    hash.update(chunk as Buffer)
  }
  return hash.digest('hex')
}
