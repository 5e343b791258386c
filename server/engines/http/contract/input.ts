import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { zeroId } from '../../../../shared/contract/fields.ts'
import { memberOf, reader, type Reader } from '../../../../shared/contract/lenient.ts'
import { sentenceOf } from '../../../../shared/contract/sentences.ts'
import { invalid, missingTenant, type AppError } from '../../../ground/errors.ts'

/** Parses one part of a request by its schema. */
export interface Parser {
  schema: z.ZodType
  read: Reader
}

/** Query strings and forms have no numbers. */
const readerOptions = { numbers: true }

export const parserOf = (schema: z.ZodType | undefined): Parser | undefined =>
  schema && { schema, read: reader(schema, readerOptions) }

/** Maximum number of issues in a response. */
const maxIssues = 100

export function rejected(cause: z.ZodError): AppError {
  const fields: Record<string, string[]> = {}
  for (const issue of cause.issues.slice(0, maxIssues)) {
    ;(fields[issue.path.join('.')] ??= []).push(issue.message)
  }
  return Object.assign(invalid(fields), { cause })
}

export function parse({ schema, read }: Parser, value: unknown): unknown {
  const result = schema.safeParse(read(value), { error: sentenceOf })
  if (result.success) {
    return result.data
  }
  throw rejected(result.error)
}

/** True if an id in the path is malformed: then the path belongs to another route. */
export const isOtherAddress = ({ issues }: z.ZodError): boolean =>
  issues.some((issue) => issue.code === 'invalid_format' && issue.format === 'guid')

const guid = z.guid()

/** Tenant named in a request. Throws 400 if the tenant is missing, malformed or all zero. */
export function tenantIdIn(holder: unknown): string {
  const parsed = guid.safeParse(memberOf((holder as object | undefined) ?? {}, 'tenantId'))
  if (!parsed.success || parsed.data === zeroId) {
    throw missingTenant()
  }
  return parsed.data.toLowerCase()
}

/** Whether a request names a tenant, well-formed or not. */
export const namesTenant = (holder: unknown): boolean =>
  memberOf((holder as object | undefined) ?? {}, 'tenantId') !== undefined

export function queryOf({ url = '' }: IncomingMessage): Record<string, string> {
  const start = url.indexOf('?')
  return start === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)))
}

/** Decodes a path segment; undefined for invalid percent-encoding. */
export function decodedSegment(segment: string): string | undefined {
  if (!segment.includes('%')) {
    return segment
  }
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
