import { describe, expect, test } from 'vitest'
import { addMember } from '../../support/people.ts'
import { useTestServer } from '../../support/server.ts'

async function dashboardUrl(settings: Record<string, string>) {
  const server = await useTestServer({ settings })
  return (await server.owner()).serverLogs.getDashboardUrl({})
}

const publicWebUrl = { TelemetryDashboard__PublicWebUrl: 'https://telemetry.example/dash/' }
const token = { TelemetryDashboard__Token: 'a b&c' }

describe('the dashboard link', () => {
  test.each([{}, publicWebUrl, token])('is absent with only %j', async (settings) => {
    expect(await dashboardUrl(settings)).toEqual({ isConfigured: false, aspireUrl: null })
  })

  test('signs the user in', async () => {
    expect(await dashboardUrl({ ...publicWebUrl, ...token })).toEqual({
      isConfigured: true,
      aspireUrl: 'https://telemetry.example/dash/login?t=a%20b%26c',
    })
  })

  test('has a default on a developer’s machine', async () => {
    expect(await dashboardUrl({ Environment: 'Development' })).toEqual({
      isConfigured: true,
      aspireUrl: 'http://localhost:18888',
    })
  })

  test('needs server.telemetry.read', async () => {
    const server = await useTestServer({ settings: { ...publicWebUrl, ...token } })
    const { tenantId } = await server.owner()
    const member = await addMember(server, tenantId, ['device.read'])
    await expect(member.serverLogs.getDashboardUrl({})).rejects.toMatchObject({ status: 403 })
  })
})

describe('settings for every user', () => {
  test('come from the configuration, and may be cached for 30 s', async () => {
    const server = await useTestServer({
      settings: { AppOptions__MaxFileTransferSize: '-1', ServerLifecycle__DecommissionServer: 'true' },
    })
    const owner = await server.owner()
    const member = await addMember(server, owner.tenantId, [])
    expect(await member.userServerSettings.fileUploadMaxSize({})).toEqual({ maxFileSize: -1 })
    expect(await member.userServerSettings.decommissionStatus({})).toEqual({ isEnabled: true })
    const { headers } = await member.fetch('/api/v1/user-server-settings/file-upload-max-size')
    expect(headers.get('cache-control')).toBe('private, max-age=30')
  })

  test('have their defaults', async () => {
    const owner = await (await useTestServer()).owner()
    expect(await owner.userServerSettings.fileUploadMaxSize({})).toEqual({ maxFileSize: 104_857_600 })
    expect(await owner.userServerSettings.decommissionStatus({})).toEqual({ isEnabled: false })
  })
})

describe('settings for visitors', () => {
  test('say whether registration and previews are on, and may be cached for 60 s', async () => {
    const server = await useTestServer({ settings: { AppOptions__DisableDesktopPreview: 'true' } })
    const visitor = server.visitor()
    expect(await visitor.publicServerSettings.get({})).toEqual({
      isPublicRegistrationEnabled: true,
      disableDesktopPreview: true,
    })
    await server.owner()
    expect((await visitor.publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(false)
    const { headers } = await visitor.fetch('/api/v1/public-server-settings')
    expect(headers.get('cache-control')).toBe('public, max-age=60')
  })

  test.each([
    [{ AppOptions__EnablePublicRegistration: 'true' }, true],
    [{ AppOptions__DisableFirstUserSelfRegistration: 'true' }, false],
  ])('with %j registration is open: %s', async (settings, isOpen) => {
    const visitor = (await useTestServer({ settings })).visitor()
    expect((await visitor.publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(isOpen)
  })
})
