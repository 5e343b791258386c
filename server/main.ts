/** Headless entry. Imports only files that any Node can read, so that an outdated Node gets a message. */
import { nodeProblem, oldestNode } from '../shared/node-version.ts'

async function start() {
  const { enableCompileCache } = await import('node:module')
  // The compile cache is beside the program, writable only for users who may also write the program. If it is not
  // writable, the start only takes longer. Running from source needs no cache.
  if (import.meta.filename.endsWith('.js')) {
    enableCompileCache(`${import.meta.dirname}/../.compiled`)
  }
  const args = process.argv.slice(2)
  const { keepCurrentVersion } = await import('./updates/keep-version.ts')
  if (!(await keepCurrentVersion(args))) {
    const { runProgram } = await import('./app.ts')
    await runProgram(args)
  }
}

const problem = nodeProblem("Farhand's server", oldestNode.server, process.versions.node)
if (problem) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
} else {
  void start()
}
