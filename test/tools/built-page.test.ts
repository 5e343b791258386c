import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..', 'dist', 'renderer')

test('the scripts that every page of the built interface loads first have less than 2 MB, and no terminal', () => {
  const page = readFileSync(join(root, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, file]) => file!)
  const scripts = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  expect(scripts.length).toBeGreaterThan(500_000)
  expect(scripts.length).toBeLessThan(2_000_000)
  expect(scripts).not.toContain('xterm-helper-textarea')
})
