/** An answer that goes out while it is made. */
export interface Download {
  /** Bytes, where they are known: a body of another length ends as a broken connection. */
  length?: number
  /** Names this content, whose rest can be asked for later. Digits and letters. */
  etag?: string
  /** SHA-256 of the whole content, also where the body is only the rest of it; hexadecimal. */
  sha256?: string
  /** The body is the rest of something, from byte `offset` on of `total`. */
  rest?: { offset: number; total: number }
  /** Name for the client to save it under, or to show it as. */
  file?: { name: string; disposition: 'attachment' | 'inline' }
  /** Failing cuts the connection. It is stopped, not read on, when the client leaves. */
  body: AsyncIterable<Uint8Array | string>
  /** So much is sent only when there is more, or all of it: a failure until then is answered with its status. */
  heldLength?: number
  /** Calls `cut` when the answer can not go on, also while the client does not read. */
  onCut?(cut: () => void): void
}

/** The rest of something that a client has the beginning of. */
export interface RestWanted {
  /** Bytes that it has. */
  offset: number
  /** What it has a part of; without it the client takes the risk. */
  etag: string | undefined
}

export interface FileOptions {
  /** Larger files are 413; undefined: no limit. */
  maxBytes: number | undefined
}

/** A multipart form while it arrives: the member `file` of the declared body, and fields around it. */
export interface IncomingForm<Fields = unknown> {
  /** Reads as far as the file begins. Throws 400 when there is none, 413 when the form is announced as too large. */
  open(options: FileOptions): Promise<IncomingFile<Fields>>
  /** Stops reading: whoever waits for the form fails with `reason`. */
  cancel(reason: Error): void
}

export interface IncomingFile<Fields> {
  /** Without any path. */
  name: string
  /** The declared fields, if each of them came before the file. */
  fields: Fields | undefined
  /** Bytes, as far as the length of the request tells: of a form whose last part is the file. */
  announcedBytes: number | undefined
  /** Throws 400 when the form is cut off, 413 when the file is too large. */
  bytes: AsyncIterable<Uint8Array>
  /** The declared fields, wherever they stood; to be asked when `bytes` have been read. Throws 400. */
  allFields(): Promise<Fields>
}

/** A body of bytes while it arrives. */
export interface IncomingBytes {
  /** As the request announces; undefined when it does not. */
  length: number | undefined
  /** Reads it, no faster than it is taken. More than `maxBytes`, and a body that is cut off, throw 400. */
  read(maxBytes: number): AsyncIterable<Uint8Array>
  /** Stops reading: whoever reads fails with `reason`. */
  cancel(reason: Error): void
}
