/** Arbitrary requests for an operation of an OpenAPI document, valid and broken. */
import fc from 'fast-check'
import type { JsonSchema } from '../../server/engines/http/contract/schemas.ts'
import { resolve, type Document, type DocumentedRoute, type Parameter } from './openapi.ts'

export interface GeneratedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

/** Values to try wherever their type fits. */
export interface Pool {
  ids: readonly string[]
}

const nastyTexts = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  "'; DROP TABLE tenants; --",
  '%',
  '__proto__',
  '${7*7}',
  '<script>alert(1)</script>',
  'x'.repeat(3000),
  '\u202e\u200b',
  'ﷺ'.repeat(300),
]

const textWithin = (schema: JsonSchema) => {
  const { minLength = 0, maxLength = 40 } = schema as { minLength?: number; maxLength?: number }
  return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 40), unit: 'grapheme' })
}

/** Texts that match a pattern; undefined for patterns with Unicode classes, which only the server supports. */
function patternOf({ pattern, maxLength = 200 }: JsonSchema): fc.Arbitrary<string> | undefined {
  return typeof pattern === 'string' && !pattern.includes('\\p{')
    ? fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, maxLength as number))
    : undefined
}

function stringOf(schema: JsonSchema, pool: Pool): fc.Arbitrary<string> {
  switch (schema.format) {
    case 'uuid':
      return fc.oneof({ arbitrary: fc.constantFrom(...pool.ids), weight: 4 }, fc.uuid())
    case 'date-time':
      return fc
        .date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString())
    case 'email':
      return fc.emailAddress({ size: 'small' })
    default:
      return patternOf(schema) ?? textWithin(schema)
  }
}

function numberOf({ type, minimum = -1000, maximum = 1_000_000 }: JsonSchema): fc.Arbitrary<number> {
  return type === 'integer'
    ? fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) })
    : fc.double({ min: minimum, max: maximum, noNaN: true })
}

function objectOf(document: Document, schema: JsonSchema, pool: Pool): fc.Arbitrary<unknown> {
  const required = (schema['required'] as string[] | undefined) ?? []
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    name,
    valueOf(document, member, pool),
  ])
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: required })
}

/** Values that a schema allows. */
export function valueOf(document: Document, given: JsonSchema, pool: Pool): fc.Arbitrary<unknown> {
  const schema = resolve(document, given)
  if (schema.enum) {
    return fc.constantFrom(...schema.enum)
  }
  if ('const' in schema) {
    return fc.constant(schema['const'])
  }
  if (schema.anyOf) {
    return fc.oneof(...schema.anyOf.map((option) => valueOf(document, option, pool)))
  }
  const types = [schema.type ?? []].flat()
  const options = types.map((type) => valueOfType(document, { ...schema, type }, pool))
  return options.length > 0 ? fc.oneof(...options) : fc.jsonValue({ maxDepth: 2 })
}

function valueOfType(document: Document, schema: JsonSchema, pool: Pool): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object':
      return objectOf(document, schema, pool)
    case 'array': {
      const { minItems = 0 } = schema as { minItems?: number }
      return fc.array(valueOf(document, schema.items ?? {}, pool), { minLength: minItems, maxLength: minItems + 3 })
    }
    case 'string':
      return stringOf(schema, pool)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return fc.boolean()
    default:
      return fc.constant(null)
  }
}

/** Values that hardly any schema allows. */
const junk = (pool: Pool): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constantFrom(...nastyTexts, null, true, -1, 0, 1e308, -0.5, 2 ** 53, [], {}, [[]], [null]),
    fc.constantFrom(...pool.ids),
    fc.jsonValue({ maxDepth: 2 }),
  )

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Breaks a value in one place: another type, a missing or an unknown member, an extreme. */
function broken(value: unknown, bad: unknown, pick: number): unknown {
  const keys = isObject(value) ? Object.keys(value) : []
  const key = keys[pick % Math.max(1, keys.length)]
  if (!isObject(value) || key === undefined) {
    return bad
  }
  const { [key]: held, ...rest } = value
  switch (pick % 4) {
    case 0:
      return rest
    case 1:
      return { ...value, [key]: isObject(held) ? broken(held, bad, pick >> 2) : bad }
    case 2:
      return { ...value, [key]: [held, bad] }
    default:
      return { ...value, [key]: bad, [key.toUpperCase()]: held, unknown: bad }
  }
}

const asQuery = (values: Record<string, unknown>) => {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined)
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${encode(value)}`).join('&')}`
}

const encode = (value: unknown) =>
  encodeURIComponent((typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed())

/** Encodes a path segment; empty and dot segments would change the path. */
const segment = (value: unknown) => encode(value ?? '').replace(/^\.*$/, '_$&')

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const noBodies: readonly (readonly [string, Record<string, string>])[] = [
  ['', json],
  ['{', json],
  ['null', json],
  ['"text"', json],
  ['[[[[[[[[]]]]]]]]', json],
  ['{"__proto__":{"isAdmin":true}}', json],
  ['a=b', form],
  ['--x\r\n\r\nno end', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['\u0000\u0001', { 'content-type': 'application/octet-stream' }],
]

/** Requests for an operation; most of them name `tenantId`. */
export function requestsFor(
  { document, method, path, operation }: DocumentedRoute,
  pool: Pool,
  tenantId: string,
): { valid: fc.Arbitrary<GeneratedRequest>; invalid: fc.Arbitrary<GeneratedRequest> } {
  const of = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place)
  const parameter = ({ name, schema, required }: Parameter) => {
    const value = name === 'tenantId' ? fc.constant(tenantId) : valueOf(document, schema, pool)
    return required ? value : fc.option(value, { nil: undefined })
  }
  const valuesOf = (place: Parameter['in']) =>
    fc.record(Object.fromEntries(of(place).map((each) => [each.name, parameter(each)])))
  const schema = operation.requestBody?.content['application/json']?.schema
  const withTenant = (value: unknown) => (isObject(value) && 'tenantId' in value ? { ...value, tenantId } : value)
  const bodies = schema && valueOf(document, schema, pool).map(withTenant)
  const build = (
    params: Record<string, unknown>,
    query: Record<string, unknown>,
    body?: unknown,
  ): GeneratedRequest => ({
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => segment(params[name])) + asQuery(query),
    headers: body === undefined ? {} : json,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const valid = fc
    .tuple(valuesOf('path'), valuesOf('query'), bodies ?? fc.constant(undefined))
    .map(([params, query, body]) => build(params, query, body))
  const spoiled = fc
    .tuple(valuesOf('path'), valuesOf('query'), bodies ?? fc.constant(undefined), junk(pool), fc.nat(63))
    .map(([params, query, body, bad, pick]) => {
      const places = [
        () => build(broken(params, bad, 4 * pick + 1) as Record<string, unknown>, query, body),
        () => build(params, broken(query, bad, pick) as Record<string, unknown>, body),
        () => build(params, query, body === undefined ? undefined : broken(body, bad, pick)),
      ]
      const usable = [of('path').length > 0, of('query').length > 0, body !== undefined]
      const choices = places.filter((_, index) => usable[index])
      return choices.length > 0 ? choices[pick % choices.length]!() : build(params, query, body)
    })
  const unreadable = fc
    .tuple(valid, fc.constantFrom(...noBodies))
    .map(([request, [body, headers]]) => (method === 'GET' ? request : { ...request, body, headers }))
  return { valid, invalid: fc.oneof({ arbitrary: spoiled, weight: 3 }, unreadable) }
}
