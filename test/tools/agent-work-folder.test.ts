import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inWorkFolder } from '../../tools/agents/work-folder.ts'
import { root } from '../../tools/processes.mjs'
import { temporaryFolder } from '../support/server-process.ts'

/** Another process that makes something in a folder below `parent` and does not come to an end. */
async function maker(parent: string) {
  const program = `
    import { inWorkFolder } from ${JSON.stringify(join(root, 'tools/agents/work-folder.ts'))}
    process.once('SIGTERM', () => process.exit(143))
    await inWorkFolder(${JSON.stringify(parent)}, 'fetching', () => {
      console.log('begun')
      return new Promise((resolve) => setTimeout(resolve, 600_000))
    })`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return { end }
}

test('the next build removes folders of interrupted processes, and none of a running process', async () => {
  const parent = await temporaryFolder()
  mkdirSync(join(parent, '.fetching-of-somebody-else'))
  const [killed, running] = [await maker(parent), await maker(parent)]
  await killed.end('SIGKILL')
  expect(readdirSync(parent)).toHaveLength(3)
  const seen = await inWorkFolder(parent, 'fetching', () => Promise.resolve(readdirSync(parent)))
  expect(seen).toHaveLength(3)
  expect(seen.filter((name) => name.includes(`-${process.pid}-`))).toHaveLength(1)
  expect(readdirSync(parent)).toHaveLength(2)
  await running.end('SIGTERM')
  expect(readdirSync(parent)).toEqual(['.fetching-of-somebody-else'])
})

test('a folder older than any build is removed too, even if its process id is in use again', async () => {
  const parent = await temporaryFolder()
  const names = [`.fetching-${process.pid}-older`, '.fetching-older', '.fetching-newer', '.other-older', 'older']
  for (const name of names) {
    mkdirSync(join(parent, name))
    if (name.endsWith('older')) {
      utimesSync(join(parent, name), 0, 0)
    }
  }
  await inWorkFolder(parent, 'fetching', () => Promise.resolve())
  expect(readdirSync(parent).sort()).toEqual(['.fetching-newer', '.other-older', 'older'])
})

test('a folder is removed when its build fails', async () => {
  const parent = await temporaryFolder()
  const failing = inWorkFolder(parent, 'fetching', () => Promise.reject(new Error('no network')))
  await expect(failing).rejects.toThrow('no network')
  expect(readdirSync(parent)).toEqual([])
})
