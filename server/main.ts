/** Headless entry. Only what any Node can read is imported here, so that a Node that is too old is reported as such. */
import { nodeProblem, oldestNode } from '../shared/node-version.ts'

async function start() {
  const { enableCompileCache } = await import('node:module')
  // What Node compiled is kept beside the program: whoever may write there may write the program too. If we may not, a
  // start only takes longer. From source nothing is kept.
  if (import.meta.filename.endsWith('.js')) {
    enableCompileCache(`${import.meta.dirname}/../.compiled`)
  }
  const { main } = await import('./program.ts')
  await main(process.argv.slice(2))
}

const problem = nodeProblem("Farhand's server", oldestNode.server, process.versions.node)
if (problem) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
} else {
  void start()
}
