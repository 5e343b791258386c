import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../tools/processes.mjs'

const text = readFileSync(path.join(root, 'docs/threats.md'), 'utf8')

/** Sections of the page: number, state, and the named files. */
const sections = text
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    number: section.slice(0, 3),
    state: /^State: (\w+)\./m.exec(section)?.[1],
    files: [...section.matchAll(/`([\w./-]+\.(?:ts|tsx))`/g)].map(([, file]) => file!),
  }))

const numberOf = (file: string) => path.basename(file).slice(0, 3)

describe('docs/threats.md', () => {
  test('has each number once, in order', () => {
    const numbers = sections.map(({ number }) => number)
    expect(numbers).toEqual([...new Set(numbers)].toSorted())
  })

  test('has the same states in its table and its sections', () => {
    const rows = [...text.matchAll(/^\| \[(T\d\d)\]\(#(t\d\d)\) +\| .+? +\| (\w+) +\|$/gm)]
    expect(rows.map(([, number, , state]) => [number, state])).toEqual(
      sections.map(({ number, state }) => [number, state]),
    )
    expect(rows.every(([, number, link]) => number!.toLowerCase() === link)).toBe(true)
  })

  test('names only files that exist', () => {
    const named = sections.flatMap(({ number, files }) => files.map((file) => `${number} ${file}`))
    expect(named.filter((one) => !existsSync(path.join(root, one.slice(4))))).toEqual([])
  })

  test.each(sections)('$number has tests or is marked as open', ({ state, files }) => {
    expect(['holds', 'partly', 'open']).toContain(state)
    const tests = files.filter((file) => file.startsWith('test/'))
    expect(tests.length > 0).toBe(state !== 'open')
  })

  test('names every threat test under its number', () => {
    const written = globSync(['test/security/*.test.ts', 'test/renderer/T*.spec.ts'], { cwd: root }).map((file) =>
      file.replaceAll('\\', '/'),
    )
    const named = sections.flatMap(({ number, files }) => files.filter((file) => numberOf(file) === number))
    expect(named.toSorted()).toEqual(written.toSorted())
  })
})
