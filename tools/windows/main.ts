/** `npm run test:windows`: tests agent and server for Windows in Wine 8 and, with PowerShell, in Wine 10. */
import { ensureDebianPackages, windowsPackages } from '../debian-packages.mjs'
import { answerHelp } from '../help.mjs'
import { run, tool } from '../processes.mjs'
import { prepareWine } from '../wine/prepare.ts'
import { stopWine } from '../wine/wine.ts'
import { ensureDebian13 } from './debian-13.ts'
import { ensurePowerShell, placePowerShell } from './power-shell.ts'
import { buildAgent } from './release.ts'
import { buildServer } from './server.ts'
import { makeWindows, switchOff } from './windows.ts'

answerHelp(`npm run test:windows [-- OPTIONS]

Runs agent and server for Windows in two environments, and says what could not be tried there:
- Wine 8 of this system, for the desktop (also alone: npm run test:wine);
- Wine 10 of a Debian 13 in a folder below ~/.cache/farhand, for the installer, the services and updates, with PowerShell
  for Windows from NuGet in the place of Windows PowerShell.
The tests of both run at the same time. Installs what it needs where it may (root). Options go to Vitest, such as
--project=windows for the second alone. FARHAND_NIGHT=1 adds the installation by a command with a pin.`)

/** Prepares Wine 10; returns a sentence if it cannot. */
async function prepareWindows(): Promise<string | undefined> {
  const problem = (await ensureDebian13()) ?? ensurePowerShell() ?? (await ensureDebianPackages(windowsPackages))
  if (problem) {
    return problem
  }
  const node = await buildAgent()
  await buildServer(node)
  await makeWindows(node, placePowerShell)
  return undefined
}

const options = process.argv.slice(2)
const has = (project: string) =>
  !options.some((one) => one.startsWith('--project=')) || options.includes(`--project=${project}`)
const others = options.filter((one) => !one.startsWith('--project='))

/** Runs the files of one environment one after another, because they use the same Windows. */
const testsIn = (project: string, flag: string) =>
  run(
    process.execPath,
    [
      tool('vitest'),
      'run',
      '--reporter=verbose',
      '--no-file-parallelism',
      // A file that the options name is in one of the environments.
      '--passWithNoTests',
      `--project=${project}`,
      ...others,
    ],
    { env: { ...process.env, [flag]: '1' } },
  )

try {
  // The environments share nothing, and their tests mostly wait.
  const running: Promise<number>[] = []
  if (has('wine')) {
    await prepareWine()
    running.push(testsIn('wine', 'FARHAND_WINE'))
  }
  const problem = has('windows') ? await prepareWindows() : 'It was not asked for.'
  if (problem === undefined) {
    running.push(testsIn('windows', 'FARHAND_WINDOWS'))
  } else {
    console.log(`Skipped: installers, services and updates in Wine 10. ${problem}`)
  }
  process.exitCode = Math.max(0, ...(await Promise.all(running)))
} finally {
  stopWine()
  switchOff()
}
