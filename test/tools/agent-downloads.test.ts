import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import turbo from '@julusian/jpeg-turbo'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { stage } from '../../tools/agents/bundle.ts'
import { partsAtHand } from '../../tools/agents/downloads.ts'
import { startXvfb } from '../../tools/simulate/display.ts'

const parts = partsAtHand('linux-x64')
let folder: string

describe.skipIf(process.platform !== 'linux' || parts === undefined)('the agent that devices download', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'farhand-download-'))
    await stage('linux-x64', parts!, folder)
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('has the native parts of its own system alone', () => {
    const native = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.node'))
    expect(native.map((name) => basename(name).replace(/-[\d.]+(?=\.node)/, '')).toSorted()).toEqual([
      'bufferutil.node',
      'node-napi-v10.node',
      'pty.node',
      'sharp-linux-x64.node',
    ])
    expect(native.filter((name) => !name.includes('linux-x64'))).toEqual([])
  })

  test('shows a desktop without any file of this checkout, and ends with its parent process', async () => {
    const display = await startXvfb('320x200x24')
    onTestFinished(() => display.stop())
    const desktop = spawn(join(folder, 'node'), [join(folder, 'main.js'), 'desktop'], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', HOME: folder, DISPLAY: display.name },
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    })
    onTestFinished(() => void desktop.kill())
    const channel = desktop.stdio[3] as Socket
    channel.write(`${JSON.stringify({ call: 1, name: 'preview', args: {} })}\n`)
    const [line] = (await once(createInterface(channel), 'line')) as [string]
    const { result } = JSON.parse(line) as { result: { isSuccess: boolean; jpeg: string } }
    expect(result.isSuccess).toBe(true)
    const { width, height } = await turbo.decompress(Buffer.from(result.jpeg, 'base64'), { format: turbo.FORMAT_RGB })
    expect([width, height]).toEqual([320, 200])
    const ended = once(desktop, 'exit')
    channel.end()
    expect(await ended).toEqual([0, null])
  })
})
