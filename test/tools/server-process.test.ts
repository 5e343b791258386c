import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startProcess } from '../../tools/simulate/server-process.ts'

const startScript = (script: string) => startProcess('', [], {}, ['--input-type=module', '--eval', script])

test('a server that a signal has ended can be stopped again', async () => {
  const server = await startScript(`console.log('Listening on http://localhost'); setInterval(() => {}, 1000)`)
  await server.stop()
  await server.stop()
})

test('a temporary folder is removed by a process that exits within its scope', async () => {
  const module = fileURLToPath(new URL('../../tools/simulate/temporary-folder.ts', import.meta.url))
  const server = await startScript(`
    const { temporaryFolder } = await import(${JSON.stringify(module)})
    const folder = await temporaryFolder()
    process.once('SIGTERM', () => process.exit(1))
    console.log('Listening on ' + folder.path)
    setInterval(() => {}, 1000)`)
  expect(existsSync(server.url)).toBe(true)
  await server.stop()
  expect(existsSync(server.url)).toBe(false)
})
