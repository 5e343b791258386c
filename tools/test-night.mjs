/** `npm run test:night`: runs tests that take too long for every change. */
import './node-version.mjs'
// Namespace import: a Node without globSync must load this file to report its unsupported version.
import fs from 'node:fs'
import { build } from './build.mjs'
import { debianPackages, ensureDebianPackages, nightPackages } from './debian-packages.mjs'
import { answerHelp } from './help.mjs'
import { root, run, tool } from './processes.mjs'
import { printRetriedAtExit } from './retried-tests.mjs'

answerHelp(`npm run test:night [-- PART_OF_A_PATH...] [-- OPTIONS]

Every test, with random values from a new seed and ten times as many of them, more than 100 kills of backup, restore,
migration and update, and a simulated year; then the tests without a browser at other dates and in other time zones, and every
browser test five times. Takes hours; parts of a
path select the files. Options go to each runner that has such files.`)

/** Local times at which code breaks that compares a written date with today's, by time zone. */
const instants = {
  UTC: ['2027-05-04 00:10', '2027-05-04 11:50', '2027-05-04 23:50', '2028-02-29 23:30', '2039-06-15 12:00'],
  'Europe/Berlin': ['2027-03-28 01:55', '2027-10-31 02:55'],
  'Asia/Kathmandu': ['2027-05-04 05:30'],
}

/** Runs the tests at each of these times; timers keep the real speed, and files the real dates. */
async function runAtInstants() {
  const status = []
  for (const [zone, times] of Object.entries(instants)) {
    for (const time of times) {
      console.log(`\nAt ${time} in ${zone}`)
      const env = { ...process.env, TZ: zone, FAKETIME_DONT_FAKE_MONOTONIC: '1', FARHAND_NAMED: '1' }
      const choice = ['--project=other', '--reporter=dot', ...options]
      status.push(await run('faketime', [time, process.execPath, tool('vitest'), 'run', ...choice], { env }))
    }
  }
  return Math.max(...status)
}

const options = process.argv.slice(2)
const parts = options.filter((option) => !option.startsWith('-'))
const has = (/** @type {string} */ kind) =>
  parts.length === 0 ||
  fs.globSync(`test/**/*.${kind}.{ts,tsx}`, { cwd: root }).some((file) => parts.some((part) => file.includes(part)))
if (!has('test') && !has('spec')) {
  console.error(`No test file matches ${parts.join(' ')}`)
  process.exit(1)
}
const problem = await ensureDebianPackages({ ...debianPackages, ...nightPackages })
if (problem) {
  console.error(problem)
  process.exit(1)
}
await build()
printRetriedAtExit()
const env = { ...process.env, FARHAND_NIGHT: '1' }
const browserTests = [tool('@playwright/test', 'playwright'), 'test', '--repeat-each=5', ...options]
const statuses = [
  has('test') ? await run(process.execPath, [tool('vitest'), 'run', ...options], { env }) : 0,
  has('test') ? await runAtInstants() : 0,
  has('spec') ? await run(process.execPath, browserTests, { env }) : 0,
]
process.exitCode = Math.max(...statuses)
