import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newMachine } from './start-shell.ts'

const defaults = {
  port: 5120,
  bounds: { width: 1280, height: 840 },
  isMaximized: false,
  staysAwake: true,
  hasHidden: false,
  crashes: [],
}
const open = async () => (await import('../../main/settings.ts')).openSettings()

test('a first start has the default settings', async () => {
  using _machine = await newMachine({ settings: {} })
  expect((await open()).read()).toEqual(defaults)
})

test('a change is stored for the next start', async () => {
  using machine = await newMachine({ settings: {} })
  ;(await open()).write({ port: 6000 })
  expect(JSON.parse(readFileSync(path.join(machine.folder, 'userData', 'settings.json'), 'utf8'))).toEqual({
    port: 6000,
  })
  expect((await open()).read()).toEqual({ ...defaults, port: 6000 })
})

test('an invalid value reads as its default, and valid values remain', async () => {
  using _machine = await newMachine({ settings: { port: 70_000, bounds: { width: 'wide' }, isMaximized: true } })
  expect((await open()).read()).toEqual({ ...defaults, isMaximized: true })
})

test('a settings file that is not JSON is read as the defaults', async () => {
  using machine = await newMachine()
  writeFileSync(path.join(machine.folder, 'userData', 'settings.json'), '{"port": 60')
  expect((await open()).read()).toEqual(defaults)
})
