import { z } from 'zod'

interface Shape {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  enumValues?: Record<string, number>
  anyOf?: Shape[]
  items?: Shape
  properties?: Record<string, Shape>
  required?: string[]
  default?: unknown
  minimum?: number
  maximum?: number
  description?: string
}

const nameIn = (reference: string) => reference.replace('#/$defs/', '')

const formats: Record<string, string> = { uuid: 'GUID', 'date-time': 'timestamp', base64: 'bytes' }

const whenMissing = (shape: Shape) =>
  shape.default === undefined ? 'Optional' : `Default \`${JSON.stringify(shape.default)}\``

const unique = (words: string[]) => [...new Set(words)]

/** Describes schemas in words, and collects the named schemas that they reference. */
export class Shapes {
  readonly #named = new Map<string, Shape>()

  /** Type of a value in words; named types link to their section. */
  describe(schema: z.ZodType): string {
    const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape & {
      $defs?: Record<string, Shape>
    }
    for (const [name, shape] of Object.entries($defs)) {
      this.#named.set(name, shape)
    }
    return this.#words(root)
  }

  /** Sections of the referenced named types, sorted by name. */
  sections(): string[] {
    return [...this.#named]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, shape]) => `### ${name}\n\n${this.#section(shape)}`)
  }

  #section({ enumValues, type, properties = {}, required = [], description }: Shape): string {
    if (enumValues) {
      const values = Object.entries(enumValues).map(([name, number]) => `${name} ${number}`)
      const inJson = type === 'string' ? 'Its name in both protocols' : 'Its number in JSON, its name in MessagePack'
      return `${inJson}: ${values.join(', ')}.`
    }
    const rows = Object.entries(properties).map(([name, shape]) => {
      const notes = [required.includes(name) ? '' : whenMissing(shape), shape.description ?? '']
      const asSentences = notes.filter((note) => note !== '').map((note) => (note.endsWith('.') ? note : `${note}.`))
      return `| \`${name}\` | ${this.#words(shape)} | ${asSentences.join(' ')} |`
    })
    return [description, ['| Member | Type | Notes |', '| --- | --- | --- |', ...rows].join('\n')]
      .filter((part) => part !== undefined)
      .join('\n\n')
  }

  #words(shape: Shape): string {
    const { $ref, anyOf, type, items, properties, format, minimum, maximum } = shape
    if ($ref !== undefined) {
      return `[${nameIn($ref)}](#${nameIn($ref).toLowerCase()})`
    }
    if (anyOf) {
      return unique(anyOf.map((one) => this.#words(one))).join(' or ')
    }
    if (Array.isArray(type)) {
      return unique(type.map((one) => this.#words({ ...shape, type: one }))).join(' or ')
    }
    if (items) {
      return `array of ${this.#words(items)}`
    }
    if (properties) {
      return this.#object(properties)
    }
    if (type === 'integer' && minimum !== undefined && maximum !== undefined && maximum < 2 ** 31) {
      return `integer, ${minimum} to ${maximum}`
    }
    return (type === 'string' && formats[format ?? '']) || (type ?? 'anything')
  }

  /** Describes a result by its value, other anonymous objects by their members. */
  #object(properties: Record<string, Shape>): string {
    const { isSuccess, value } = properties
    if (isSuccess && value) {
      return `[HubResult](#hubresult) with \`value\`: ${this.#words(value)}`
    }
    const members = Object.entries(properties).map(([name, shape]) => `\`${name}\`: ${this.#words(shape)}`)
    return `object with ${members.join(', ')}`
  }
}
