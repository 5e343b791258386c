/** Every command line says what it does when it is asked, and does nothing else. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { installerText } from '../../tools/agents/downloads.ts'
import { root } from '../../tools/processes.mjs'
import { isNight } from '../support/night.ts'
import { agentProgram, serverProgram } from '../support/built-programs.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

/** The scripts that run a file of ours; `format` is a program with a help of its own. */
const ours = Object.entries(manifest.scripts).filter(([, line]) => line.startsWith('node ') && !line.includes('&&'))

/** By day, only the commands for people who use Farhand or begin to work on it: the rest takes half a minute. */
const first = ['start', 'dev', 'build', 'check', 'test', 'demo', 'bench']
const asked = ours.filter(([name]) => isNight || first.includes(name))

const run = (program: string, args: string[], input?: string) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8', input, timeout: 30_000 })
  return { status, stdout, stderr }
}

test('no script runs before another, which would delay its help', () => {
  const names = Object.keys(manifest.scripts)
  expect(names.filter((name) => names.some((other) => name === `pre${other}`))).toEqual([])
})

describe('--help', { timeout: 60_000 }, () => {
  test.each(asked)('npm run %s', (name, line) => {
    const args = line.split(' ').slice(1)
    const { status, stdout, stderr } = run(process.execPath, [...args, '--help'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^npm (run )?${name.replace(':fast', '')}\\b`))
  })

  test.each([
    ['the server', serverProgram],
    ['the agent', agentProgram],
  ] as const)('%s', (_, file) => {
    const { status, stdout, stderr } = run(process.execPath, [file, '--help'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/usage|agent/i)
  })

  test.runIf(process.platform !== 'win32')('the installer for Linux', () => {
    for (const args of [['--help'], ['install', '--help'], []]) {
      const { status, stdout, stderr } = run('sh', ['-s', '--', ...args], installerText('linux-x64'))
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toContain('FARHAND_INSTALLER_KEY_SECRET')
    }
  })
})

test.each(['demo', 'bench', 'test-hub'])('npm run %s rejects an unknown option in one sentence', (name) => {
  const args = manifest.scripts[name]!.split(' ').slice(1)
  const { status, stdout, stderr } = run(process.execPath, [...args, '--bogus'])
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^Unknown option '--bogus'.*\nTry --help\.\n$/)
})
