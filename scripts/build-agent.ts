/**
 * Builds the agent if its sources changed: dist/agent (one file per source file) and the downloads for devices. Runs at
 * every `npm start`, so build dependencies are loaded lazily.
 */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { must, root, tool } from './processes.mjs'
import { isStale } from './stale.mjs'

const at = (name: string) => path.join(root, name)

const sources = ['agent', 'shared', 'package.json', 'tsconfig.base.json'].map(at)
const downloadInputs = [
  ...sources,
  ...['package-lock.json', 'scripts/agents', 'resources/release-notes.md', 'LICENSE'].map(at).filter(existsSync),
]

/**
 * Runs `build` when `stamp` is older than an input. The stamp is written after the build, so that a failed build is
 * retried.
 */
async function keepFresh(stamp: string, inputs: readonly string[], build: () => Promise<void>) {
  if (isStale(stamp, inputs)) {
    await build()
    writeFileSync(stamp, '')
  }
}

await Promise.all([
  keepFresh(at('dist/agent/.built'), sources, () => must(tool('typescript', 'tsc'), ['-b', 'agent'])),
  keepFresh(at('dist/downloads/.built'), downloadInputs, async () => {
    const { refreshDownloads } = await import('./agents/downloads.ts')
    await refreshDownloads({ begin: () => {}, made: (text) => void process.stdout.write(`${text}\n`) })
  }),
])
