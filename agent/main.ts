/** Entry point. Imports only files that any Node version can load, so that an outdated Node is reported as such. */
import { nodeProblem, oldestNode } from '../shared/node-version.ts'

const problem = nodeProblem("Farhand's agent", oldestNode.agent, process.versions.node)
if (problem) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
} else {
  void import('./cli/program.ts').then(({ main }) => main(process.argv.slice(2)))
}
