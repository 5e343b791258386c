import { randomUUID } from 'node:crypto'
import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { writeTarOf, type PackedFile } from '../../tools/agents/archives.ts'
import { sha256Of, signRelease } from '../../tools/release/sign.ts'
import type { Journal } from '../../server/engines/process/program-home.ts'
import { releaseFileName, type ReleaseFile, type ReleaseStatement } from '../../shared/release.ts'

/** Journal of an update from 1.0.0.0 to 2.0.0.0 that was fetched and not begun. */
export const stagedJournal = (changes: Pick<Journal, 'dataDirectory'> & Partial<Journal>): Journal => ({
  id: randomUUID(),
  kind: 'install',
  from: { name: '1.0.0.0', version: '1.0.0.0' },
  to: { name: '2.0.0.0', version: '2.0.0.0' },
  online: [],
  step: 'staged',
  attempts: 0,
  restoreFrom: null,
  reason: null,
  outcome: null,
  startedAt: 1,
  endedAt: null,
  ...changes,
})

const root = join(import.meta.dirname, '..', '..')
const platform = `${process.platform}-${process.arch}`

export const releaseKey = Buffer.alloc(32, 7).toString('base64')
export const otherKey = Buffer.alloc(32, 8).toString('base64')
/** Public half of `releaseKey`. */
export const trustedKey = '6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw='

/** Program whose server is a few lines, with the manners that a test wants of a version. */
const stub = (version: string, manner: string) => `
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { appendFileSync, writeFileSync } from 'node:fs'
const database = new DatabaseSync(process.env.Service_DataDirectory + '/farhand.db')
database.exec("PRAGMA journal_mode = WAL; INSERT INTO notes VALUES ('${version}')")
writeFileSync(process.env.Service_DataDirectory + '/../pid', String(process.pid))
process.on('SIGTERM', () => process.exit(0)).on('disconnect', () => process.exit(0))
if ('${manner}' === 'dies') {
  console.error('It cannot work.')
  process.exit(3)
}
const server = createServer((request, response) => {
  if ('${manner}' === 'unhealthy' && request.url === '/health') response.statusCode = 503
  response.end(request.url === '/health' ? 'Healthy' : '"${version}"')
  appendFileSync(process.env.Service_DataDirectory + '/../asked', request.url + '\\n')
})
const noteStart = () => appendFileSync(process.env.Service_DataDirectory + '/../started', '${version}\\n')
if ('${manner}' !== 'silent') {
  server.listen(0, '127.0.0.1', () => {
    process.send({ farhand: 'listening', urls: ['http://127.0.0.1:' + server.address().port] })
    process.send({ farhand: 'agents-back', count: Number(process.env.AGENTS_BACK ?? 0) }, noteStart)
  })
} else {
  setInterval(() => {}, 1000)
  noteStart()
}
`

const manifestOf = (version: string) => JSON.stringify({ version: version.replace(/\.0$/, ''), type: 'module' })
const keysFile = JSON.stringify({ keys: [trustedKey] })

export const stubFiles = (version: string, manner = 'well'): PackedFile[] => [
  { name: 'package.json', content: manifestOf(version) },
  { name: 'dist/server/main.js', content: stub(version, manner) },
]

/** Files of the built server as another version; `before` runs before its program. */
export function realFiles(version: string, before = ''): PackedFile[] {
  const folder = join(root, 'dist', 'server')
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
  return [
    { name: 'package.json', content: manifestOf(version) },
    { name: 'resources/release-keys.json', content: keysFile },
    ...names.map((name) =>
      name === 'main.js' && before !== ''
        ? { name: `dist/server/${name}`, content: `${before}\n${readFileSync(join(folder, name), 'utf8')}` }
        : { name: `dist/server/${name}`, from: join(folder, name) },
    ),
  ]
}

/** Puts files into a folder, by hard links where they exist. */
export function place(folder: string, files: readonly PackedFile[]) {
  for (const { name, from, content } of files) {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    if (from === undefined) {
      writeFileSync(file, content ?? '')
    } else {
      try {
        linkSync(from, file)
      } catch {
        // Another file system.
        cpSync(from, file)
      }
    }
  }
}

/** Installation whose current version has these files. The packages of the checkout are found above the versions. */
export function installationIn(folder: string, version: string, files: readonly PackedFile[]) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  const versionFolder = join(home, 'versions', version)
  place(versionFolder, files)
  writeFileSync(join(home, 'current'), `${version}\n`)
  return { home, main: join(versionFolder, 'dist', 'server', 'main.js') }
}

/** Data folder with a database as a server leaves it, and secrets beside it. */
export function dataIn(folder: string): string {
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const database = new DatabaseSync(join(data, 'farhand.db'))
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE migrations (position INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    INSERT INTO migrations (name) VALUES ('0001-create-notes');
    CREATE TABLE notes (text TEXT NOT NULL) STRICT; INSERT INTO notes VALUES ('first');`)
  database.close()
  writeFileSync(join(data, 'secrets.json'), '{"key":"secret"}', { mode: 0o600 })
  return data
}

export function notesIn(data: string): string[] {
  const database = new DatabaseSync(join(data, 'farhand.db'), { readOnly: false })
  try {
    return database
      .prepare('SELECT text FROM notes')
      .all()
      .map((row) => String(row['text']))
  } finally {
    database.close()
  }
}

interface Offer {
  version: string
  files: readonly PackedFile[]
  key?: string
  changes?: Partial<ReleaseStatement>
  file?: Partial<ReleaseFile>
}

/** Writes a signed release into a feed folder. */
export async function offer(feed: string, { version, files, key = releaseKey, changes, file }: Offer) {
  const name = `${version}/farhand-server-${version}-${platform}.tar.gz`
  const archive = join(feed, name)
  mkdirSync(dirname(archive), { recursive: true })
  await writeTarOf(
    files.map((each) => ({ ...each, name: `farhand/versions/${version}/${each.name}` })),
    archive,
  )
  const { size } = statSync(archive)
  const described = {
    path: name,
    kind: 'server',
    platform,
    bytes: size,
    sha256: sha256Of(archive),
    ...file,
  } as ReleaseFile
  const statement: ReleaseStatement = {
    purpose: 'farhand-release-1',
    version,
    minimumVersion: '0.1.0.0',
    signedAt: Date.now(),
    expiresAt: Date.now() + 86_400_000,
    notes: `What is new in ${version}`,
    files: [described],
    ...changes,
  }
  writeFileSync(join(feed, releaseFileName), JSON.stringify(await signRelease(statement, [key])))
  return { archive, statement }
}

/** Serves a folder; `answers` replaces the answer for a path. */
export async function serveFeed(folder: string, answers: Record<string, (response: ServerResponse) => void> = {}) {
  const server = createServer((request, response) => {
    const own = answers[request.url ?? '']
    if (own) {
      own(response)
      return
    }
    try {
      response.end(readFileSync(join(folder, new URL(request.url ?? '', 'http://feed').pathname)))
    } catch {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void (server.closeAllConnections(), server.close()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
