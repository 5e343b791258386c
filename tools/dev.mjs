/**
 * `npm run dev`: restarts the server and reloads the page when a source file changes. Vite prints the page's address.
 * `--agent` also runs the agent from source; later arguments are the agent's (`run` by default).
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
// Ends all processes when the first ends, because a partial development server is misleading.
process.exitCode = await Promise.race(parts.map((part) => part.ended))
for (const { child } of parts) {
  child.kill('SIGTERM')
}
