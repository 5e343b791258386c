import { createHash } from 'node:crypto'
import { z } from 'zod'

export interface JsonSchema {
  [keyword: string]: unknown
  $ref?: string
  $defs?: Record<string, JsonSchema>
  type?: string | string[]
  format?: string
  enum?: unknown[]
  anyOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  propertyNames?: JsonSchema
  minimum?: number
  maximum?: number
  description?: string
  examples?: unknown[]
}

type Direction = 'input' | 'output'

const refTo = (name: string) => `#/components/schemas/${name}`

/**
 * Removes internal metadata, which zod copies, patterns implied by a format, and bounds of any JSON number. Names the
 * values of an enum of numbers for generators.
 */
function tidy({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (schema.enum?.every(Number.isInteger)) {
    schema.type = 'integer'
    schema['x-enum-varnames'] = Object.keys(schema['enumValues'] ?? {})
  }
  delete schema['wire']
  delete schema['enumValues']
  delete schema['cutTo']
  if (schema.format !== undefined) {
    delete schema['pattern']
  }
  for (const bound of ['minimum', 'maximum'] as const) {
    if (Math.abs(schema[bound] ?? 0) === Number.MAX_SAFE_INTEGER) {
      delete schema[bound]
    }
  }
}

/** Drops what zod repeats of a refined enum beside the reference. */
function onlyReference(schema: JsonSchema): JsonSchema {
  const { type: _, enum: __, 'x-enum-varnames': ___, ...reference } = schema
  return reference
}

const isNull = ({ type }: JsonSchema) => type === 'null'

/** Writes "X or null" as `type: [X, "null"]`, the one form that generators read; a reference keeps its `anyOf`. */
function withNullType(schema: JsonSchema): JsonSchema {
  const { anyOf, ...outer } = schema
  const [inner, ...more] = anyOf!.filter((choice) => !isNull(choice))
  if (inner?.type === undefined || more.length > 0 || !anyOf!.some(isNull)) {
    return schema
  }
  const types = [...new Set([inner.type, 'null'].flat())]
  return { ...inner, ...outer, type: types, ...(inner.enum && { enum: [...new Set([...inner.enum, null])] }) }
}

function forGenerators(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const schema = value as JsonSchema
  return typeof schema.$ref === 'string'
    ? onlyReference(schema)
    : Array.isArray(schema.anyOf)
      ? withNullType(schema)
      : schema
}

/** Copies a schema with its references renamed to their names in `components`. */
const renamed = (schema: JsonSchema, nameOf: (name: string) => string) =>
  JSON.parse(
    JSON.stringify(schema).replace(/"#\/\$defs\/(\w+)"/g, (_, name: string) => `"${refTo(nameOf(name))}"`),
    forGenerators,
  ) as JsonSchema

/** Example values by member name, for members with a general schema; the first value of the right type is used. */
export type NamedExamples = Readonly<Record<string, readonly unknown[]>>

const typesOf = (value: unknown) =>
  value === null
    ? ['null']
    : Array.isArray(value)
      ? ['array']
      : Number.isInteger(value)
        ? ['integer', 'number']
        : [typeof value]

/** Derives an id from a name, stable between runs. */
function exampleId(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/(?<=ss)es$|s$/, '')

/** Collects named schemas under `components`; a schema that differs as input gets a separate name. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  private readonly named: NamedExamples

  constructor(named: NamedExamples) {
    this.named = named
  }

  add(schema: z.ZodType, io: Direction): JsonSchema {
    const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy }) as JsonSchema
    const names = new Map(
      Object.entries(made.$defs ?? {}).map(([name, value]) => [name, this.nameFor(name, value, io)]),
    )
    const nameOf = (name: string) => names.get(name) ?? name
    const { $schema: _, $defs = {}, ...root } = renamed(made, nameOf)
    for (const [name, definition] of Object.entries($defs)) {
      this.schemas[nameOf(name)] = definition
    }
    return root
  }

  /** Adds an example to every object, once all are known. */
  addExamples(): void {
    for (const schema of Object.values(this.schemas)) {
      if (schema.properties && !schema.examples) {
        schema.examples = [this.exampleOf(schema, '')]
      }
    }
  }

  /** Makes a readable example value of a schema. */
  exampleOf(schema: JsonSchema, name: string): unknown {
    if (schema.$ref !== undefined) {
      return this.exampleOf(this.schemas[schema.$ref.replace(refTo(''), '')]!, name)
    }
    const [given] = schema.examples ?? []
    if (given !== undefined) {
      return given
    }
    const values = schema.enum ?? ('const' in schema ? [schema['const']] : [])
    const types = [schema.type ?? []].flat()
    const hint = this.named[name]?.find((value) =>
      values.length > 0 ? values.includes(value) : typesOf(value).some((type) => types.includes(type)),
    )
    if (hint !== undefined) {
      return hint
    }
    if (values.length > 0) {
      // The first name of many enums is "unknown".
      return values.length > 1 && /^(0|Unknown)$/.test(String(values[0])) ? values[1] : values[0]
    }
    if (schema.anyOf) {
      return this.exampleOf(schema.anyOf[0]!, name)
    }
    return this.exampleOfType(schema, types[0], name)
  }

  private exampleOfType(schema: JsonSchema, type: string | undefined, name: string): unknown {
    switch (type) {
      case 'object':
        return this.exampleObject(schema)
      case 'array':
        return schema.items ? [this.exampleOf(schema.items, singular(name))] : []
      case 'integer':
      case 'number':
        return Math.max(1, schema.minimum ?? 1)
      case 'boolean':
        return schema['default'] ?? true
      case 'string':
        return exampleText(schema.format, name)
      default:
        return null
    }
  }

  private exampleObject({ properties = {}, additionalProperties, propertyNames }: JsonSchema): unknown {
    const members = Object.entries(properties).map(([name, value]) => [name, this.exampleOf(value, name)])
    const more =
      typeof additionalProperties === 'object'
        ? ((propertyNames?.enum ?? ['name']) as string[]).map((name) => [
            name,
            this.exampleOf(additionalProperties, ''),
          ])
        : []
    return Object.fromEntries([...members, ...more])
  }

  private nameFor(name: string, definition: JsonSchema, io: Direction): string {
    const known = io === 'input' ? this.schemas[name] : undefined
    const isOther = known && JSON.stringify(known) !== JSON.stringify(renamed(definition, (own) => own))
    return isOther ? `${name}Input` : name
  }
}

function exampleText(format: string | undefined, name: string): string {
  switch (format) {
    case 'uuid':
      return exampleId(name)
    case 'date-time':
      return '2026-03-01T09:30:00.000Z'
    case 'email':
      return 'ada@example.org'
    default:
      return name === '' ? 'text' : name
  }
}
