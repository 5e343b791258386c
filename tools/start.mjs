/**
 * `npm start`: builds what is stale, then runs the desktop appliance, or the headless server where no window can be
 * shown. `--headless` forces the latter; every other argument is passed to the program. Exits with the program's
 * status.
 */
import './node-version.mjs'
import { build } from './build.mjs'
import { findElectron, whyHeadless } from './electron-binary.mjs'
import { answerHelp } from './help.mjs'
import { run } from './processes.mjs'

answerHelp(`npm start [-- --headless] [-- --config FILE]

Builds what is stale, then opens the window, or serves without one where none can be shown.

  --headless      no window
  --config FILE   settings file (JSON), without a window

All settings: node dist/server/main.js --help, or docs/configuration.md.`)

const args = process.argv.slice(2).filter((arg) => arg !== '--headless')
const isForced = process.argv.includes('--headless')
const electron = findElectron()
const reason = isForced ? undefined : whyHeadless(process.env, process.platform, electron)

await build()
if (reason) {
  console.log(`Running headless: ${reason}.`)
}
// Chromium's sandbox does not run as root, the usual user of containers and test machines.
const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []
process.exitCode =
  isForced || reason || !electron
    ? await run(process.execPath, ['dist/server/main.js', ...args])
    : await run(electron, [...asRoot, '.', ...args])
