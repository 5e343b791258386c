import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { startChild } from '../../tools/simulate/child-program.ts'
import { temporaryFolder } from '../agent/support.ts'
import { until } from '../support/until.ts'

const helper = new URL('../../tools/simulate/child-program.ts', import.meta.url).href

/** False for a zombie, too, which waits for the first process of a container. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('a started program ends with the process that started it, also after SIGKILL', async () => {
  const script = join(temporaryFolder(), 'parent.ts')
  writeFileSync(
    script,
    `import { startChild } from '${helper}'
     const child = startChild(['-e', 'setInterval(() => {}, 1000)'], ['ignore', 'pipe', 'inherit'])
     console.log(child.pid)
     setInterval(() => {}, 1000)`,
  )
  const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string]
  expect(isRunning(Number(line))).toBe(true)
  parent.kill('SIGKILL')
  await until(() => !isRunning(Number(line)))
})

test('a started program that has nothing left to do ends by itself', async () => {
  const child = startChild(['-e', '0'], ['ignore', 'pipe', 'inherit'])
  expect(await once(child, 'exit')).toEqual([0, null])
})
