/** `npm run test:night`: runs tests that take too long for every change. */
import './node-version.mjs'
import { build } from './build.mjs'
import { ensureDebianPackages } from './debian-packages.mjs'
import { answerHelp } from './help.mjs'
import { run, tool } from './processes.mjs'
import { printRetriedAtExit } from './retried-tests.mjs'

answerHelp(`npm run test:night [-- OPTIONS]

Every test, with random values from a new seed and ten times as many of them, more than 100 kills of backup, restore,
migration and update, and a simulated year; then every browser test five times. Takes hours. Options go to both runners.`)

const problem = await ensureDebianPackages()
if (problem) {
  console.error(problem)
  process.exit(1)
}
await build()
printRetriedAtExit()
const options = process.argv.slice(2)
const env = { ...process.env, FARHAND_NIGHT: '1' }
const statuses = [
  await run(process.execPath, [tool('vitest'), 'run', ...options], { env }),
  await run(process.execPath, [tool('@playwright/test', 'playwright'), 'test', '--repeat-each=5', ...options], { env }),
]
process.exitCode = Math.max(...statuses)
