import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { zeroId } from '../../../shared/contract/fields.ts'
import { memberOf, reader, type Reader } from '../../../shared/contract/lenient.ts'
import { invalid, missingTenant, type AppError } from '../../errors.ts'

/** Reads one part of a request by its schema. */
export interface Parser {
  schema: z.ZodType
  read: Reader
}

export const parserOf = (schema: z.ZodType | undefined): Parser | undefined =>
  schema && { schema, read: reader(schema, { numbers: true }) }

/** More are no help to anybody. */
const maxIssues = 100

export function rejected({ issues }: z.ZodError): AppError {
  const fields: Record<string, string[]> = {}
  for (const issue of issues.slice(0, maxIssues)) {
    ;(fields[issue.path.join('.')] ??= []).push(issue.message)
  }
  return invalid(fields)
}

export function parse({ schema, read }: Parser, value: unknown): unknown {
  const result = schema.safeParse(read(value))
  if (result.success) {
    return result.data
  }
  throw rejected(result.error)
}

/** An id in a path is part of its shape: where another text stands, it is another address. */
export const isOtherAddress = ({ issues }: z.ZodError): boolean =>
  issues.some((issue) => issue.code === 'invalid_format' && issue.format === 'guid')

const guid = z.guid()

/** The tenant that a request names. Throws 400 for a missing, malformed or all-zero one. */
export function tenantIdIn(holder: unknown): string {
  const parsed = guid.safeParse(memberOf((holder as object | undefined) ?? {}, 'tenantId'))
  if (!parsed.success || parsed.data === zeroId) {
    throw missingTenant()
  }
  return parsed.data.toLowerCase()
}

export function queryOf({ url = '' }: IncomingMessage): Record<string, string> {
  const start = url.indexOf('?')
  return start === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)))
}

/** A segment of a path as text; undefined when its percent-encoding is broken. */
export function decodedSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
