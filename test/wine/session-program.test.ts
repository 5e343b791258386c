import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { agentFolder, startWindows, windowsPath, wineFolder } from '../../scripts/wine/wine.ts'

test('a process is started with a token, comes to its pipe, is watched and ended; no other is let in', async () => {
  // Beside the packages for Windows.
  const file = path.join(agentFolder, 'session-program.mjs')
  await build({
    entryPoints: [path.join(import.meta.dirname, 'session-program.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['koffi'],
  })
  const log = path.join(wineFolder, 'session-program.log')
  const program = startWindows([path.join(agentFolder, 'node.exe'), windowsPath(file)], log)
  const [status] = (await once(program, 'exit')) as [number | null]
  const text = readFileSync(log, 'utf8')
  expect(status, text).toBe(0)
  expect(JSON.parse(text.split('\n').find((line) => line.startsWith('{')) ?? '{}')).toEqual({
    sid: expect.stringMatching(/^S-1-5-21-/),
    said: [['with "quotes" and blanks\\'], 'string'],
    ended: 'status 7',
    killed: 'status 1',
    refusal: 'Another program came to the pipe of its process.',
    missing: 'Windows did not start a program in this session: it was not found (2).',
  })
}, 60_000)
