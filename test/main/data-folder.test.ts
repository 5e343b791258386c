import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { account, registerOwner, signInTo } from '../support/server.ts'
import { startShell } from './start-shell.ts'

// Importing the whole server is slow on a busy machine.
beforeAll(async () => void (await import('../../server/app.ts')), 60_000)

let shell: Awaited<ReturnType<typeof startShell>> | undefined
afterEach(async () => {
  await shell?.stop()
  shell = undefined
})

const fileMenu = ({ electron }: Awaited<ReturnType<typeof startShell>>) =>
  electron.Menu.items.find(({ label }) => label === '&File')!.submenu!

test('the menu moves the data folder while the server is stopped, and the account is there afterwards', async () => {
  shell = await startShell()
  const { electron, folder, running, window } = shell
  await registerOwner(await running())
  const before = path.join(folder, 'userData', 'data')
  electron.dialog.folder = path.join(folder, 'elsewhere')
  electron.dialog.presses.push(1)
  const pages = window.loaded.length
  fileMenu(shell).find(({ label }) => label === 'Move Data Folder…')!.click!({ checked: false })
  await vi.waitUntil(() => window.loaded.slice(pages).some((page) => page.startsWith('http://')), { timeout: 20_000 })
  expect([existsSync(before), readdirSync(path.join(folder, 'elsewhere', 'Farhand Data'))]).toEqual([
    false,
    expect.arrayContaining(['farhand.db', 'secrets.json']),
  ])
  const { user } = await signInTo(window.loaded.at(-1)!.replace(/\/$/, ''))
  expect(user.email).toBe(account.email)
  fileMenu(shell).find(({ label }) => label === 'Backup and Restore…')!.click!({ checked: false })
  await vi.waitUntil(() => window.loaded.at(-1)!.endsWith('/backup'))
})
