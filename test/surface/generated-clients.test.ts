/** Clients that two generators write from our interface descriptions compile. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { npm } from '../../tools/agents/packages.ts'
import { tool } from '../../tools/processes.mjs'
import { isNight } from '../support/night.ts'
import { documents } from '../support/openapi.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'farhand-clients-'))
afterAll(() => rmSync(folder, { recursive: true }))

const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2024',
  module: 'preserve',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
}

/** Programs that write a TypeScript client from a document. */
const generators = [
  (from: string, to: string) => [tool('orval', 'orval', folder), '--input', from, '--output', to, '--client', 'fetch'],
  (from: string, to: string) => [tool('oazapfts', 'oazapfts', folder), from, to],
]

test('two generators write clients of the documents that compile', { timeout: 300_000 }, async () => {
  cpSync(join(import.meta.dirname, 'generators'), folder, { recursive: true })
  await npm(['ci', '--ignore-scripts'], folder)
  const files: string[] = []
  // The deprecated interface has the schemas of the other two.
  for (const [position, name] of ['v1', 'appliance'].entries()) {
    const source = join(folder, `${name}.json`)
    writeFileSync(source, JSON.stringify(documents.get(name)))
    for (const [index, command] of generators.entries()) {
      // By day each generator reads one of the documents.
      if (!isNight && index !== position) {
        continue
      }
      const file = `${name}-${index}.ts`
      await run(process.execPath, command(source, join(folder, file)), { cwd: folder })
      files.push(file)
    }
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const compiled = run(process.execPath, [tool('typescript', 'tsc'), '-p', folder])
  const { stdout } = await compiled.catch((error: unknown) => error as { stdout: string })
  expect(stdout).toBe('')
})
