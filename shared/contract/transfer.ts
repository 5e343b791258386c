/** A streamed response. */
export interface Download {
  /** Length in bytes, if known: a body of another length ends as a broken connection. */
  length?: number
  /** Version of the content, for resuming later. Digits and letters. */
  etag?: string
  /** SHA-256 of the whole content, even if the body is only the rest; hexadecimal. */
  sha256?: string
  /** The body is the rest of a content of `total` bytes, from `offset` on. */
  rest?: { offset: number; total: number }
  /** Name under which the client saves or shows the content. */
  file?: { name: string; disposition: 'attachment' | 'inline' }
  /** An error closes the connection. Iteration stops when the client disconnects. */
  body: AsyncIterable<Uint8Array | string>
  /** The chunks of the body are used by nobody else: their memory is freed once they are sent. */
  isBodyOwned?: true
  /** The response starts once the body exceeds this length, or ends: an earlier failure is answered with its status. */
  heldLength?: number
  /** Calls `cut` when the response cannot continue, even while the client does not read. */
  onCut?(cut: () => void): void
}

/** Request for the rest of a content. */
export interface RestWanted {
  /** Bytes that the client already has. */
  offset: number
  /** Version that the client has; without it, the versions may differ. */
  etag: string | undefined
}

export interface FileOptions {
  /** Larger files are rejected with 413; undefined: no limit. */
  maxBytes: number | undefined
}

/** A multipart form being received: the member `file` of the declared body, and fields around it. */
export interface IncomingForm<Fields = unknown> {
  /** Reads up to the start of the file. Throws 400 without a file, 413 if the announced form is too large. */
  open(options: FileOptions): Promise<IncomingFile<Fields>>
  /** Stops reading: pending promises of the form reject with `reason`. */
  cancel(reason: Error): void
}

export interface IncomingFile<Fields> {
  /** File name without a path. */
  name: string
  /** The declared fields, if all of them preceded the file. */
  fields: Fields | undefined
  /** Length derived from the length of the request, if the file is the last part of the form. */
  announcedBytes: number | undefined
  /** Throws 400 when the form is truncated, 413 when the file is too large. */
  bytes: AsyncIterable<Uint8Array>
  /** The declared fields, in any position; call after reading `bytes`. Throws 400. */
  allFields(): Promise<Fields>
}

/** A body of bytes being received. */
export interface IncomingBytes {
  /** Announced length; undefined if not announced. */
  length: number | undefined
  /** Streams the body with back-pressure. Throws 400 for more than `maxBytes`, and for a truncated body. */
  read(maxBytes: number): AsyncIterable<Uint8Array>
  /** Stops reading: the reader fails with `reason`. */
  cancel(reason: Error): void
}
