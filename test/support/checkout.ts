import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Script in place of the agent build scripts: prints their output, and waits where they would fetch. */
const script = `
import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
const [runtime] = process.argv.slice(2)
process.on('SIGTERM', () => (writeFileSync('ended', ''), process.exit(1)))
process.stdout.write('[1/3] Fetching node-' + runtime + '\\n')
while (!existsSync('go') && !existsSync('fail')) {
  await setTimeout(20)
}
if (existsSync('fail')) {
  process.stderr.write('Error: node cannot be fetched from the npm registry.\\n    at somewhere\\n')
  process.exit(1)
}
`

/** Creates a checkout whose builds wait for `let`, and then succeed or fail. */
export function checkoutIn(folder: string) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "scripts": { "agents": "node build.ts" } }')
  writeFileSync(join(folder, 'build.ts'), script)
  return {
    folder,
    let: (outcome: 'go' | 'fail') => writeFileSync(join(folder, outcome), ''),
    /** Whether a build was killed. */
    wasEnded: () => existsSync(join(folder, 'ended')),
  }
}
