import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serverProgram } from '../../support/built-programs.ts'
import { isNight, some } from '../../support/night.ts'
import { temporaryFolder } from '../../support/server-process.ts'

let folder: string
beforeAll(async () => {
  folder = await temporaryFolder(afterAll)
  writeFileSync(join(folder, 'copy'), '')
})

/** Runs a command in a folder without data, and gives it an empty standard input. */
const run = (args: readonly string[]) => {
  const env = { ...process.env, Service_DataDirectory: join(folder, 'data') }
  const { status, stdout, stderr } = spawnSync(process.execPath, [serverProgram, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    input: '',
  })
  return { status, stdout, stderr }
}

const failing: [args: string[], sentence: string][] = [
  [['frobnicate'], 'frobnicate is no command; --help lists them (command line)'],
  [['restore'], 'restore needs the file of a backup; "restore --help" explains it (command line)'],
  [['restore', '/nowhere'], 'There is no file /nowhere.'],
  [['restore', 'copy'], 'Recovery key is missing: type it, or pass it on standard input.'],
  [['recovery-key', 'check'], 'Recovery key is missing: type it, or pass it on standard input.'],
  [['audit', 'verify'], 'There is no data of Farhand in '],
]

// Each takes a process.
test.each(some(failing, 4))('%j ends with 1 and a sentence on standard error', (args, sentence) => {
  expect(run(args)).toEqual({ status: 1, stdout: '', stderr: expect.stringContaining(sentence) })
})

test.runIf(isNight)('--version prints the version', () => {
  expect(run(['--version'])).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+\n$/), stderr: '' })
})
