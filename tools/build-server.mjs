/**
 * Bundles the server into dist/server: `main.js` starts it headless, `app.js` is imported by the desktop shell. Reading
 * 1,218 small files took half of the start time. Lazily loaded modules (`import()`) remain separate files.
 */
// Namespace import: a Node without globSync must load this file to report its unsupported version.
import fs from 'node:fs'
import path from 'node:path'
import { root } from './processes.mjs'
import { isStale } from './stale.mjs'

const at = (/** @type {string} */ name) => path.join(root, name)
const inputs = ['server', 'shared', 'package-lock.json', 'tools/build-server.mjs'].map(at)

/** Native programs, optional packages of others, and a package whose files are served. */
const external = [
  'sqlite3',
  'bufferutil',
  'utf-8-validate',
  '@node-rs/argon2',
  '@napi-rs/keyring',
  'koffi',
  'pg-hstore',
  'pg-native',
  'swagger-ui-dist',
]

/** Packages in the older module format expect these names. */
const banner = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname`

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  // The engine keeps the source in memory. Names and short lines remain, so that stack traces can be read; for source
  // lines, run the bundle with `node --enable-source-maps`.
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
  sourcemap: true,
  sourcesContent: false,
  external,
  banner: { js: banner },
  logLevel: 'warning',
}

const ormFile = 'sequelize.js'
/**
 * Leads imports of Sequelize to its own bundle.
 *
 * @type {import('esbuild').Plugin}
 */
const orm = {
  name: 'orm',
  setup: ({ onResolve }) => onResolve({ filter: /^sequelize$/ }, () => ({ path: `./${ormFile}`, external: true })),
}

export async function buildServer() {
  if (!isStale(at('dist/server/main.js'), inputs)) {
    return
  }
  // Keeps the compiler's declarations; deletes earlier bundles and Node's compile cache.
  for (const old of fs.globSync('dist/{server/**/*.{js,js.map},.compiled}', { cwd: root })) {
    fs.rmSync(at(old), { recursive: true })
  }
  const { build } = await import('esbuild')
  await Promise.all([
    build({
      ...common,
      entryPoints: ['server/main.ts', 'server/app.ts'],
      outdir: 'dist/server',
      splitting: true,
      plugins: [orm],
    }),
    build({
      ...common,
      stdin: { contents: "export * from 'sequelize'", resolveDir: root },
      outfile: `dist/server/${ormFile}`,
      // Sequelize makes SQL types of the names of its classes. Kept names take 256 bytes, and time, for each closure
      // that is made, so the server itself does without.
      keepNames: true,
    }),
  ])
}
