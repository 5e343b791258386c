/** `npm run test:repeat -- FILE`: checks whether a test passes every time on a machine under load. */
import './node-version.mjs'
import { availableParallelism } from 'node:os'
import { build } from './build.mjs'
import { ensureDebianPackages } from './debian-packages.mjs'
import { answerHelp, readOptions } from './help.mjs'
import { run, start, tool } from './processes.mjs'

answerHelp(`npm run test:repeat -- FILE [--times 20] [-t NAME]

Runs one test file 20 times without retries, while as many other processes as there are processors do nothing but count.
Prints how many runs failed, and stops at none. Run it on every test that races something, before it is merged.

  --times N   runs
  -t NAME     only the tests with this name`)

const { values, positionals } = readOptions({
  allowPositionals: true,
  options: { times: { type: 'string', default: '20' }, t: { type: 'string', short: 't' } },
})
const [file] = positionals
const times = Number(values.times)
const problem =
  file === undefined || positionals.length > 1 || !Number.isInteger(times) || times < 1
    ? 'Give one test file, and a whole number of times. Try --help.'
    : await ensureDebianPackages()
if (problem || file === undefined) {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

const isSpec = file.includes('.spec.')
const only = values.t === undefined ? [] : [isSpec ? '-g' : '-t', values.t]
const command = isSpec
  ? [tool('@playwright/test', 'playwright'), 'test', file, '--retries=0', ...only]
  : [tool('vitest'), 'run', file, '--retry=0', ...only]
if (isSpec) {
  await build()
}

const load = Array.from({ length: availableParallelism() }, () => start(process.execPath, ['-e', 'for (;;);']).child)
process.on('exit', () => load.forEach((child) => child.kill('SIGKILL')))
let failed = 0
for (let count = 1; count <= times; count++) {
  failed += (await run(process.execPath, command, { env: { ...process.env, FARHAND_NAMED: '1' } })) === 0 ? 0 : 1
  console.log(`\nrun ${count} of ${times}: ${failed} failed\n`)
}
process.exit(failed > 0 ? 1 : 0)
