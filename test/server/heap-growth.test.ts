import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Keeps half a million objects for some turns, as a flood of connections does; prints the largest space of new ones. */
const load = `
  const { getHeapSpaceStatistics } = await import('node:v8')
  const { limitHeapGrowth } = await import(process.argv[1])
  limitHeapGrowth()
  const kept = []
  let most = 0
  for (let turn = 0; turn < 1_500; turn++) {
    kept.push(Array.from({ length: 1_000 }, (_, index) => ({ index, turn })))
    if (kept.length > 500) {
      kept.shift()
    }
    await new Promise((resolve) => setImmediate(resolve))
    most = Math.max(most, getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size)
  }
  process.stdout.write(String(most))`

test('a load of objects that live for some turns does not enlarge the space of new objects (T40)', async () => {
  const module = new URL('../../server/heap-growth.ts', import.meta.url).href
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', load, module])
  expect(Number(stdout)).toBeLessThanOrEqual(32 * 1024 * 1024)
})
