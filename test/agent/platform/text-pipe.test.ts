import { spawnSync } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPipe, writePipe } from '../../../agent/platform/linux/wayland/text-pipe.ts'
import { temporaryFolder } from '../support.ts'

const limitMs = 50

function newPipe() {
  const path = join(temporaryFolder(), 'pipe')
  spawnSync('mkfifo', [path])
  return path
}

test('a text of the clipboard passes a pipe whole', async () => {
  const path = newPipe()
  const [readEnd, writeEnd] = [openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), openSync(path, 'w')]
  const text = 'grüße, 你好\n'.repeat(100_000)
  const [read] = await Promise.all([readPipe(readEnd), writePipe(writeEnd, text)])
  expect(read.toString()).toBe(text)
})

test('a program that does not end its text, or does not read ours, is given up after a time', async () => {
  const both = () => openSync(newPipe(), 'r+')
  await expect(readPipe(both(), 'text', limitMs)).rejects.toThrow('does not pass on what it copied')
  await expect(writePipe(both(), 'x'.repeat(1_000_000), limitMs)).rejects.toThrow('does not pass on what it copied')
})
