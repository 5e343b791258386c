import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { registerOwner } from '../../support/server.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

/** Process that moves a folder, stopped before its rename. */
async function startMove(from: string, to: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../support/moving-child.ts'), from, to], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await until(() => output.includes('renaming'))
  const ended = once(child, 'close')
  return {
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async goOn() {
      child.stdin.write('go on\n')
      expect(await ended).toEqual([0, null])
    },
  }
}

test('no server starts in a data folder while it is moved, and the server starts in the new place', async () => {
  const folder = await temporaryFolder()
  const [from, to] = [join(folder, 'data'), join(folder, 'elsewhere', 'data')]
  const first = await startServerProcess(from)
  await registerOwner(first.url)
  await first.stop()

  const killed = await startMove(from, to)
  await expect(startServerProcess(from)).rejects.toThrow('is being moved by another Farhand')
  await killed.kill()
  const between = await startServerProcess(from)
  await between.stop()
  expect(await readdir(folder)).toEqual(['data', 'elsewhere'])

  const move = await startMove(from, to)
  await expect(startServerProcess(from)).rejects.toThrow('is being moved by another Farhand')
  await move.goOn()
  expect(existsSync(from)).toBe(false)
  expect(await readdir(folder)).toEqual(['elsewhere'])
  const moved = await startServerProcess(to)
  await expect(registerOwner(moved.url)).rejects.toThrow('Registration is closed')
  await moved.stop()
}, 60_000)
