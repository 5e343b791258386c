import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { randomUUID } from 'node:crypto'
import { newRecoveryKey } from '../../server/backup/recovery-key.ts'
import { freePort } from '../../tools/simulate/free-port.ts'
import { account } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { writeBackupOf } from '../support/written-backup.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('an administrator sets up backups, makes one, sees that it is restorable, and proves to have the key', async ({
  page,
  server,
  owner,
}) => {
  expect(owner.user.email).not.toBe('')
  const folder = join(tmpdir(), `farhand-test-${randomUUID()}`)
  await mkdir(folder, { mode: 0o700 })
  await page.goto(server.url)
  await page.getByRole('link', { name: 'Backup', exact: true }).click()
  const state = page.getByRole('region', { name: 'State' })
  await expect(state.getByRole('button', { name: 'Back up now' })).toBeDisabled()
  await expect(state).toContainText('Make a recovery key first')

  const key = page.getByRole('region', { name: 'Recovery key' })
  await key.getByRole('button', { name: 'Make a recovery key' }).click()
  const shown = page.getByRole('dialog')
  const recoveryKey = (await shown.getByLabel('Your recovery key').first().textContent())!.replace('\n', '-')
  expect(recoveryKey).toMatch(/^([0-9A-Z]{5}-){7}[0-9A-Z]{5}$/)
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(shown).toContainText('Not copied')
  await shown.getByRole('button', { name: /close/i }).click()
  await expect(shown).toBeHidden()

  // A folder that cannot be used keeps what was typed.
  const schedule = page.getByRole('region', { name: 'Every night' })
  await schedule.getByLabel('Folder on the computer of the server').fill(join(folder, 'a', 'b'))
  await page.keyboard.press('Enter')
  await expect(schedule).toContainText('does not exist: connect its disk')
  await schedule.getByLabel('Folder on the computer of the server').fill(folder)
  await page.keyboard.press('Enter')
  await expect(schedule).toContainText('Each night at 02:00')

  await state.getByRole('button', { name: 'Back up now' }).click()
  await expect(state).toContainText(folder)
  await state.getByRole('button', { name: 'Check it now' }).click()
  await expect(state).toContainText(/Yes, checked .+: 1 account, 0 devices, 1 organization/)
  await expectAccessible(page)

  await key.getByRole('button', { name: 'I still have it' }).click()
  await page.getByRole('dialog').getByLabel('Recovery key').fill(recoveryKey.toLowerCase())
  await page.keyboard.press('Enter')
  await expect(key).not.toContainText('never: check that you have it')

  const copies = page.getByRole('region', { name: 'Backups in the folder' }).first()
  await copies.getByRole('button', { name: /Restore/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('00000-00000')
  await dialog.getByRole('button', { name: 'Restore and restart' }).click()
  await expect(dialog).toContainText('This is not a recovery key')
  await dialog.getByRole('textbox').fill(recoveryKey)
  await dialog.getByRole('button', { name: 'Restore and restart' }).click()
  // The host of this test cannot restart the server.
  await expect(dialog).toContainText('The backup is in place.')
  await expect(dialog).toContainText('Restart the server to use it.')
  await rm(folder, { recursive: true })
})

test(
  'a server that cannot open its data restores a backup on its first page, and the account signs in',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    expect(owner.user.email).toBe(account.email)
    const folder = join(tmpdir(), `farhand-test-${randomUUID()}`)
    const [source, data, copy] = ['source', 'data', 'copy.farhand-backup'].map((name) => join(folder, name))
    await mkdir(data!, { recursive: true, mode: 0o700 })
    await server.whileStopped(() => cp(server.directory, source!, { recursive: true }))
    const recoveryKey = newRecoveryKey()
    await writeBackupOf(source!, copy!, recoveryKey)
    await writeFile(join(data!, 'farhand.db'), 'no database')
    const ends: (() => void | Promise<void>)[] = []
    const Urls = `http://127.0.0.1:${await freePort()}`
    const damaged = await startServerProcess(data!, { Urls }, {}, (end) => ends.push(end), {
      ready: 'Restore a backup',
    })

    await page.goto(damaged.url)
    const card = page.getByRole('main')
    await expect(card.getByRole('heading', { name: 'Farhand cannot open its data' })).toBeVisible()
    await expect(card.getByRole('status').first()).toContainText('is damaged')
    await expect(card.getByRole('button', { name: 'Restore a backup instead' })).toBeHidden()
    await expectAccessible(page)
    await card.getByLabel('Or its path on the computer of the server').fill(copy!)
    await card.getByLabel('Recovery key').fill('00000-00000')
    await page.keyboard.press('Enter')
    await expect(card).toContainText('This is not a recovery key')
    await card.getByLabel('Recovery key').fill(recoveryKey)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('main')).toContainText('The backup is in place.')
    // The server starts again with the data, and the page follows.
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name: 'Devices', exact: true })).toBeVisible()
    for (const end of ends) {
      await end()
    }
    await rm(folder, { recursive: true })
  },
)
