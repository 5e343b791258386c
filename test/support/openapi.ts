/** Reads our OpenAPI documents: the input of an operation, and whether a response is declared. */
import { z } from 'zod'
import { api } from '../../shared/api/index.ts'
import { openApiDocument } from '../../server/engines/http/contract/document.ts'
import { namedExamples } from '../../server/surface/document-texts.ts'
import { openApiDocuments } from '../../server/surface/documents.ts'
import type { JsonSchema } from '../../server/engines/http/contract/schemas.ts'

export interface MediaType {
  schema?: JsonSchema
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: JsonSchema
}

interface DocumentedResponse {
  description: string
  content?: Record<string, MediaType>
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  deprecated?: boolean
  'x-replacement-route'?: string
  'x-stability'?: 'stable' | 'may-change'
  security: object[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, MediaType> }
  responses: Record<string, DocumentedResponse | { $ref: string }>
}

export interface Document {
  openapi: string
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, DocumentedResponse>
    securitySchemes: Record<string, object>
  }
}

export interface DocumentedRoute {
  document: Document
  method: string
  path: string
  operation: Operation
}

/** Current documents by name: `v1`, `internal`, `appliance`. */
export const documents = new Map(
  Object.entries(openApiDocuments('1.0')).map(([path, build]) => [
    path.replace('/openapi/', '').replace('.json', ''),
    build() as Document,
  ]),
)

/** Documents of surfaces that are not published. */
export const unpublished: Document[] = [api.identity].map((groups) => {
  const info = { title: 'Unpublished', version: '1.0', description: '' }
  const options = { info, tags: {}, securitySchemes: { any: {} }, examples: namedExamples }
  return openApiDocument(options, Object.values(groups)) as unknown as Document
})

export const operationsOf = (document: Document): DocumentedRoute[] =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      document,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )

/** Resolves a reference. */
export function resolve({ components }: Document, schema: JsonSchema): JsonSchema {
  return schema.$ref === undefined ? schema : components.schemas[schema.$ref.replace('#/components/schemas/', '')]!
}

const checkers = new WeakMap<Document, Map<string, z.ZodType>>()

/** Names of the schemas that a schema refers to, directly or through others. */
function namesIn(document: Document, schema: JsonSchema, names = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (!names.has(name)) {
      namesIn(document, document.components.schemas[name]!, names.add(name))
    }
  }
  return names
}

/** Converts a schema of the document to a validator, strict where the document is strict. */
function checkerOf(document: Document, schema: JsonSchema): z.ZodType {
  const known = checkers.get(document) ?? new Map<string, z.ZodType>()
  checkers.set(document, known)
  const key = JSON.stringify(schema)
  const found = known.get(key)
  if (found) {
    return found
  }
  // The conversion copies all definitions: those of a whole document would take most of the time of its tests.
  const names = [...namesIn(document, schema)]
  const $defs = Object.fromEntries(names.map((name) => [name, document.components.schemas[name]]))
  // Our ids are GUIDs of any version; zod does not support Unicode classes in patterns.
  const readable = (member: string, value: unknown) =>
    member === 'pattern' && typeof value === 'string' && value.includes('\\p{') ? undefined : value
  const text = JSON.stringify({ ...schema, $defs }, readable)
    .replaceAll('#/components/schemas/', '#/$defs/')
    .replaceAll('"format":"uuid"', '"pattern":"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"')
  const checker = z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0])
  known.set(key, checker)
  return checker
}

/** Returns how a response violates the document, or undefined. */
export function faultOf(
  { document, operation }: DocumentedRoute,
  answer: { status: number; contentType: string | null; text: string },
): string | undefined {
  const response = operation.responses[answer.status]
  const declared =
    response && '$ref' in response
      ? document.components.responses[response.$ref.replace('#/components/responses/', '')]
      : response
  if (!declared) {
    return `status ${answer.status} is not declared`
  }
  const type = answer.contentType?.split(';')[0] ?? ''
  const mayBeEmpty = answer.status === 401 || answer.status === 403
  if (!declared.content || (mayBeEmpty && answer.text === '')) {
    return answer.text === '' ? undefined : `${answer.status} has a body, and none is declared`
  }
  const media = declared.content[type]
  if (!media) {
    return `${answer.status} comes as ${type}, which is not declared`
  }
  if (!type.endsWith('json') || !media.schema) {
    return undefined
  }
  const result = checkerOf(document, media.schema).safeParse(JSON.parse(answer.text))
  return result.success ? undefined : `${answer.status} differs from its schema: ${z.prettifyError(result.error)}`
}
