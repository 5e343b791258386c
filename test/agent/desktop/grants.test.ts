import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Grants } from '../../../agent/desktop-host/grants.ts'
import { silentLog } from '../../support/test-hub.ts'

function grantsFile() {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-grants-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'desktop-grants.json')
}

test('a permission is stored for one user, where the agent alone reads it, until it is dropped', async () => {
  const file = grantsFile()
  await new Grants(file, silentLog).of('anna').store('token of anna')
  await new Grants(file, silentLog).of('constructor').store('another')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await new Grants(file, silentLog).of('anna').read()).toBe('token of anna')
  expect(await new Grants(file, silentLog).of('berta').read()).toBeNull()
  await new Grants(file, silentLog).of('anna').store(null)
  expect(await new Grants(file, silentLog).of('anna').read()).toBeNull()
  expect(readFileSync(file, 'utf8')).not.toContain('anna')
  expect(await new Grants(file, silentLog).of('constructor').read()).toBe('another')
})

test('the person is asked again where the file is damaged', async () => {
  const file = grantsFile()
  writeFileSync(file, '{"anna":')
  const grant = new Grants(file, silentLog).of('anna')
  expect(await grant.read()).toBeNull()
  await grant.store('new')
  expect(await grant.read()).toBe('new')
})

test('a permission that cannot be stored ends no session', async () => {
  const file = grantsFile()
  mkdirSync(file)
  const grant = new Grants(file, silentLog).of('anna')
  await grant.store('new')
  expect(await grant.read()).toBeNull()
})
