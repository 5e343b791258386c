/** Fails a file that leaves other environment variables than it found: the next file of its worker would have them too. */
import { afterAll, vi } from 'vitest'

/** Set for the whole process by libraries that are loaded or used for the first time. */
const ofLibraries = new Set(['APPLICATION_INSIGHTS_NO_STATSBEAT', 'VIPSHOME'])

const before = { ...process.env }
afterAll(() => {
  vi.unstubAllEnvs()
  const names = Object.keys({ ...before, ...process.env }).filter(
    (name) => process.env[name] !== before[name] && !ofLibraries.has(name),
  )
  if (names.length > 0) {
    throw new Error(`This file changes environment variables for the files after it: ${names.join(', ')}`)
  }
})
