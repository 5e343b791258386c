import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { agentProgram } from '../../support/built-programs.ts'
import { canActAsSomebody, somebody } from '../../support/somebody.ts'
import { asUser } from '../../../agent/platform/unix/agent-channel.ts'

test.skipIf(!canActAsSomebody)(
  'the process of a desktop that root starts for a user runs as that user from then on',
  async () => {
    const desktop = spawn(process.execPath, [agentProgram, 'desktop', asUser(somebody)], {
      cwd: '/',
      env: { DISPLAY: ':4095' },
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    })
    onTestFinished(() => void desktop.kill())
    const channel = desktop.stdio[3] as Socket
    channel.write(`${JSON.stringify({ call: 1, name: 'check', args: {} })}\n`)
    await once(createInterface(channel), 'line')
    const status = readFileSync(`/proc/${desktop.pid}/status`, 'utf8')
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
    expect(status).toMatch(/^Gid:\t65534\t65534\t65534\t65534$/m)
    expect(status).toMatch(/^Groups:\t65534 ?$/m)
    expect(status).toMatch(/^CapEff:\t0+$/m)
  },
)
