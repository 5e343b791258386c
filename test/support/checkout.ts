import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What stands in the place of the scripts that build agents: says what they say, and waits where they fetch. */
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

/** A checkout whose builds wait until `let` is called: then they are done, or fail. */
export function checkoutIn(folder: string) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "scripts": { "agents": "node build.ts" } }')
  writeFileSync(join(folder, 'build.ts'), script)
  return {
    folder,
    let: (outcome: 'go' | 'fail') => writeFileSync(join(folder, outcome), ''),
    /** Whether somebody ended a build. */
    wasEnded: () => existsSync(join(folder, 'ended')),
  }
}
