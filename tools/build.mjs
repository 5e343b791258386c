/** Builds everything that is older than its sources, into dist/. Also called by `npm start` and `npm test`. */
import './node-version.mjs'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import { buildServer } from './build-server.mjs'
import { answerHelp } from './help.mjs'
import { must, rareCollections, root, run, tool } from './processes.mjs'
import { isStale } from './stale.mjs'

const at = (/** @type {string} */ name) => path.join(root, name)

/**
 * Compiles the shell, file by file, and checks the types of server and agent, which are bundled. A type error ends the
 * build before anything is bundled. Types of the page take as long as the whole build: `npm run check` checks them.
 */
async function compile() {
  // Checkers check shared types again, each for itself: four on two cores take longer than one.
  const checkers = os.availableParallelism() > 2 ? '4' : '1'
  const args = [tool('typescript', 'tsc'), '-b', '--checkers', checkers, 'server', 'main', 'agent']
  const status = await run(process.execPath, args, { env: rareCollections })
  // A status above 128 is that of a signal: somebody ended the build.
  if (status !== 0 && status < 128) {
    console.error(
      '\nThe build failed: correct the type errors above. The server and the page in dist/ are those of the last build.',
    )
  }
  if (status !== 0) {
    process.exit(status)
  }
}

/** Bundles the agent as devices get it, with the pages of its windows: it starts in half of the time of 400 small files. */
async function buildAgent() {
  const inputs = ['agent', 'shared', 'package-lock.json', 'tools/agents/bundle.ts'].map(at)
  if (isStale(at('dist/agent/main.js'), inputs)) {
    // Keeps the compiler's declarations.
    fs.globSync('dist/agent/**/*.{js,js.map}', { cwd: root }).forEach((old) => fs.rmSync(at(old)))
    const { bundleAgent } = await import('./agents/bundle.ts')
    await bundleAgent(at('dist/agent'))
    fs.cpSync(at('agent/desktop/window'), at('dist/agent/window'), { recursive: true })
  }
}

/** Builds the page after a change only, because Vite takes seconds. */
async function buildPage() {
  const inputs = ['renderer', 'shared', 'resources', 'package-lock.json', 'tools/release'].map(at)
  if (isStale(at('dist/renderer/index.html'), inputs)) {
    // A test that starts a build would otherwise get React's development code.
    const env = { ...process.env, NODE_ENV: 'production' }
    await must(tool('vite'), ['build', '-c', 'renderer/vite.config.ts', '--logLevel', 'warn'], { env })
    await must('tools/release/notices.ts', [])
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

/** Builds the downloads for devices; the script checks whether they are stale. */
const buildDownloads = () => must('tools/build-downloads.ts', [])

/** Returns a function that prints the steps of a first build, which takes half a minute; later builds print none. */
function firstBuildReport() {
  if (fs.existsSync(at('dist/server/main.js'))) {
    return () => {}
  }
  console.log('Building everything the first time: half a minute, or some minutes on a busy computer.')
  return (/** @type {string} */ step) => console.log(`Building: ${step} …`)
}

/** Builds what is stale. */
export async function build() {
  const report = firstBuildReport()
  report('compiling')
  await compile()
  report('bundling the server, the page, and the agent for this system')
  await Promise.all([buildPreload(), buildServer(), buildAgent(), buildPage(), buildDownloads()])
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  answerHelp('npm run build\n\nBuilds what is older than its sources, into dist/.')
  await build()
}
