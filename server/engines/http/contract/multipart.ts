import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import busboy from 'busboy'
import type { z } from 'zod'
import type { FileOptions, IncomingFile, IncomingForm } from '../../../../shared/contract/transfer.ts'
import { AppError, badRequest, invalid } from '../../../ground/errors.ts'
import { parse, parserOf, type Parser } from './input.ts'
import { allowSlowBody } from '../web/http-server.ts'

/** Limit of the form without the file: fields, part headers, boundaries. */
const maxFormBytes = 64 * 1024
/** Limit of the chunks without bytes of the file: each costs 3 µs and 350 bytes (T20, T26). Real forms have a few. */
const maxFormChunks = 8_192
const limits = { fieldNameSize: 100, fieldSize: maxFormBytes, fields: 20, files: 5, parts: 25 }

const isMultipart = (contentType: string) => /^multipart\/form-data\s*;/i.test(contentType)
/** Boundary of a content type that names one only: of two, the parser may choose the other. */
function boundaryOf(contentType: string): string | undefined {
  const [first, second] = contentType.matchAll(/boundary=(?:"([^"]+)"|([^;\s]+))/gi)
  return second ? undefined : (first?.[1] ?? first?.[2])
}

/** Offset of the first file's bytes in the beginning of a form: the parser tells no offsets. */
function fileStartIn(form: readonly Buffer[], boundary: string): number | undefined {
  const line = '\r\n'
  const bytes = Buffer.concat([Buffer.from(line), ...form])
  const delimiter = `${line}--${boundary}${line}`
  let at = -1
  for (let part = 0; part < limits.parts; part++) {
    at = bytes.indexOf(delimiter, at + 1)
    const headEnd = at === -1 ? -1 : bytes.indexOf(line + line, at)
    if (headEnd === -1) {
      break
    }
    if (/;\s*filename\*?=/i.test(bytes.toString('latin1', at, headEnd))) {
      return headEnd + line.length
    }
  }
  return undefined
}

const notMultipart = () => badRequest('Send the body as multipart/form-data.')
const unreadable = (why: string) => badRequest(`The form is not readable: ${why}.`)
/** Error for a file that exceeds the limit of files. */
export const tooLarge = (maxBytes: number) =>
  new AppError(413, `File size exceeds the maximum allowed size of ${maxBytes} bytes.`)

/** A form being received. Nothing is read before `open`, and never faster than the file is consumed. */
class Form implements IncomingForm {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #boundary: string
  readonly #fields: Parser
  readonly #names: readonly string[]
  readonly #values: Record<string, string> = Object.create(null) as Record<string, string>
  readonly #parser: busboy.Busboy
  readonly #found = Promise.withResolvers<IncomingFile<unknown>>()
  readonly #whole = Promise.withResolvers<void>()
  /** The request until the file was found. */
  #preface: Buffer[] = []
  #prefaceBytes = 0
  #formChunks = 0
  #hasOtherFile = false
  #file: Readable | undefined
  #error: Error | undefined

  constructor(request: IncomingMessage, response: ServerResponse, body: z.ZodObject) {
    this.#request = request
    this.#response = response
    const type = request.headers['content-type'] ?? ''
    const boundary = boundaryOf(type)
    if (!isMultipart(type) || boundary === undefined) {
      throw notMultipart()
    }
    this.#boundary = boundary
    const fields = body.omit({ file: true })
    this.#fields = parserOf(fields)!
    this.#names = Object.keys(fields.shape).map((name) => name.toLowerCase())
    try {
      this.#parser = busboy({ headers: request.headers, limits, defParamCharset: 'utf8' })
    } catch {
      throw notMultipart()
    }
    this.#parser.on('error', (error: Error) => this.cancel(unreadable(error.message)))
    // Handled here, because an unhandled rejection would end the process; failures are also reported elsewhere.
    this.#found.promise.catch(() => {})
    this.#whole.promise.catch(() => {})
  }

  open({ maxBytes = Infinity }: FileOptions): Promise<IncomingFile<unknown>> {
    const length = Number(this.#request.headers['content-length'] ?? 0)
    if (length > maxBytes + maxFormBytes) {
      throw tooLarge(maxBytes)
    }
    allowSlowBody(this.#request, this.#response)
    this.#parser
      .on('field', (name, value, { valueTruncated }) => this.#take(name, value, valueTruncated))
      .on('file', (name, stream, { filename }) => this.#takeFile(name, stream, filename, maxBytes))
      .on('close', () => this.#ended())
      .on('drain', () => this.#request.resume())
    for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const) {
      this.#parser.on(limit, () => this.cancel(unreadable('it has too many parts')))
    }
    this.#request
      .on('data', (chunk: Buffer) => this.#feed(chunk))
      .on('end', () => this.#parser.end())
      .on('error', () => this.cancel(unreadable('it was cut off')))
    return this.#found.promise
  }

  cancel(reason: Error): void {
    if (this.#error) {
      return
    }
    this.#error = reason
    this.#found.reject(reason)
    this.#whole.reject(reason)
    this.#parser.destroy(reason)
    // The rest is discarded, but a client reads the response only after sending its body.
    this.#request.removeAllListeners('data').resume()
  }

  #feed(chunk: Buffer): void {
    const file = this.#file
    if (!file) {
      this.#preface.push(chunk)
      this.#prefaceBytes += chunk.length
    }
    const unread = file?.readableLength
    // While the file is read slowly, its next chunks wait in the parser.
    const isBlocked = this.#parser.writableLength > 0
    const isTaken = this.#parser.write(chunk)
    if (!isBlocked && file?.readableLength === unread) {
      this.#formChunks++
    }
    if ((!this.#file && this.#prefaceBytes > maxFormBytes) || this.#formChunks > maxFormChunks) {
      this.cancel(unreadable('its fields are too long'))
    } else if (!isTaken && !this.#error) {
      this.#request.pause()
    }
  }

  #take(name: string | undefined, value: string, isCut: boolean): void {
    const key = (name ?? '').toLowerCase()
    if (isCut) {
      this.cancel(invalid({ [key]: ['is too long'] }))
    } else if (this.#names.includes(key)) {
      this.#values[key] = value
    }
  }

  #takeFile(name: string | undefined, stream: Readable, fileName: string | undefined, maxBytes: number): void {
    // The file stream fails with the form, whose failure is reported elsewhere.
    stream.on('error', () => {})
    if (name?.toLowerCase() !== 'file') {
      this.#hasOtherFile = true
      stream.resume()
      return
    }
    if (this.#file) {
      this.cancel(invalid({ file: ['must be one file'] }))
      return
    }
    this.#file = stream
    if (!fileName) {
      this.cancel(invalid({ file: ['must have a name'] }))
      return
    }
    const isComplete = this.#names.every((field) => field in this.#values)
    try {
      this.#found.resolve({
        name: fileName,
        fields: isComplete ? parse(this.#fields, this.#values) : undefined,
        announcedBytes: this.#announcedBytes(),
        bytes: this.#limited(stream, maxBytes),
        allFields: async () => {
          await this.#whole.promise
          return parse(this.#fields, this.#values)
        },
      })
    } catch (error) {
      this.cancel(error as Error)
    }
  }

  /** Remaining bytes of the request, minus the closing boundary that every client writes. */
  #announcedBytes(): number | undefined {
    const length = this.#request.headers['content-length']
    const start = fileStartIn(this.#preface.splice(0), this.#boundary)
    return length === undefined || start === undefined || this.#hasOtherFile
      ? undefined
      : Math.max(0, Number(length) - start - `\r\n--${this.#boundary}--\r\n`.length)
  }

  async *#limited(stream: Readable, maxBytes: number): AsyncIterable<Uint8Array> {
    let size = 0
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxBytes) {
          this.cancel(tooLarge(maxBytes))
          break
        }
        yield chunk
      }
    } catch (error) {
      throw this.#error ?? error
    }
    if (this.#error) {
      throw this.#error
    }
  }

  #ended(): void {
    if (!this.#file) {
      this.cancel(invalid({ file: ['is required'] }))
    }
    this.#whole.resolve()
  }
}

/** The unread form of a request. Throws 400 for another content type. */
export const incomingForm = (request: IncomingMessage, response: ServerResponse, body: z.ZodType): IncomingForm =>
  new Form(request, response, body as z.ZodObject)
