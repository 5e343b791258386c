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
Installs what it needs where it may (root). Options go to Vitest, such as --project=windows for the second alone.`)

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
try {
  const env = { ...process.env }
  if (has('wine')) {
    await prepareWine()
    env['FARHAND_WINE'] = '1'
  }
  const problem = has('windows') ? await prepareWindows() : 'it was not asked for'
  if (problem === undefined) {
    env['FARHAND_WINDOWS'] = '1'
  } else {
    console.log(`Skipped: installers, services and updates in Wine 10. ${problem}`)
  }
  const projects = options.some((one) => one.startsWith('--project=')) ? [] : ['--project=wine', '--project=windows']
  // All files use the same Windows.
  const args = ['run', '--reporter=verbose', '--no-file-parallelism', ...projects, ...options]
  process.exitCode = await run(process.execPath, [tool('vitest'), ...args], { env })
} finally {
  stopWine()
  switchOff()
}
