import { describe, expect, test } from 'vitest'
import { account, serverForFile, useTestServer } from '../../support/server.ts'

const other = { ...account, email: 'grace@example.org' }

test('the first user registers, is signed in and holds every permission', async () => {
  const server = await useTestServer()
  const visitor = server.visitor()
  expect(await visitor.publicServerSettings.get({})).toEqual({
    isPublicRegistrationEnabled: true,
    disableDesktopPreview: false,
  })
  expect(await visitor.applianceSession.registration({})).toMatchObject({ isOpen: true, isFirst: true })
  const user = await visitor.applianceSession.register({ body: { ...account, email: ' Ada@Example.ORG ' } })
  expect(user).toMatchObject({ email: account.email, userName: account.email })
  expect(await visitor.auth.me({})).toEqual(user)
  expect((await visitor.applianceStatus.permissions({})).items).toHaveLength(69)
  expect((await visitor.publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(false)
  expect(await visitor.applianceSession.registration({})).toMatchObject({
    isOpen: false,
    isFirst: false,
    organizationName: account.organizationName,
  })
})

describe('the password', () => {
  const server = serverForFile()

  test.each([
    ['Short-7', 'must have at least 8 characters'],
    ['no-upper-case-7', 'must contain an upper-case letter'],
    ['NO-LOWER-CASE-7', 'must contain a lower-case letter'],
    ['No-Digit-At-All', 'must contain a digit'],
    [`Aa1${'x'.repeat(98)}`, 'must have at most 100 characters'],
  ])('%s is refused: it %s', async (password, message) => {
    const refused = server.visitor().applianceSession.register({ body: { ...account, password } })
    await expect(refused).rejects.toMatchObject({ status: 400, problem: { errors: { password: [message] } } })
    expect(await server.rows('SELECT id FROM users')).toEqual([])
  })

  test('needs no symbol and may be in any script', async () => {
    await server.owner({ password: 'Пароль٣٣٣' })
    await server.signIn({ password: 'Пароль٣٣٣' })
  })
})

describe('settings', () => {
  test('can disable the registration of the first user', async () => {
    const server = await useTestServer({ settings: { AppOptions__DisableFirstUserSelfRegistration: 'true' } })
    expect((await server.visitor().publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(false)
    await expect(server.owner()).rejects.toMatchObject({ status: 404 })
  })

  test('can open registration: each user gets an own tenant, without rights on the server', async () => {
    const server = await useTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
    const first = await server.owner()
    expect(await server.visitor().applianceSession.registration({})).toMatchObject({ isOpen: true, isFirst: false })
    const second = await server.owner(other)
    expect(second.tenantId).not.toBe(first.tenantId)
    const { items } = await second.applianceStatus.permissions({})
    expect(items.filter((name) => name.startsWith('server.'))).toEqual([])
    expect(items).toHaveLength(58)
  })

  test('can open registration for all and prevent any user from owning the server: from any address, without a code', async () => {
    const server = await useTestServer({
      settings: {
        AppOptions__EnablePublicRegistration: 'true',
        AppOptions__DisableFirstUserSelfRegistration: 'true',
        AllowedHosts: 'rdm.example',
      },
    })
    expect(server.setupCode).toBeNull()
    const visitor = server.visitor()
    expect(await visitor.applianceSession.registration({})).toMatchObject({ isOpen: true, isFirst: false })
    // Headers of a proxy: the client is not the person at the server.
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' }
    const path = '/api/appliance/v1/registration'
    const response = await visitor.fetch(path, { method: 'POST', headers, body: JSON.stringify(account) })
    expect(response.status).toBe(201)
    const { items } = await visitor.applianceStatus.permissions({})
    expect(items).toContain('tenant.permissions.write')
    expect(items.filter((name) => name.startsWith('server.'))).toEqual([])
    const next = await server.owner({ email: 'grace@example.org' })
    expect((await next.applianceStatus.permissions({})).items).toEqual(items)
  })

  test('can open registration, where an address registers once, in any letter case', async () => {
    const server = await useTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
    await server.owner()
    await expect(server.owner({ email: account.email.toUpperCase() })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { email: ['is already registered'] } },
    })
  })
})

test('T12: sign-in names an organization by its own name, never by the address of its first person', async () => {
  const server = await useTestServer()
  const visitor = server.visitor()
  const { email, password } = account
  await visitor.applianceSession.register({ body: { email, password } })
  expect(await visitor.applianceSession.registration({})).toMatchObject({ isFirst: false, organizationName: null })
})
