import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { TimeSlice } from '../../../ground/clock.ts'
import { AppError, badRequest } from '../../../ground/errors.ts'
import type { HeldInput } from '../../flow/input-budget.ts'
import { decoded, readBytes } from './body.ts'

const isForm = (contentType: string) => /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)

async function readText(request: IncomingMessage, held: HeldInput | undefined): Promise<string> {
  const text = decoded(await readBytes(request, held))
  if (text.includes('%00')) {
    throw badRequest('The body must not contain a NUL character.')
  }
  return text
}

/**
 * Reads a form-encoded body by the names of its schema: members that are lists take every field of their name. Throws
 * 413 or 415.
 */
export async function readFormBody(request: IncomingMessage, schema: z.ZodType, held?: HeldInput): Promise<unknown> {
  if (!isForm(request.headers['content-type'] ?? '')) {
    throw new AppError(415, 'Send the body as application/x-www-form-urlencoded.')
  }
  const text = await readText(request, held)
  const slice = new TimeSlice()
  const fieldsOfText = new URLSearchParams(text)
  if (slice.isOver) {
    await slice.yield()
  }
  const fields = Map.groupBy(fieldsOfText, ([name]) => name.toLowerCase())
  const members = Object.entries((schema as z.ZodObject).shape).flatMap(([name, member]) => {
    const values = fields.get(name.toLowerCase())?.map(([, value]) => value)
    return values ? [[name, isList(member) ? values : values.at(-1)] as const] : []
  })
  return Object.fromEntries(members)
}

const isList = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodArray || (schema instanceof z.ZodPipe && isList(schema.in))
