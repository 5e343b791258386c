/** Headless entry. Only what any Node can read is imported here, so that a Node that is too old is reported as such. */
import * as nodeModule from 'node:module'
import { nodeProblem, oldestNode } from '../shared/node-version.ts'

/**
 * What Node compiled is kept beside the program: whoever may write there may write the program too. If we may not, a
 * start only takes longer. From source nothing is kept.
 */
function keepCompiledCode() {
  if (import.meta.filename.endsWith('.js')) {
    nodeModule.enableCompileCache(`${import.meta.dirname}/../.compiled`)
  }
}

const problem = nodeProblem("Farhand's server", oldestNode.server, process.versions.node)
if (problem) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
} else {
  keepCompiledCode()
  void import('./program.ts').then(({ main }) => main(process.argv.slice(2)))
}
