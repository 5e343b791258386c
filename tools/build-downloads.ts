/**
 * Builds the downloads for devices if the agent changed. Runs at every `npm start`, so build dependencies are loaded lazily.
 */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './processes.mjs'
import { isStale } from './stale.mjs'

const at = (name: string) => path.join(root, name)

const inputs = [
  ...['agent', 'shared', 'package.json', 'tsconfig.base.json', 'package-lock.json', 'tools/agents'].map(at),
  ...['resources/release-notes.md', 'LICENSE'].map(at).filter(existsSync),
]
const stamp = at('dist/downloads/.built')

if (isStale(stamp, inputs)) {
  const { refreshDownloads } = await import('./agents/downloads.ts')
  await refreshDownloads({ begin: () => {}, made: (text) => void process.stdout.write(`${text}\n`) })
  // Written after the build, so that a failed build is retried.
  writeFileSync(stamp, '')
}
