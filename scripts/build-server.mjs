/**
 * Bundles the server into dist/server: `main.js` starts it headless, `app.js` is what the desktop shell imports. Reading
 * 1,218 small files took half of a start. What is loaded later (`import()`) stays in files of its own.
 */
// Not by name: a Node without globSync could not even load this file to be told that it is too old.
import fs from 'node:fs'
import path from 'node:path'
import { root } from './processes.mjs'
import { isStale } from './stale.mjs'

const at = (/** @type {string} */ name) => path.join(root, name)
const inputs = ['server', 'shared', 'package-lock.json', 'scripts/build-server.mjs'].map(at)

/** Native programs, packages that others ask for where they are installed, and one whose files are served. */
const external = [
  'sqlite3',
  'bufferutil',
  'utf-8-validate',
  '@node-rs/argon2',
  '@napi-rs/keyring',
  'pg-hstore',
  'swagger-ui-dist',
]

/** Packages in the older module format expect these names. */
const banner = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname`

export async function buildServer() {
  if (!isStale(at('dist/server/main.js'), inputs)) {
    return
  }
  // The compiler's declarations stay; what was bundled before goes, with what Node kept of it.
  for (const old of fs.globSync('dist/{server/**/*.{js,js.map},.compiled}', { cwd: root })) {
    fs.rmSync(at(old), { recursive: true })
  }
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: root,
    entryPoints: ['server/main.ts', 'server/app.ts'],
    outdir: 'dist/server',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    // Readable as it is; for the lines of the sources run it with `node --enable-source-maps`.
    sourcemap: true,
    sourcesContent: false,
    external,
    // Times are kept in UTC: 0.7 MB of time zones stay on the disk.
    alias: { 'moment-timezone': 'moment-timezone/moment-timezone.js' },
    banner: { js: banner },
    logLevel: 'warning',
  })
}
