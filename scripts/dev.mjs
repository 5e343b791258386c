/**
 * `npm run dev`: the server restarts and the page reloads when a source file changes. The page is at the address that
 * Vite prints. `--agent` also runs the agent from source; what follows it goes to the agent (`run` when nothing does).
 */
import './node-version.mjs'
import { answerHelp } from './help.mjs'
import { start, tool } from './processes.mjs'

answerHelp(`npm run dev [-- --agent [COMMAND OPTIONS]]

The server restarts and the page reloads when a source file changes; open the address that Vite prints.

  --agent   also runs the agent from source, with "run" or what follows: -- --agent run -s http://127.0.0.1:5120 ...`)

const at = process.argv.indexOf('--agent')
const agentArgs = at < 0 ? undefined : process.argv.slice(at + 1)

const parts = [
  start(process.execPath, ['--watch', 'server/main.ts'], {
    env: { Service_Environment: 'Development', ...process.env },
  }),
  start(process.execPath, [tool('vite'), '-c', 'renderer/vite.config.ts']),
  ...(agentArgs
    ? [start(process.execPath, ['--watch', 'agent/main.ts', ...(agentArgs.length > 0 ? agentArgs : ['run'])])]
    : []),
]
// One part that ends takes the others along: half a development server only confuses.
process.exitCode = await Promise.race(parts.map((part) => part.ended))
for (const { child } of parts) {
  child.kill('SIGTERM')
}
