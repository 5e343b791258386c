/** Builds everything that is older than its sources, into dist/. Also called by `npm start` and `npm test`. */
import './node-version.mjs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import { buildServer } from './build-server.mjs'
import { answerHelp } from './help.mjs'
import { must, root, tool } from './processes.mjs'
import { isStale } from './stale.mjs'

const at = (/** @type {string} */ name) => path.join(root, name)

/** Compiles the shell, file by file; and the types of the server, which is bundled. */
const buildShell = () => must(tool('typescript', 'tsc'), ['-b', 'server', 'main'])

/** Builds the page after a change only, because Vite takes seconds. */
async function buildPage() {
  const inputs = ['renderer', 'shared', 'resources', 'package-lock.json', 'scripts/release'].map(at)
  if (isStale(at('dist/renderer/index.html'), inputs)) {
    await must(tool('vite'), ['build', '-c', 'renderer/vite.config.ts', '--logLevel', 'warn'])
    await must('scripts/release/notices.ts', [])
  }
}

/** Bundles the preload script as CommonJS: a sandboxed preload script may not import. */
async function buildPreload() {
  const outfile = at('dist/main/preload.cjs')
  if (!isStale(outfile, [at('main/preload.ts'), at('shared/ipc.ts')])) {
    return
  }
  const { channels } = await import(pathToFileURL(at('dist/shared/ipc.js')).href)
  buildSync({
    entryPoints: [at('main/preload.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    external: ['electron'],
    define: { FARHAND_CHANNELS: JSON.stringify(Object.keys(channels)) },
    sourcemap: true,
  })
}

/** Builds the agent and its downloads; the script checks what is stale. */
const buildAgent = () => must('scripts/build-agent.ts', [])

export async function build() {
  await buildShell()
  await Promise.all([buildPreload(), buildServer(), buildPage(), buildAgent()])
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  answerHelp('npm run build\n\nBuilds what is older than its sources, into dist/.')
  await build()
}
