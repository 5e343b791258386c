import { z } from 'zod'
import type { Access } from '../../../../shared/access.ts'
import { ProblemDetails, problemKinds, type ProblemStatus } from '../../../../shared/contract/problem.ts'
import { successOf, type RouteDefinition, type RouteGroup } from '../../../../shared/contract/route.ts'
import { describeByUse } from './describe-by-use.ts'
import { Components, type NamedExamples } from './schemas.ts'

interface DocumentOptions {
  info: { title: string; version: string; description: string; contact?: object; license?: object }
  /** Descriptions of the tags, by group name. */
  tags: Readonly<Record<string, string>>
  /** Credentials; any of them suffices. */
  securitySchemes: Record<string, object>
  examples: NamedExamples
}

const tenantId = {
  name: 'tenantId',
  in: 'query',
  required: true,
  description: 'The tenant that the request is about. Server service accounts may name any, others only their own.',
  schema: { type: 'string', format: 'uuid' },
}

const ownTenantId = {
  ...tenantId,
  required: false,
  description: `${tenantId.description} Left out: the tenant of the caller.`,
}

const things = {
  server: 'server',
  tenant: 'tenant',
  device: 'device',
  deviceGroup: 'device group',
  userGroup: 'user group',
}

function describeAccess(access: Access): string {
  if (access === 'anonymous') {
    return 'Anyone may call this.'
  }
  if (typeof access === 'string') {
    return 'Any signed-in principal may call this.'
  }
  if ('scope' in access) {
    return `Answers the devices on which the caller has \`${access.scope}\`.`
  }
  const needs = `Needs \`${access.permission}\` on the ${things[access.on]}`
  return 'orOnServer' in access ? `${needs}, or \`${access.orOnServer}\` on the server.` : `${needs}.`
}

const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}')

const describe = ({ method, access, successor, description }: RouteDefinition) =>
  [successor && `Deprecated: use \`${method} ${templateOf(successor)}\` instead.`, description, describeAccess(access)]
    .filter(Boolean)
    .join(' ')

function parameters({ params, query, tenant }: RouteDefinition, components: Components) {
  const of = (place: 'path' | 'query', schema = z.object()) => {
    const { properties = {}, required = [] } = components.add(schema, 'input')
    return Object.entries(properties).map(([name, { description, ...rest }]) => ({
      name,
      in: place,
      required: required.includes(name),
      ...(description && { description }),
      schema: rest,
    }))
  }
  return [
    ...of('path', params),
    ...of('query', query),
    ...(tenant === 'query' ? [tenantId] : tenant === 'queryOrClaim' ? [ownTenantId] : []),
  ]
}

/** Failures that follow from the declaration, in the order of the checks. */
function refusalsOf(definition: RouteDefinition): ProblemStatus[] {
  const { access, body, params, query, tenant, limitedAttempts, successor } = definition
  const isOpen = access === 'anonymous'
  const namesTenant = tenant !== 'none' && tenant !== 'claim'
  const isLookedUp =
    params !== undefined || successor?.includes(':') || namesTenant || (typeof access === 'object' && 'at' in access)
  const isRead = body !== undefined || query !== undefined || params !== undefined
  const refusals: [ProblemStatus, boolean][] = [
    // A malformed key is a bad request wherever a key is read.
    [400, isRead || tenant !== 'none' || !isOpen],
    [401, !isOpen],
    [403, !isOpen],
    [404, isLookedUp === true],
    [413, body !== undefined],
    [415, body !== undefined],
    [429, limitedAttempts !== undefined],
    [500, true],
  ]
  return refusals.flatMap(([status, happens]) => (happens ? [status] : []))
}

const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } }
const text = { 'text/plain': { schema: { type: 'string' } }, 'application/json': { schema: { type: 'string' } } }
const messages = { 'application/json': { schema: { type: 'array', items: { type: 'string' } } } }

/** The 403 body of deprecated routes. */
const pendingPasswordChange = {
  'application/json': {
    schema: {
      type: 'object',
      description: 'Only while the caller has to change a password; otherwise there is no body.',
      properties: {
        error: {
          type: 'string',
          description: 'Always this sentence: call `POST /api/auth/change-password` first.',
          examples: ['Password change required.'],
        },
      },
      required: ['error'],
    },
  },
}

function failureContent({ failures }: RouteDefinition, status: ProblemStatus): object | undefined {
  const isText = failures === 'text' || (failures === 'clientText' && status < 500)
  if (failures && (status === 401 || status === 403)) {
    return status === 403 ? { ...pendingPasswordChange, ...(isText && text) } : undefined
  }
  return { ...problem, ...(isText && text), ...(failures === 'messages' && status === 400 && messages) }
}

const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait; left out where something of the caller has to end first.',
    schema: { type: 'integer' },
  },
}
const location = { Location: { description: 'Address of what was made.', schema: { type: 'string' } } }

const titleOf = (status: ProblemStatus) => problemKinds[status][0].replace(/\.$/, '')

/** A failure that is identical on every route is described once, and named after its status. */
const sharedName = (status: ProblemStatus) => (status === 500 ? 'ServerError' : titleOf(status).replaceAll(' ', ''))

const sharedResponses = Object.fromEntries(
  ([400, 401, 403, 404, 413, 415, 429, 500] as const).map((status) => [
    sharedName(status),
    { description: `${titleOf(status)}.`, ...(status === 429 && { headers: retryAfter }), content: problem },
  ]),
)

function failuresOf(definition: RouteDefinition): Record<string, object> {
  const { problems = {}, failures } = definition
  const statuses = new Set([...refusalsOf(definition), ...Object.keys(problems).map((status) => Number(status))])
  const entries = [...statuses]
    .toSorted((a, b) => a - b)
    .map((status) => {
      const known = status as ProblemStatus
      if (!problems[known] && !failures) {
        return [status, { $ref: `#/components/responses/${sharedName(known)}` }]
      }
      const content = failureContent(definition, known)
      const description = problems[known] ?? `${titleOf(known)}.`
      return [status, { description, ...(known === 429 && { headers: retryAfter }), ...(content && { content }) }]
    })
  return Object.fromEntries(entries) as Record<string, object>
}

const plain = (mediaType: string) => mediaType.split(';')[0]!

function answerContent(
  { content = 'json', mediaType, streamType }: RouteDefinition,
  response: z.ZodType,
  components: Components,
) {
  const schema = components.add(
    response instanceof z.ZodOptional ? (response.unwrap() as z.ZodType) : response,
    'output',
  )
  if (mediaType !== undefined) {
    return { [plain(mediaType)]: { schema } }
  }
  return {
    ...(content === 'text' && { 'text/plain': { schema } }),
    'application/json': { schema },
    ...(streamType !== undefined && { [streamType]: { schema: { type: 'string' } } }),
  }
}

function answersOf(definition: RouteDefinition, components: Components): Record<string, object> {
  const { method, response, summary } = definition
  const status = successOf(definition)
  if (!response || response instanceof z.ZodVoid) {
    return { [status]: { description: 'Done.' } }
  }
  return {
    [status]: {
      description: method === 'GET' ? `${summary}.` : 'Done.',
      ...(definition.location && { headers: location }),
      content: answerContent(definition, response, components),
    },
    ...(response instanceof z.ZodOptional && { 204: { description: 'There is none.' } }),
  }
}

const bodyTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  bytes: 'application/octet-stream',
}

function requestBody({ body, bodyType = 'json' }: RouteDefinition, components: Components) {
  return body
    ? { requestBody: { required: true, content: { [bodyTypes[bodyType]]: { schema: components.add(body, 'input') } } } }
    : {}
}

/** Builds the OpenAPI 3.1 document of some route groups. */
export function openApiDocument(
  { info, tags, securitySchemes, examples }: DocumentOptions,
  groups: readonly RouteGroup[],
) {
  const components = new Components(examples)
  components.add(ProblemDetails, 'output')
  const anyScheme = Object.keys(securitySchemes).map((scheme) => ({ [scheme]: [] }))
  const operation = (group: RouteGroup, name: string, definition: RouteDefinition) => ({
    operationId: `${group.name}${name[0]!.toUpperCase()}${name.slice(1)}`,
    tags: [group.name],
    summary: definition.summary,
    description: describe(definition),
    ...(definition.successor && {
      deprecated: true,
      'x-replacement-route': templateOf(definition.successor),
    }),
    ...(definition.path.startsWith('/api/appliance/') && {
      'x-stability': definition.isStable ? 'stable' : 'may-change',
    }),
    security: definition.access === 'anonymous' ? [] : anyScheme,
    parameters: parameters(definition, components),
    ...requestBody(definition, components),
    responses: { ...answersOf(definition, components), ...failuresOf(definition) },
  })
  const paths: Record<string, Record<string, ReturnType<typeof operation>>> = {}
  for (const group of groups) {
    for (const [name, definition] of Object.entries(group.routes).filter(([, { unlisted }]) => !unlisted)) {
      ;(paths[templateOf(definition.path)] ??= {})[definition.method.toLowerCase()] = operation(group, name, definition)
    }
  }
  components.addExamples()
  describeByUse(
    components.schemas,
    Object.values(paths).flatMap((operations) => Object.values(operations)),
  )
  const names = [...new Set(groups.map(({ name }) => name))].toSorted()
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/', description: 'This server' }],
    tags: names.map((name) => ({ name, ...(tags[name] && { description: tags[name] }) })),
    paths,
    components: { schemas: components.schemas, responses: sharedResponses, securitySchemes },
  }
}
