import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeEmptyFolders } from '../../../agent/platform/folders.ts'
import { runAgent } from '../agent-process.ts'
import { temporaryFolder } from '../support.ts'

/** Files written by an agent, including remains of interrupted writes. */
const written = [
  'appsettings.json',
  'appsettings.json.4711.tmp',
  'state.json',
  '.farhand-bundle.sha256',
  'Installer.sh',
]

function deviceIn(folder: string) {
  mkdirSync(join(folder, 'Logs/Installer'), { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  written.forEach((name) => writeFileSync(join(folder, name), 'of the agent'))
  writeFileSync(join(folder, 'Logs/Installer/Installer.log'), 'of the installer')
}

test('uninstalling removes settings, key and log of the device, and reports that', async () => {
  const folder = join(temporaryFolder(), 'device')
  deviceIn(folder)
  const { status, stdout } = await runAgent('uninstall', '--data-dir', folder)
  expect(status).toBe(0)
  expect(stdout).toContain(
    `Removed its settings, the key of this device and its log from ${folder} and ${folder}/Logs.\n`,
  )
  expect(existsSync(folder)).toBe(false)
})

test('files of others in the folder of the agent remain, and are named', async () => {
  const folder = join(temporaryFolder(), 'device')
  deviceIn(folder)
  writeFileSync(join(folder, 'notes.txt'), 'of a person')
  const { stdout } = await runAgent('uninstall', '--data-dir', folder)
  expect(readdirSync(folder)).toEqual(['notes.txt'])
  expect(stdout).toContain(`Kept in ${folder}, because it is not the agent's: notes.txt.\n`)
})

test('--keep-data is accepted by uninstall alone', async () => {
  expect(await runAgent('status', '--keep-data')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--keep-data is an option of "uninstall"'),
  })
})

test('folders above a folder of the log that is already removed are removed, as far as they are empty', () => {
  const top = temporaryFolder()
  mkdirSync(join(top, 'Farhand/default/Logs'), { recursive: true })
  removeEmptyFolders(join(top, 'Farhand/default/Logs/Farhand.Agent'), (folder) => folder === join(top, 'Farhand'))
  expect(readdirSync(top)).toEqual([])
})
