import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../tools/processes.mjs'

const isTest = (name: string) =>
  ['wine', 'windows'].some((folder) => existsSync(path.join(root, 'test', folder, `${name}.test.ts`)))

test('a row of docs/platforms.md that was seen on Windows names tests that are there', () => {
  const rows = readFileSync(path.join(root, 'docs/platforms.md'), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const seen = rows.filter(([, , , windows]) => windows?.startsWith('seen:'))
  const wrong = seen.filter(([, , , windows = '']) => {
    const [, names] = /^seen: ([a-z-]+(?:, [a-z-]+)*)(?=[:;]| \[|$)/.exec(windows) ?? []
    return !names?.split(', ').every(isTest)
  })
  expect(wrong).toEqual([])
  expect(seen.length).toBeGreaterThan(20)
})
