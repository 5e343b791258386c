import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { account, registerOwner } from '../support/server.ts'
import { startShell } from './start-shell.ts'

// Importing the whole server is slow on a busy machine.
beforeAll(async () => void (await import('../../server/app.ts')), 60_000)

let shell: Awaited<ReturnType<typeof startShell>> | undefined
afterEach(async () => {
  await shell?.stop()
  shell = undefined
})

test('the menu resets the password of an account once the question is answered, and copies it on request', async () => {
  shell = await startShell()
  const { electron, running } = shell
  const url = await running()
  const owner = await registerOwner(url)
  electron.app.emit('browser-window-focus')
  const item = await vi.waitUntil(() => {
    const accounts = electron.Menu.items.find(({ label }) => label === '&Accounts')?.submenu ?? []
    return accounts.find(({ label }) => label === account.email)
  })
  const reset = item.submenu!.find(({ label }) => label === 'Reset Password…')!
  expect(item.submenu!.map(({ enabled }) => enabled)).toEqual([true, false, false])

  reset.click!({ checked: false })
  await vi.waitUntil(() => electron.dialog.messages.length === 1)
  expect((await owner.fetch('/api/auth/me')).status).toBe(200)

  electron.dialog.presses.push(1, 1)
  reset.click!({ checked: false })
  const { message, detail } = await vi.waitUntil(() => electron.dialog.messages[2])
  expect(message).toBe(`Temporary password of ${account.email}`)
  const password = await vi.waitUntil(() => electron.clipboard.text)
  expect(detail).toContain(password)
  expect((await owner.fetch('/api/auth/me')).status).toBe(401)
})
