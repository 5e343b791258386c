import express, { type Request, type Response } from 'express'
import { AppError } from '../errors.ts'

/** Largest JSON body, in bytes. */
const maxBodyBytes = 1024 * 1024

const parse = express.json({ limit: maxBodyBytes, strict: true, type: ['application/json', 'application/*+json'] })

interface ParserError {
  type?: string
  status?: number
}

function explain(error: ParserError): unknown {
  switch (error.type) {
    case 'entity.too.large':
      return new AppError(413, `The body is larger than ${maxBodyBytes} bytes.`)
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new AppError(415, 'The body must be UTF-8 JSON.')
    default:
      return error.status === 400
        ? new AppError(400, 'The body is not readable JSON.', {
            title: 'One or more validation errors occurred.',
            fields: { '': ['is not readable JSON'] },
          })
        : error
  }
}

const hasBody = (request: Request) =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0

/** The parsed JSON body; undefined when there is none. Throws 400, 413 or 415. */
export async function readJsonBody(request: Request, response: Response): Promise<unknown> {
  if (!hasBody(request)) {
    return undefined
  }
  if (!request.is(['application/json', 'application/*+json'])) {
    throw new AppError(415, 'Send the body as application/json.')
  }
  await new Promise<void>((resolve, reject) => {
    parse(request, response, (error?: unknown) => (error ? reject(explain(error as ParserError)) : resolve()))
  })
  return request.body as unknown
}
