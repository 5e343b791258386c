/** Entry. Only what any Node can read is imported here, so that one that is too old is told apart from a fault. */
import { nodeProblem, oldestNode } from '../shared/node-version.ts'

const problem = nodeProblem("Farhand's agent", oldestNode.agent, process.versions.node)
if (problem) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
} else {
  void import('./cli/program.ts').then(({ main }) => main(process.argv.slice(2)))
}
