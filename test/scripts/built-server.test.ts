import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withServer } from '../../scripts/simulate/server-process.ts'

const root = join(import.meta.dirname, '..', '..')
const others = 0o022

test('the compile cache is kept when the built server stops, with the file mode of the program', async () => {
  await withServer({}, async ({ url }) => expect((await fetch(`${url}/health`)).status).toBe(200))
  const kept = globSync('dist/.compiled/**', { cwd: root }).map((file) => statSync(join(root, file)))
  expect(kept.some(({ size }) => size > 500_000)).toBe(true)
  const program = statSync(join(root, 'dist/server')).mode & others
  expect(kept.filter(({ mode }) => (mode & others & ~program) !== 0)).toEqual([])
})
