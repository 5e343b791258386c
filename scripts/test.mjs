/**
 * `npm test`: everything, from the packages that the tests use to the end-to-end story. `npm test -- <part of a path>`
 * builds and runs only the matching tests; options (`-t name`, `--headed`) go to their runner.
 */
import './node-version.mjs'
// Not by name: a Node without globSync could not even load this file to be told that it is too old.
import fs from 'node:fs'
import { build } from './build.mjs'
import { ensureDebianPackages } from './debian-packages.mjs'
import { must, root, tool } from './processes.mjs'

const args = process.argv.slice(2)
const parts = args.filter((arg) => !arg.startsWith('-'))
const files = fs.globSync('test/**/*.{test,spec}.{ts,tsx}', { cwd: root }).map((file) => file.replaceAll('\\', '/'))
const matches = (/** @type {string} */ kind) =>
  files.some((file) => file.includes(`.${kind}.`) && parts.some((part) => file.includes(part)))
const isWhole = args.length === 0

const problem = await ensureDebianPackages()
if (problem) {
  console.error(problem)
  process.exit(1)
}
await build()
if (isWhole) {
  await must('scripts/check.mjs', [])
}
if (isWhole || matches('test')) {
  await must(tool('vitest'), ['run', ...args])
}
if (isWhole || matches('spec')) {
  await must(tool('@playwright/test', 'playwright'), ['test', ...args])
}
if (!isWhole && !matches('test') && !matches('spec')) {
  console.error(`No test file matches ${args.join(' ')}`)
  process.exit(1)
}
