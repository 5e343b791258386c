import { z } from 'zod'
import type { Access } from '../../shared/access.ts'
import type { RouteDefinition, RouteGroup } from '../../shared/contract/route.ts'
import { ProblemDetails } from '../../shared/contract/problem.ts'

type JsonSchema = Record<string, unknown>

interface DocumentInfo {
  title: string
  version: string
  description: string
}

/** Collects named schemas under `components`; a shape that differs as an input gets a name of its own. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {}

  add(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema & {
      $defs?: Record<string, JsonSchema>
    }
    const own = z.globalRegistry.get(schema)?.id
    const definitions = own !== undefined && !('$ref' in root) ? { ...$defs, [own]: root } : $defs
    const names = new Map(Object.entries(definitions).map(([name, value]) => [name, this.nameFor(name, value, io)]))
    for (const [name, definition] of Object.entries(definitions)) {
      this.schemas[names.get(name)!] = renamed(definition, names)
    }
    return own !== undefined ? { $ref: `#/components/schemas/${names.get(own) ?? own}` } : renamed(root, names)
  }

  private nameFor(name: string, definition: JsonSchema, io: 'input' | 'output'): string {
    const known = this.schemas[name]
    const identity = new Map([[name, name]])
    return io === 'input' && known && JSON.stringify(known) !== JSON.stringify(renamed(definition, identity))
      ? `${name}Input`
      : name
  }
}

/** Notes for our own codecs that zod copies into the schema. */
const ownMarks = new Set(['wire', 'enumValues'])

/** A copy with every reference turned towards `components`, and without our own marks. */
function renamed(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(visit)
    }
    if (typeof value !== 'object' || value === null) {
      return value
    }
    const entries = Object.entries(value)
      .filter(([key, item]) => !ownMarks.has(key) && !(key === 'id' && typeof item === 'string'))
      .map(([key, item]) => {
        if (key === '$ref' && typeof item === 'string') {
          const name = item.replace('#/$defs/', '')
          return [key, `#/components/schemas/${names.get(name) ?? name}`]
        }
        return [key, visit(item)]
      })
    return Object.fromEntries(entries) as JsonSchema
  }
  return visit(schema) as JsonSchema
}

const describeAccess = (access: Access): string => {
  if (access === 'anonymous') {
    return 'Anyone may call this.'
  }
  if (typeof access === 'string') {
    return 'Any signed-in principal may call this.'
  }
  return 'scope' in access
    ? `Answers what \`${access.scope}\` covers.`
    : `Needs \`${access.permission}\` on the ${access.on}.`
}

function parameters(definition: RouteDefinition, components: Components) {
  const of = (place: 'path' | 'query', schema: z.ZodObject | undefined) =>
    Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
      name,
      in: place,
      required: place === 'path' || !z.safeParse(field, undefined).success,
      schema: components.add(field as z.ZodType, 'input'),
    }))
  const tenant =
    definition.tenant === 'query'
      ? [{ name: 'tenantId', in: 'query', required: true, schema: { type: 'string', format: 'uuid' } }]
      : []
  return [...of('path', definition.params), ...of('query', definition.query), ...tenant]
}

function operation(group: RouteGroup, name: string, definition: RouteDefinition, components: Components) {
  const { status = 200, response, body, access, summary, content } = definition
  const isVoid = response instanceof z.ZodVoid
  const problem = {
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } },
  }
  return {
    operationId: `${group.name}_${name}`,
    tags: [group.name],
    summary,
    description: describeAccess(access),
    security: access === 'anonymous' ? [] : [{ cookie: [] }],
    parameters: parameters(definition, components),
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: components.add(body, 'input') } } },
    }),
    responses: {
      [status]: {
        description: isVoid ? 'Done.' : summary,
        ...(!isVoid && {
          content: {
            [content === 'text' ? 'text/plain' : 'application/json']: { schema: components.add(response, 'output') },
          },
        }),
      },
      '4XX': { description: 'Refused; the problem says why.', ...problem },
      '5XX': { description: 'The server failed.', ...problem },
    },
  }
}

/** The OpenAPI 3.1 document of some route groups. */
export function openApiDocument(info: DocumentInfo, groups: readonly RouteGroup[]) {
  const components = new Components()
  components.add(ProblemDetails, 'output')
  const paths: Record<string, Record<string, unknown>> = {}
  for (const group of groups) {
    for (const [name, definition] of Object.entries(group.routes)) {
      const path = definition.path.replace(/:(\w+)/g, '{$1}')
      ;(paths[path] ??= {})[definition.method.toLowerCase()] = operation(group, name, definition, components)
    }
  }
  return {
    openapi: '3.1.1',
    info,
    tags: groups.map(({ name }) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: { cookie: { type: 'apiKey', in: 'cookie', name: '.Farhand.Identity' } },
    },
  }
}
