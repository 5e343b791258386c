import { z } from 'zod'
import type { Reader } from '../../shared/contract/lenient.ts'

/** Encodes a value for MessagePack clients (docs/hubs.md, "Values"). */
type Writer = (value: unknown) => unknown

const asIs: Writer = (value) => value

/** Minutes of the offset in an ISO 8601 instant. */
function offsetOf(text: string): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? []
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1)
}

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** Instant with an offset in minutes, from its local time as if that were UTC. */
function withOffset(local: Date, offset: number): string {
  if (offset === 0) {
    return local.toISOString()
  }
  const [sign, minutes] = [offset < 0 ? '-' : '+', Math.abs(offset)]
  return `${local.toISOString().slice(0, -1)}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

/** Reads strings with a MessagePack encoding of their own: bytes as `bin`, instants as `[timestamp, offset]`. */
export function readMessagePackString(format: string | undefined): Reader | undefined {
  switch (format) {
    case 'base64':
      return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value)
    case 'datetime':
      return (value) => {
        const [local, offset]: unknown[] = Array.isArray(value) ? value : [value, 0]
        return local instanceof Date ? withOffset(local, Number(offset)) : value
      }
    default:
      return undefined
  }
}

function writeString(format: string | undefined): Writer {
  switch (format) {
    case 'base64':
      return (value) => (typeof value === 'string' ? Buffer.from(value, 'base64') : value)
    case 'datetime':
      return (value) => {
        const offset = typeof value === 'string' ? offsetOf(value) : 0
        return typeof value === 'string' ? [new Date(Date.parse(value) + offset * 60_000), offset] : value
      }
    default:
      return asIs
  }
}

const pascalCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Writes DTOs as arrays, whose members have no names in MessagePack. */
function arrayWriter(shape: Record<string, z.core.$ZodType>): Writer {
  const members = Object.entries(shape).map(([name, schema]) => ({ name, write: messagePackWriter(schema) }))
  return (value) => members.map(({ name, write }) => write((value as Record<string, unknown>)[name]))
}

function objectWriter(shape: Record<string, z.core.$ZodType>): Writer {
  const members = Object.entries(shape).map(([name, schema]) => ({
    name,
    key: pascalCase(name),
    write: messagePackWriter(schema),
  }))
  return (value) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(
          members.map(({ name, key, write }) => [key, write((value as Record<string, unknown>)[name] ?? null)]),
        )
      : value
}

function enumWriter(values: Record<string, number>): Writer {
  const names = new Map(Object.entries(values).map(([name, number]) => [number, name]))
  return (value) => names.get(value as number) ?? value
}

/** Compiles a writer: PascalCase members, enums by name, bytes as `bin`. */
export function messagePackWriter(schema: z.core.$ZodType): Writer {
  const { enumValues, wire } = z.globalRegistry.get(schema) ?? {}
  const values = enumValues as Record<string, number> | undefined
  if (values) {
    return enumWriter(values)
  }
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return wire === 'array' ? arrayWriter(def.shape) : objectWriter(def.shape)
    case 'array': {
      const item = messagePackWriter(def.element)
      return item === asIs ? asIs : (value) => (Array.isArray(value) ? value.map(item) : value)
    }
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return messagePackWriter(def.innerType)
    case 'pipe':
      return messagePackWriter(def.out)
    case 'string':
      return writeString((def as { format?: string }).format)
    default:
      return asIs
  }
}
