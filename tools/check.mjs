/** `npm run check`: format, lint with boundaries, types, unused code. A warning is a failure. Runs all, then says which failed. */
import './node-version.mjs'
import { answerHelp } from './help.mjs'
import { rareCollections, run, tool } from './processes.mjs'

answerHelp(`npm run check [-- --before-tests]

Format, types, lint with boundaries, unused code. Runs all, then says which failed. --before-tests leaves out the tests of
boundaries, which npm test runs again.`)

const isBeforeTests = process.argv.includes('--before-tests')

// Threads of one checker or linter check the same types again, which takes up to twice the processor time: so each has one
// thread, and the two run beside each other.
const env = { ...rareCollections, GOMAXPROCS: '1' }

/** @typedef {readonly [name: string, file: string, args: readonly string[]]} Step */

const strict = ['--deny-warnings', '--report-unused-disable-directives']
const surface = ['zones', 'files', 'words'].map((name) => `test/surface/${name}`)
/** @type {Step} */
const boundaries = ['boundaries', tool('vitest'), ['run', '--reporter=dot', ...surface]]

/**
 * Steps that run beside each other, each one after the other.
 * @type {readonly (readonly Step[])[]}
 */
const lanes = [
  [['types', tool('typescript', 'tsc'), ['-b', '--checkers', '1']]],
  [
    ['format', tool('oxfmt'), ['--check']],
    ['lint', tool('oxlint'), ['--type-aware', '--tsconfig', 'tsconfig.lint.json', ...strict]],
    ...(isBeforeTests ? [] : [boundaries]),
    ['unused', tool('knip'), ['--treat-config-hints-as-errors', '--no-progress']],
  ],
]

/** @type {string[]} */
const failed = []
await Promise.all(
  lanes.map(async (steps) => {
    for (const [name, file, args] of steps) {
      if ((await run(process.execPath, [file, ...args], { env })) !== 0) {
        failed.push(name)
      }
    }
  }),
)
console.log(failed.length > 0 ? `check failed: ${failed.join(', ')}` : 'check passed')
process.exitCode = failed.length > 0 ? 1 : 0
