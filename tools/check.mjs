/** `npm run check`: format, lint with boundaries, types, unused code. A warning is a failure. Runs all, then says which failed. */
import './node-version.mjs'
import { answerHelp } from './help.mjs'
import { run, tool } from './processes.mjs'

answerHelp('npm run check\n\nFormat, types, lint with boundaries, unused code. Runs all, then says which failed.')

/** @type {readonly (readonly [string, string, readonly string[]])[]} */
const steps = [
  ['format', tool('oxfmt'), ['--check']],
  // Several checkers of one program check the same types again: four take twice the processor time.
  ['types', tool('typescript', 'tsc'), ['-b', '--checkers', '1']],
  ['lint', tool('oxlint'), ['--type-aware', '--deny-warnings', '--report-unused-disable-directives']],
  [
    'boundaries',
    tool('vitest'),
    ['run', '--reporter=dot', 'test/surface/zones', 'test/surface/files', 'test/surface/words'],
  ],
  ['unused', tool('knip'), ['--treat-config-hints-as-errors', '--no-progress']],
]

const failed = []
for (const [name, file, args] of steps) {
  if ((await run(process.execPath, [file, ...args])) !== 0) {
    failed.push(name)
  }
}
console.log(failed.length > 0 ? `check failed: ${failed.join(', ')}` : 'check passed')
process.exitCode = failed.length > 0 ? 1 : 0
