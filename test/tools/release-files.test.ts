import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSbom } from '../../tools/release/sbom.ts'
import { joinSystemFiles, writeSystemFiles } from '../../tools/release/system-files.ts'
import { sha256Of } from '../../tools/release/sign.ts'
import { writeWingetManifests } from '../../tools/release/winget.ts'
import { temporaryFolder } from '../support/server-process.ts'

/** Writes what a system made for a release. */
function build(out: string, system: string, version = '0.2.0.0') {
  const name = `farhand-server-${version}-${system}.tar.gz`
  const file = join(out, name)
  writeFileSync(file, `Program for ${system}`)
  const described = {
    path: name,
    kind: 'server',
    platform: system,
    bytes: 11 + 1 + system.length,
    sha256: sha256Of(file),
  }
  writeSystemFiles(out, system, { version, files: [{ ...described, kind: 'server' }] })
  return file
}

test('the files of all systems are joined, and their lists are gone', async () => {
  const out = await temporaryFolder()
  build(out, 'linux-x64')
  build(out, 'win32-x64')
  const { version, files } = joinSystemFiles(out, '0.2.0.0')
  expect([version, ...files.map(({ platform }) => platform)]).toEqual(['0.2.0.0', 'linux-x64', 'win32-x64'])
  expect(existsSync(join(out, 'files-linux-x64.json'))).toBe(false)
})

test('nothing is signed if a file changed after it was built, or the systems built different versions', async () => {
  const out = await temporaryFolder()
  expect(() => joinSystemFiles(out, '0.2.0.0')).toThrow('no list of files')
  writeFileSync(build(out, 'linux-x64'), 'Program for linuxxx')
  expect(() => joinSystemFiles(out, '0.2.0.0')).toThrow(
    'farhand-server-0.2.0.0-linux-x64.tar.gz is missing, or is not the file that was built',
  )
  build(out, 'linux-x64')
  build(out, 'darwin-arm64', '0.3.0.0')
  expect(() => joinSystemFiles(out, '0.2.0.0')).toThrow('files of 0.3.0.0, 0.2.0.0')
})

test('nothing is signed beside a file that no system listed, or for a version that is not this one', async () => {
  const out = await temporaryFolder()
  build(out, 'linux-x64')
  writeFileSync(join(out, 'farhand-desktop.exe'), 'From elsewhere')
  expect(() => joinSystemFiles(out, '0.2.0.0')).toThrow('farhand-desktop.exe is in no list')
  rmSync(join(out, 'farhand-desktop.exe'))
  expect(() => joinSystemFiles(out, '0.1.0.0')).toThrow('files of 0.2.0.0')
  expect(joinSystemFiles(out, '0.2.0.0').files).toHaveLength(1)
})

test('a system that lists files of another one is rejected', async () => {
  const out = await temporaryFolder()
  build(out, 'linux-x64')
  renameSync(join(out, 'files-linux-x64.json'), join(out, 'files-win32-x64.json'))
  expect(() => joinSystemFiles(out, '0.2.0.0')).toThrow('which was not made for win32-x64')
})

test('winget gets the address and the hash of the MSI package', async () => {
  const folder = await temporaryFolder()
  const url = 'https://example.org/farhand-agent-0.2.0.0-win-x64.msi'
  writeWingetManifests(folder, { version: '0.2.0.0', url, sha256: 'ab'.repeat(32), license: 'MIT' })
  const read = (name: string) => JSON.parse(readFileSync(join(folder, `Farhand.Agent${name}.yaml`), 'utf8')) as object
  const common = { PackageIdentifier: 'Farhand.Agent', PackageVersion: '0.2.0.0', ManifestVersion: '1.6.0' }
  expect(read('')).toEqual({ ...common, DefaultLocale: 'en-US', ManifestType: 'version' })
  expect(read('.locale.en-US')).toMatchObject({ ...common, License: 'MIT', ManifestType: 'defaultLocale' })
  expect(read('.installer')).toMatchObject({
    ...common,
    ManifestType: 'installer',
    Installers: [{ Architecture: 'x64', InstallerUrl: url, InstallerSha256: 'AB'.repeat(32) }],
  })
})

test('the bill of materials names every shipped package once, and has what GitHub knows CycloneDX by', () => {
  const bill = makeSbom('0.2.0.0', 0)
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: expect.stringMatching(/^urn:uuid:[\da-f-]{36}$/),
  })
  const names = bill.components.map(({ purl }) => purl)
  expect(names).toContainEqual(expect.stringMatching(/^pkg:npm\/express@\d/))
  // Both have another name here; the second one is empty.
  expect(names.filter((name) => /sqlite3@|noop@/.test(name))).toEqual([expect.stringContaining('appthreat')])
  expect(new Set(names).size).toBe(names.length)
})
