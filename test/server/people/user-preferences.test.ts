import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { UserPreferencesDto, UserPreferencesRequestDto } from '../../../shared/dtos/user-preference.ts'
import { addMember, addServerAccount } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'

/** Preferences with their defaults. */
const defaults: UserPreferencesDto = {
  autoQualityLowerThresholdMbps: 5,
  autoQualityMaximum: 80,
  autoQualityMinimum: 20,
  autoQualityUpperThresholdMbps: 15,
  captureCursor: false,
  enableDirectX: true,
  encodingFormat: 0,
  hideOfflineDevices: true,
  includeUntaggedDevices: false,
  isAutoQualityEnabled: false,
  isMaxBandwidthEnabled: false,
  keyboardInputMode: 0,
  manualQuality: 75,
  maxBandwidthMbps: 15,
  notifyUserOnSessionStart: true,
  openDeviceInNewTab: true,
  themeMode: 2,
  userDisplayName: '',
  viewMode: 0,
}

let member: Member
let stranger: Member

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  stranger = await server.owner({ email: 'grace@example.org' })
  member = await addMember(server, owner.tenantId, [])
})

const getAll = (by: Member) => by.userPreferences.getAll({ tenantId: by.tenantId })
const get = (by: Member, name: string) => by.userPreferences.get({ tenantId: by.tenantId, params: { name } })
const set = (name: string, value: string | null, by = member) =>
  by.userPreferences.set({ tenantId: by.tenantId, body: { name, value } })
const replaceAll = (body: UserPreferencesRequestDto) =>
  member.userPreferences.replaceAll({ tenantId: member.tenantId, body })

describe('the typed object', () => {
  test('has the defaults until one is set', async () => {
    expect(await getAll(owner)).toEqual(defaults)
  })

  test('is replaced as a whole, for the own user alone', async () => {
    const all: UserPreferencesDto = {
      ...defaults,
      autoQualityLowerThresholdMbps: 0.1,
      autoQualityMaximum: 100,
      captureCursor: true,
      encodingFormat: 2,
      themeMode: 1,
      userDisplayName: 'José Núñez_2-b',
    }
    expect(await replaceAll(all)).toEqual(all)
    expect(await getAll(member)).toEqual(all)
    expect(await getAll(owner)).toEqual(defaults)
    expect(await get(member, 'auto-quality-lower-threshold-mbps')).toMatchObject({ value: '0.1' })
    expect(await get(member, 'capture-cursor')).toMatchObject({ value: 'True' })
    expect(await get(member, 'encoding-format')).toMatchObject({ value: 'WebP' })
  })

  test('resets missing members to the empty value of their type, but numbers that must not be 0 to the default', async () => {
    await replaceAll(defaults)
    expect(await replaceAll({ manualQuality: 50, enableDirectX: null })).toEqual({
      ...defaults,
      enableDirectX: false,
      hideOfflineDevices: false,
      manualQuality: 50,
      notifyUserOnSessionStart: false,
      openDeviceInNewTab: false,
      themeMode: 0,
    })
    expect(await get(member, 'auto-quality-maximum')).toBeUndefined()
    expect(await get(member, 'theme-mode')).toMatchObject({ value: 'Auto' })
  })

  test('reads enums in any letter case, and numbers in strings', async () => {
    const response = await member.fetch(`/api/v1/user-preferences?tenantId=${member.tenantId}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...defaults, THEMEMODE: 'light', themeMode: undefined, manualQuality: '33' }),
    })
    expect(await response.json()).toEqual({ ...defaults, themeMode: 1, manualQuality: 33 })
  })

  test.each([
    { autoQualityMaximum: 1 },
    { autoQualityMaximum: 101 },
    { autoQualityMinimum: 0 },
    { autoQualityMinimum: 100 },
    { manualQuality: 0 },
    { manualQuality: 50.5 },
    { maxBandwidthMbps: 0.09 },
    { autoQualityLowerThresholdMbps: -1 },
    { autoQualityUpperThresholdMbps: 'fast' },
    { captureCursor: 'True' },
    { encodingFormat: 3 },
    { themeMode: 'Blue' },
    { userDisplayName: 'x'.repeat(51) },
    { userDisplayName: '<b>' },
  ])('%j is refused, and nothing changes', async (body) => {
    const before = await getAll(member)
    const [name] = Object.keys(body)
    await expect(replaceAll(body as never)).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [name!]: expect.any(Array) } },
    })
    expect(await getAll(member)).toEqual(before)
  })
})

describe('one preference', () => {
  test.each([
    ['hide-offline-devices', ' fALSE ', 'False'],
    ['max-bandwidth-mbps', '1.50', '1.5'],
    ['max-bandwidth-mbps', '2e1', '20'],
    ['manual-quality', '+7', '7'],
    ['view-mode', 'stretch', 'Stretch'],
    ['view-mode', '2', 'Scale'],
    ['user-display-name', ' Charles ', 'Charles'],
    ['of-another-client', ' Any text! ', 'Any text!'],
  ])('%s: %j is kept as %j', async (name, value, kept) => {
    const stored = await set(name, value)
    expect(stored).toEqual({ id: expect.any(String), name, value: kept })
    expect(await get(member, name)).toEqual(stored)
    expect(await get(owner, name)).toBeUndefined()
    expect(await set(name, '')).toEqual({ id: null, name, value: null })
    expect(await get(member, name)).toBeUndefined()
  })

  test.each([
    ['hide-offline-devices', '1'],
    ['manual-quality', '0x10'],
    ['manual-quality', '101'],
    ['manual-quality', 'NaN'],
    ['max-bandwidth-mbps', '1,5'],
    ['max-bandwidth-mbps', '1e999'],
    ['theme-mode', 'toString'],
    ['theme-mode', '3'],
    ['user-display-name', 'a\nb'],
    ['user-display-name', 'x'.repeat(51)],
  ])('%s: %j is refused', async (name, value) => {
    await expect(set(name, value)).rejects.toMatchObject({ status: 400, problem: { title: 'Validation Failed' } })
  })

  test('that is not set is 204, and an invalid stored value is read as the default', async () => {
    const response = await member.fetch(`/api/v1/user-preferences/nothing?tenantId=${member.tenantId}`)
    expect([response.status, await response.text()]).toEqual([204, ''])
    const { id } = await set('auto-quality-minimum', '30')
    expect(await getAll(member)).toMatchObject({ autoQualityMinimum: 30 })
    await server.changeRow('user_preferences', id!, `value = 'many'`)
    expect(await getAll(member)).toMatchObject({ autoQualityMinimum: 20 })
  })

  test('is limited to a thousand per user, besides the known ones', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      id: randomUUID(),
      userId: stranger.user.id,
      name: `many-${index}`,
      value: 'x',
    }))
    await server.write((models, transaction) => models.UserPreference.bulkCreate(rows, { transaction }))
    await expect(set('one-too-many', 'x', stranger)).rejects.toMatchObject({ status: 400 })
    expect(await set('many-7', 'changed', stranger)).toMatchObject({ value: 'changed' })
    expect(await set('theme-mode', 'Light', stranger)).toMatchObject({ value: 'Light' })
    await set('many-8', '', stranger)
    await set('many-9', '', stranger)
    expect(await set('one-too-many', 'x', stranger)).toMatchObject({ value: 'x' })
  })

  test('has limits on its name and value', async () => {
    for (const [name, value] of [
      [' ', 'x'],
      ['x'.repeat(257), 'x'],
      ['x', 'x'.repeat(2049)],
    ] as const) {
      await expect(set(name, value)).rejects.toMatchObject({ status: 400 })
    }
  })
})

describe('access to preferences', () => {
  test('a service account has no preferences: 400', async () => {
    const { userPreferences, effectiveUserPreferences } = await addServerAccount(owner)
    const { tenantId } = owner
    const calls = [
      () => userPreferences.getAll({ tenantId }),
      () => userPreferences.get({ tenantId, params: { name: 'theme-mode' } }),
      () => userPreferences.set({ tenantId, body: { name: 'theme-mode', value: 'Light' } }),
      () => userPreferences.replaceAll({ tenantId, body: {} }),
    ]
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ status: 400 })
    }
    expect(await effectiveUserPreferences.get({ tenantId })).toEqual({
      notifyUserOnSessionStart: true,
      isNotifyUserOnSessionStartTenantEnforced: false,
    })
  })

  test('a foreign tenant is 403', async () => {
    const { tenantId } = owner
    await expect(stranger.userPreferences.getAll({ tenantId })).rejects.toMatchObject({ status: 403 })
    await expect(stranger.effectiveUserPreferences.get({ tenantId })).rejects.toMatchObject({ status: 403 })
  })
})

test('the tenant’s setting wins over the user’s preference, and that over the default', async () => {
  const { tenantId } = member
  const effective = async (by: Member) => {
    const answer = await by.effectiveUserPreferences.get({ tenantId })
    return [answer.notifyUserOnSessionStart, answer.isNotifyUserOnSessionStartTenantEnforced]
  }
  const name = 'notify-user-on-session-start'
  const enforce = (value: string) => owner.tenantSettings.set({ tenantId, body: { name, value } })
  await set(name, '')
  expect(await effective(member)).toEqual([true, false])
  await set(name, 'False')
  expect(await effective(member)).toEqual([false, false])
  expect(await effective(owner)).toEqual([true, false])
  await enforce('true')
  expect(await effective(member)).toEqual([true, true])
  await enforce('false')
  expect(await effective(owner)).toEqual([false, true])
  await enforce('')
  expect(await effective(owner)).toEqual([true, false])
})
