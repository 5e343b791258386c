/** `npm run test:wine`: tests the agent's Windows bundle in Wine, against a real server. */
import { answerHelp } from '../help.mjs'
import { run, tool } from '../processes.mjs'
import { prepareWine } from './prepare.ts'
import { stopWine } from './wine.ts'

answerHelp(`npm run test:wine [-- OPTIONS]

Runs the agent for Windows in Wine against a real server, and says what could not be tried there. Installs Wine where it
may (root); Node and the native parts for Windows come from npm. Options go to Vitest.`)

try {
  await prepareWine()
  const args = ['run', '--project=wine', '--no-file-parallelism', '--reporter=verbose', ...process.argv.slice(2)]
  process.exitCode = await run(process.execPath, [tool('vitest'), ...args], {
    env: { ...process.env, FARHAND_WINE: '1' },
  })
} finally {
  stopWine()
}
