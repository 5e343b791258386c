/**
 * `npm test`: runs everything, from installing the packages that the tests use to the end-to-end story. `npm test --
 * <part of a path>` builds what the matching tests need and runs only those; options (`-t name`, `--headed`) go to
 * their runner. `npm run test:fast`: runs the tests worth running after every change, in process and from source only.
 */
import './node-version.mjs'
// Namespace import: a Node without globSync must load this file to report its unsupported version.
import fs from 'node:fs'
import { build } from './build.mjs'
import { debianPackages, ensureDebianPackages, fastPackages } from './debian-packages.mjs'
import { answerHelp } from './help.mjs'
import { useMemoryFolder } from './memory-folder.mjs'
import { must, root, tool } from './processes.mjs'
import { printRetriedAtExit } from './retried-tests.mjs'

answerHelp(`npm test [-- PART_OF_A_PATH...] [-- OPTIONS]
npm run test:fast [-- OPTIONS]

Everything but the tests at night, or the tests whose path contains one of the parts, with what they need built. test:fast: what is worth running
after every change. Options go to the runner (Vitest, or Playwright for .spec files): -t NAME, --headed.`)

const isFast = process.argv.includes('--fast')
const args = process.argv.slice(2).filter((arg) => arg !== '--fast')

/** Folders of quick tests; `vitest.config.ts` leaves the slow ones in them out. */
const fast = ['shared', 'signalr', 'server', 'agent', 'renderer'].map((folder) => `test/${folder}/`)

/** Tests of build results, including every browser test; the others run from source. */
const ofBuilt = /\.spec\.|^test\/(main|network|tools)\//

async function runFast() {
  const choice = ['--reporter=dot', '--reporter=./tools/retried-tests.mjs', ...fast]
  await must(tool('vitest'), ['run', ...choice, ...args], { env: { ...process.env, FARHAND_FAST: '1' } })
}

async function runAll() {
  await build()
  await must('tools/check.mjs', ['--before-tests'])
  await must(tool('vitest'), ['run'])
  await must(tool('@playwright/test', 'playwright'), ['test'])
}

async function runMatching() {
  const parts = args.filter((arg) => !arg.startsWith('-'))
  const files = fs
    .globSync('test/**/*.{test,spec}.{ts,tsx}', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => parts.some((part) => file.includes(part)))
  if (files.length === 0) {
    console.error(`No test file matches ${args.join(' ')}`)
    process.exit(1)
  }
  if (files.some((file) => ofBuilt.test(file))) {
    await build()
  }
  if (files.some((file) => file.includes('.test.'))) {
    // `.test.` chooses the runner and names no file.
    const named = parts.some((part) => !part.startsWith('.')) ? { FARHAND_NAMED: '1' } : {}
    await must(tool('vitest'), ['run', ...args], { env: { ...process.env, ...named } })
  }
  if (files.some((file) => file.includes('.spec.'))) {
    await must(tool('@playwright/test', 'playwright'), ['test', ...args])
  }
}

printRetriedAtExit()
// Before the runners start, so that their own compiled code is cached too.
useMemoryFolder()
const problem = await ensureDebianPackages(isFast ? fastPackages : debianPackages)
if (problem) {
  console.error(problem)
  process.exit(1)
}
await (isFast ? runFast() : args.length === 0 ? runAll() : runMatching())
