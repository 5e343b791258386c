import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { vi } from 'vitest'

export type Manner = 'well' | 'dies'

/** Read before a test makes this process another program. */
const node = process.execPath

/** A program in one file, with the manners that a test wants of a version. */
export const program = (version: string, manner: Manner) => `#!${node}
const { appendFileSync } = require('node:fs')
const { DatabaseSync } = require('node:sqlite')
const data = process.env.Service_DataDirectory
const note = (text) => appendFileSync(data + '/../started', '${version}' + text + '\\n')
note(' ' + process.argv.slice(2).join(' '))
if (!process.send) process.exit(0)
new DatabaseSync(data + '/farhand.db').exec("INSERT INTO notes VALUES ('${version}')")
if ('${manner}' === 'dies') process.exit(3)
process.on('disconnect', () => (note(' goes on alone'), process.exit(0)))
require('node:http').createServer((request, response) => {
  response.end(request.url === '/health' ? 'Healthy' : '"${version}"')
}).listen(0, '127.0.0.1', function () {
  process.send({ farhand: 'listening', urls: ['http://127.0.0.1:' + this.address().port] })
  process.send({ farhand: 'agents-back', count: 0 })
})
`

export function writeProgram(file: string, content: string) {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, 0o755)
}

/** Installed desktop program of one kind. */
export interface InstalledKind {
  /** File that people start. */
  started: string
  /** Puts a version into its folder, as `store` does with its package. */
  stage(folder: string, version: string, manner: Manner): void
}

function appImageIn(folder: string): InstalledKind {
  const started = path.join(folder, 'Apps', 'Farhand.AppImage')
  writeProgram(started, program('0.1.0.0', 'well'))
  vi.stubEnv('APPIMAGE', started)
  return {
    started,
    stage: (to, version, manner) => writeProgram(path.join(to, 'Farhand.AppImage'), program(version, manner)),
  }
}

/** Makes this process look like a packaged program of another system. */
function pretend(platform: NodeJS.Platform, execPath: string) {
  vi.spyOn(process, 'platform', 'get').mockReturnValue(platform)
  vi.spyOn(process, 'execPath', 'get').mockReturnValue(execPath)
}

function foldersIn(
  folder: string,
  {
    platform,
    entry,
    stored,
    executable,
  }: Record<'entry' | 'stored' | 'executable', string> & { platform: NodeJS.Platform },
): InstalledKind {
  const started = path.join(folder, entry, executable)
  writeProgram(started, program('0.1.0.0', 'well'))
  writeFileSync(path.join(folder, entry, 'Uninstall Farhand.exe'), 'uninstaller')
  vi.stubEnv('LOCALAPPDATA', path.join(folder, 'Local'))
  pretend(platform, started)
  return {
    started,
    stage: (to, version, manner) => writeProgram(path.join(to, stored, executable), program(version, manner)),
  }
}

/** A package with the real dpkg, in a database of its own; a stand-in for pkexec installs without asking. */
function debianIn(folder: string): InstalledKind {
  const [bin, database] = [path.join(folder, 'bin'), path.join(folder, 'dpkg')]
  const started = path.join(folder, 'opt', 'Farhand', 'farhand')
  mkdirSync(path.join(database, 'info'), { recursive: true })
  mkdirSync(path.join(database, 'updates'))
  writeFileSync(path.join(database, 'status'), '')
  const dpkg = `dpkg --force-not-root --force-bad-path --force-downgrade --log=${folder}/dpkg.log --admindir=${database}`
  writeProgram(
    path.join(bin, 'pkexec'),
    `#!/bin/sh\n[ -e ${folder}/declined ] && { echo 'Request dismissed' >&2; exit 126; }\necho "$*" >> ${folder}/asked\nshift 4\nexec ${dpkg} --install "$1"\n`,
  )
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`)
  vi.stubEnv('DPKG_ADMINDIR', database)
  const build = (file: string, version: string, manner: Manner) => {
    const tree = path.join(folder, 'packing')
    rmSync(tree, { recursive: true, force: true })
    writeProgram(path.join(tree, started), program(version, manner))
    const fields = [
      'Package: farhand',
      `Version: ${version.replace(/\.0$/, '')}`,
      'Architecture: all',
      'Maintainer: F <f@localhost>',
    ]
    mkdirSync(path.join(tree, 'DEBIAN'))
    writeFileSync(
      path.join(tree, 'DEBIAN', 'control'),
      `${[...fields, 'Description: test', ' more of it'].join('\n')}\n`,
    )
    writeProgram(path.join(tree, 'DEBIAN', 'postinst'), `#!/bin/sh\necho ${version} >> ${folder}/configured\n`)
    mkdirSync(path.dirname(file), { recursive: true })
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', tree, file], { stdio: 'pipe' })
  }
  const first = path.join(folder, 'first.deb')
  build(first, '0.1.0.0', 'well')
  execFileSync('sh', ['-c', `${dpkg} --install ${first}`], { stdio: 'pipe' })
  pretend('linux', started)
  return { started, stage: (to, version, manner) => build(path.join(to, 'farhand.deb'), version, manner) }
}

/** Installs 0.1.0.0 of each kind in a folder, and makes this process that program. */
export const desktopKinds = {
  AppImage: appImageIn,
  'folder of Windows': (folder: string) =>
    foldersIn(folder, { platform: 'win32', entry: 'Programs/Farhand', stored: 'Farhand', executable: 'Farhand.exe' }),
  'bundle of macOS': (folder: string) =>
    foldersIn(folder, {
      platform: 'darwin',
      entry: 'Applications/Farhand.app',
      stored: 'Farhand.app',
      executable: 'Contents/MacOS/Farhand',
    }),
  'Debian package': debianIn,
} satisfies Record<string, (folder: string) => InstalledKind>
export type DesktopKind = keyof typeof desktopKinds

export const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
