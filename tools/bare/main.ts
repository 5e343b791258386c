/** `npm run test:bare`: the README's commands and `.ci/run` on an empty Debian. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureDebianPackages } from '../debian-packages.mjs'
import { answerHelp, readOptions } from '../help.mjs'
import { cloneInto, makeSystem, runInside } from './system.ts'
import { missingIn } from './missing.ts'

const steps = {
  start: { command: 'npm ci && npm start -- --headless', until: /^Listening on /m },
  test: { command: 'npm ci && npm test', until: undefined },
  ci: { command: 'CI=true .ci/run', until: undefined },
}
type Step = keyof typeof steps
const names = Object.keys(steps) as Step[]

answerHelp(`npm run test:bare [-- --only ${names.join('|')}] [-- --folder FOLDER]

Makes an empty Debian with debootstrap, clones the last commit into it, and runs there what the README and CI run, with
nothing of this machine but Node and its network settings. Needs root, about 8 GB and an hour for everything.

  --only STEP      one step: start (the README's first command), test (its second), ci (.ci/run)
  --folder FOLDER  where the system is made; by default below /var/tmp`)

const { values } = readOptions({
  options: { only: { type: 'string' }, folder: { type: 'string', default: '/var/tmp' } },
})
const wanted = names.filter((name) => values.only === undefined || name === values.only)
const problem =
  wanted.length === 0
    ? `There is no step ${values.only}; try ${names.join(', ')}.`
    : process.getuid?.() !== 0
      ? 'An empty Debian is made by root only; run this with sudo.'
      : await ensureDebianPackages({ debootstrap: ['debootstrap'] })
if (problem) {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

const system = mkdtempSync(join(values.folder, 'farhand-bare-'))
// Makes the root folder accessible to all users of the system; temporary folders are private by default.
chmodSync(system, 0o755)
process.on('exit', () => rmSync(system, { recursive: true, force: true }))
process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143))

await makeSystem(system)
for (const name of wanted) {
  const { command, until } = steps[name]
  cloneInto(system)
  const started = performance.now()
  const { isPassed, output } = await runInside(system, command, until)
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  process.stdout.write(`\n${isPassed ? 'passed' : 'FAILED'} in ${minutes} min: ${command}\n`)
  for (const missing of missingIn(output)) {
    process.stdout.write(`  missing: ${missing}\n`)
  }
  if (!isPassed) {
    process.exitCode = 1
  }
}
