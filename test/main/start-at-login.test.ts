import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newMachine } from './start-shell.ts'

test.runIf(process.platform === 'linux')('writes and removes the autostart entry of the desktop', async () => {
  using machine = await newMachine()
  const { setStartAtLogin, startsAtLogin } = await import('../../main/start-at-login.ts')
  const file = path.join(machine.folder, 'appData', 'autostart', 'farhand.desktop')
  expect(startsAtLogin()).toBe(false)
  setStartAtLogin(true)
  expect(startsAtLogin()).toBe(true)
  const exec = `"${process.execPath}" "${path.resolve(import.meta.dirname, '../..')}" "--hidden"`
  expect(readFileSync(file, 'utf8').split('\n')).toContain(`Exec=${exec}`)
  setStartAtLogin(false)
  expect(existsSync(file)).toBe(false)
  setStartAtLogin(false)
})
