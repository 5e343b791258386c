import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../tools/processes.mjs'
import { compileSetup } from '../support/windows-setup.ts'

const ours = path.join(root, 'resources', 'installer')
const templates = path.join(root, 'node_modules', 'app-builder-lib', 'templates')
const read = (...names: string[]) => readFileSync(path.join(...names), 'utf8')

function temporaryFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-installer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test.runIf(process.platform === 'linux').each(['installer', 'uninstaller'] as const)(
  'the script of the Windows %s compiles without a warning',
  (kind) => {
    const folder = temporaryFolder()
    writeFileSync(path.join(folder, 'Farhand.exe'), '')
    compileSetup(folder, kind)
  },
)

test('the Windows uninstaller removes service, firewall rule, run entry and links, and keeps the data unless told otherwise', () => {
  const script = read(ours, 'windows.nsh')
  const uninstall = script.slice(script.indexOf('!macro customUnInstall'))
  for (const part of ['service uninstall', 'delete rule name=Farhand', String.raw`CurrentVersion\Run`, 'Classes']) {
    expect(uninstall).toContain(part)
  }
  expect(uninstall).toMatch(/MB_DEFBUTTON2 .* \/SD IDNO IDNO keepData\n(.*\n)*\s+RMDir(.*\n)*\s+keepData:/)
})

test.runIf(process.platform === 'linux')(
  'the scripts of the Debian package are those of electron-builder, with our part at their end, and bash reads them',
  () => {
    for (const [file, template] of [
      ['after-install.sh', 'after-install.tpl'],
      ['after-remove.sh', 'after-remove.tpl'],
    ] as const) {
      expect(read(ours, file).startsWith(read(templates, 'linux', template))).toBe(true)
      expect(read(ours, file).length).toBeGreaterThan(read(templates, 'linux', template).length)
    }
    for (const file of ['after-install.sh', 'after-remove.sh', 'before-remove.sh']) {
      execFileSync('bash', ['-n', path.join(ours, file)])
    }
    // Root has no display, and Chromium refuses both unless told.
    for (const file of ['after-install.sh', 'before-remove.sh']) {
      expect(read(ours, file)).toMatch(/' --no-sandbox --ozone-platform=headless service (un)?install \|\|\n/)
    }
    // Only a purge deletes data, and an upgrade removes no service.
    expect(read(ours, 'after-remove.sh')).toMatch(/if \[ "\$1" = purge \]; then\n {2}rm -rf \/var\/lib\/farhand/)
    expect(read(ours, 'before-remove.sh')).toContain('if [ "$1" = remove ]')
  },
)
