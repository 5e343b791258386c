import { randomUUID } from 'node:crypto'

/** Ids of the same millisecond. */
const mostCounted = 0xfff

let newest = { ms: 0, count: 0 }

/**
 * Makes a UUID of version 7, which sorts after all earlier ones of this process: rows with the same time have the order in
 * which they were made.
 */
export function orderedId(now: number): string {
  const { ms, count } = newest
  newest = now > ms ? { ms: now, count: 0 } : count < mostCounted ? { ms, count: count + 1 } : { ms: ms + 1, count: 0 }
  const time = newest.ms.toString(16).padStart(12, '0')
  const counter = newest.count.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${randomUUID().slice(19)}`
}
