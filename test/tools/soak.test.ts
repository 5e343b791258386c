import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { isNight } from '../support/night.ts'

const program = path.resolve(import.meta.dirname, '../../tools/soak/main.ts')

interface Held {
  sockets: number
  serverFiles: number
  agentFiles: number
  sessions: number
  scratchFiles: number
}

function endGroup({ pid = 0 }: ChildProcess) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Ended.
  }
}

// `npm run soak` is the same for half an hour.
test.runIf(process.platform === 'linux' && isNight)(
  'sessions of all kinds, half of them interrupted, leave nothing open',
  async () => {
    // A process group, so that a failure leaves none of its servers, agents and displays running.
    const soak = spawn(process.execPath, [program, '--seconds', '12', '--calm'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => endGroup(soak))
    const figures = await text(soak.stdout)
    const { visits, afterQuarter, atEnd } = JSON.parse(figures) as {
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
