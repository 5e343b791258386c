/** `npm run package`: builds installers for this system, including the agents for every system. */
import './node-version.mjs'
import { build } from './build.mjs'
import { answerHelp } from './help.mjs'
import { must, run, tool } from './processes.mjs'

answerHelp(`npm run package [-- OPTION...]

Builds the program and the agents for every system, and makes installers for this system in out/. Options go to
electron-builder. The first time, Electron's program and the tools that make installers are fetched from github.com.`)

await build()
await must('tools/agents/main.ts', [])
const status = await run(process.execPath, [tool('electron-builder'), ...process.argv.slice(2)])
if (status !== 0) {
  console.error(`
Nothing was packaged. The agents are built; what failed is electron-builder, which says why above.
If it could not reach github.com: Electron's program and the tools that make installers come from there the first time.
ELECTRON_MIRROR and ELECTRON_BUILDER_BINARIES_MIRROR name other places.`)
  process.exitCode = status
}
