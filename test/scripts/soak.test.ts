import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'

const program = path.resolve(import.meta.dirname, '../../scripts/soak/main.ts')

interface Held {
  sockets: number
  serverFiles: number
  agentFiles: number
  sessions: number
  scratchFiles: number
}

// `npm run soak` is the same for half an hour.
test.runIf(process.platform === 'linux')(
  'sessions of all kinds, half of them interrupted, leave nothing open',
  { timeout: 180_000 },
  () => {
    const soaked = spawnSync(process.execPath, [program, '--seconds', '16'], { encoding: 'utf8', timeout: 150_000 })
    expect(soaked.status, soaked.stderr).toBe(0)
    const { visits, afterQuarter, atEnd } = JSON.parse(soaked.stdout) as {
      visits: Record<string, { done: number; stuck: number }>
      afterQuarter: Held
      atEnd: Held
    }
    for (const [kind, { done, stuck }] of Object.entries(visits)) {
      expect({ kind, stuck, hasWorked: done > 0 }).toEqual({ kind, stuck: 0, hasWorked: true })
    }
    expect({ sessions: atEnd.sessions, scratchFiles: atEnd.scratchFiles }).toEqual({ sessions: 0, scratchFiles: 0 })
    // A connection that is kept for the next request, or not any more, makes a few.
    const few = 6
    expect(atEnd.serverFiles).toBeLessThanOrEqual(afterQuarter.serverFiles + few)
    expect(atEnd.agentFiles).toBeLessThanOrEqual(afterQuarter.agentFiles + few)
  },
)
