/** Every entry under a Node that is too old: one sentence, status 1, no trace. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../tools/processes.mjs'
import { isNight } from '../support/night.ts'
import { nodeProblem, oldestNode } from '../../shared/node-version.ts'

/** Makes a process report another version of Node. */
const pretend = (version: string) => {
  const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

const run = (node: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: root, encoding: 'utf8' })
  return { status, stdout, stderr }
}

const versionOf = (node: string) => run(node, '-p', 'process.versions.node').stdout.trim()

/** Another Node of this machine, which may really be old. */
const others = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter((file) => existsSync(file))
const old = others.find((file) => nodeProblem('', oldestNode.server, versionOf(file)) !== undefined)

const scripts = ['run', 'start', 'dev', 'build', 'check', 'test', 'icons'].map((name) => `tools/${name}.mjs`)
const entries = [
  ['server/main.ts', oldestNode.server],
  ['dist/server/main.js', oldestNode.server],
  ['agent/main.ts', oldestNode.agent],
  ['dist/agent/main.js', oldestNode.agent],
  ...scripts.map((file) => [file, oldestNode.server] as const),
] as const

const refusal = (oldest: string, version: string) => ({
  status: 1,
  stdout: '',
  stderr: expect.stringMatching(
    new RegExp(
      `^Farhand\\S*( \\w+)? needs Node ${oldest} or newer and this is Node ${version}: install [^\\n]*\\.\\n$`,
    ),
  ),
})

describe('an entry under a Node that is too old', () => {
  test.each(entries)('%s says in one sentence what to do', (file, oldest) => {
    expect(run(process.execPath, ...pretend('18.20.8'), file)).toEqual(refusal(oldest, '18.20.8'))
  })

  test.each(['demo', 'bench', 'documents', 'openapi', 'test-hub'])('npm run %s prints the same sentence', (name) => {
    const { scripts: lines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const args = lines[name]!.split(' ').slice(1)
    expect(run(process.execPath, ...pretend('18.20.8'), ...args)).toEqual(refusal(oldestNode.server, '18.20.8'))
  })

  // Only a really old Node shows whether an import of the entry already fails. Scripts of developers are tried at night.
  const tried = entries.filter(([file]) => file.endsWith('js') && (isNight || /dist|start/.test(file)))
  test.skipIf(!old).each(tried.filter(([, oldest]) => old && nodeProblem('', oldest, versionOf(old))))(
    '%s prints the same sentence under the old Node of this machine',
    (file, oldest) => {
      expect(run(old ?? '', file)).toEqual(refusal(oldest, versionOf(old ?? '')))
    },
  )

  test.each(['server/main.ts', 'agent/main.ts'])('%s loads no other file before it has checked the version', (file) => {
    const imports = (name: string) => readFileSync(join(root, name), 'utf8').match(/^import .*/gm) ?? []
    expect(imports(file)).toEqual(["import { nodeProblem, oldestNode } from '../shared/node-version.ts'"])
    expect(imports('shared/node-version.ts')).toEqual([])
  })
})

test.each([
  ['24.2', '24.1.0', true],
  ['24.2', '24.2.0', false],
  ['24.2', '26.0.0', false],
  ['24.2', '9.99.0', true],
  ['20.19', '20.2.0', true],
  ['20.19', '22.0.0', false],
])('Node %s or newer is needed: %s is too old: %s', (oldest, running, isTooOld) => {
  expect(nodeProblem('It', oldest, running) !== undefined).toBe(isTooOld)
})

test('the version in package.json is the one that the agent needs', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } }
  expect(engines.node).toBe(`>=${oldestNode.agent}`)
})

test('the built agent has the pages of the windows that it shows', () => {
  const pages = (folder: string) => readdirSync(join(root, folder)).toSorted()
  expect(pages('dist/agent/window')).toEqual(pages('agent/desktop/window'))
})
