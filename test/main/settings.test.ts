import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newMachine } from './start-shell.ts'

const defaults = { port: 5120, bounds: { width: 1280, height: 840 }, isMaximized: false }
const open = async () => (await import('../../main/settings.ts')).openSettings()

test('starts with defaults', async () => {
  using _machine = await newMachine({ settings: {} })
  expect((await open()).read()).toEqual(defaults)
})

test('remembers a change for the next start', async () => {
  using machine = await newMachine({ settings: {} })
  ;(await open()).write({ port: 6000 })
  expect(JSON.parse(readFileSync(path.join(machine.folder, 'userData', 'settings.json'), 'utf8'))).toEqual({
    port: 6000,
  })
  expect((await open()).read()).toEqual({ ...defaults, port: 6000 })
})

test('reads a wrong value as its default and keeps the right ones', async () => {
  using _machine = await newMachine({ settings: { port: 70_000, bounds: { width: 'wide' }, isMaximized: true } })
  expect((await open()).read()).toEqual({ ...defaults, isMaximized: true })
})

test('survives a file that is no JSON', async () => {
  using machine = await newMachine()
  writeFileSync(path.join(machine.folder, 'userData', 'settings.json'), '{"port": 60')
  expect((await open()).read()).toEqual(defaults)
})
