import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMailServer, useMailServer, type MailServer } from '../../support/mail.ts'
import { addMember } from '../../support/people.ts'
import { account, ownerForFile, serverForFile, useTestServer, type Member } from '../../support/server.ts'

const logFile = join(tmpdir(), `farhand-${randomUUID()}.log`)
const server = serverForFile({ machine: { logFile: { path: logFile, lost: 0 } } })
afterAll(() => rm(logFile, { force: true }))
const owner = ownerForFile(server)
/** May change settings, and hold no other right on the server. */
let operator: Member
let member: Member

const atServer = (permissionName: 'server.settings.write' | 'server.telemetry.read') =>
  ({ permissionName, scopeKind: 'Server', scopeId: null }) as const

beforeAll(async () => {
  operator = await addMember(server, owner.tenantId, [atServer('server.settings.write')])
  member = await addMember(server, owner.tenantId, ['tenant.settings.write'])
})

type Values = Record<string, string | null>

const changesOf = (values: Values) => ({
  body: { changes: Object.entries(values).map(([key, value]) => ({ key, value })) },
})
const change = (values: Values, by: Member = owner) => by.applianceServer.changeSettings(changesOf(values))

async function setting(key: string, by: Member = owner) {
  const { items } = await by.applianceServer.settings({})
  return items.find((item) => item.key === key)
}

const lastEvent = async () =>
  (await owner.applianceAuditLog.listAll({ query: { category: 'settings', limit: 1 } })).items[0]

describe('a stored setting', () => {
  test('takes the place of the default at once, survives a restart, and is reset to the default', async () => {
    expect(await setting('AppOptions__MaxFileTransferSize')).toMatchObject({
      value: '104857600',
      source: 'default',
      isStored: false,
      takesEffect: 'at-once',
    })
    await change({ AppOptions__MaxFileTransferSize: '209715200' })
    expect(await member.userServerSettings.fileUploadMaxSize({})).toEqual({ maxFileSize: 209_715_200 })
    await server.restart()
    expect(await member.userServerSettings.fileUploadMaxSize({})).toEqual({ maxFileSize: 209_715_200 })
    expect(await setting('AppOptions__MaxFileTransferSize')).toMatchObject({ value: '209715200', source: 'stored' })
    await change({ AppOptions__MaxFileTransferSize: null })
    expect(await member.userServerSettings.fileUploadMaxSize({})).toEqual({ maxFileSize: 104_857_600 })
  })

  test('is in the audit log with the value before and after', async () => {
    await change({ AppOptions__AuditLogRetentionDays: '90' })
    expect(await lastEvent()).toMatchObject({
      kind: 'settings.server-setting-changed',
      details: { value: '90' },
      sentence: `${account.email} changed the server setting AppOptions__AuditLogRetentionDays`,
    })
    await change({ AppOptions__AuditLogRetentionDays: null })
    expect(await lastEvent()).toMatchObject({ kind: 'settings.server-setting-reset', details: { before: '90' } })
  })

  test('opens registration for everybody', async () => {
    await change({ AppOptions__EnablePublicRegistration: 'true' })
    expect((await server.visitor().publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(true)
    await change({ AppOptions__EnablePublicRegistration: null })
    expect((await server.visitor().publicServerSettings.get({})).isPublicRegistrationEnabled).toBe(false)
  })

  test.each([
    ['AppOptions__SmtpPort', '70000'],
    ['AppOptions__SmtpHost', 'mail.example.org:25'],
    ['AppOptions__SmtpHost', 'https://mail.example.org'],
    ['AppOptions__SmtpEmail', 'nobody'],
    ['AppOptions__SmtpDisplayName', 'Two\nlines'],
    ['AppOptions__DisableEmailSending', 'perhaps'],
    ['AppOptions__AuditLogRetentionDays', '1'],
    ['AppOptions__AuthorizationChangeLogRetentionDays', '-1'],
    ['AppOptions__MaxFileTransferSize', '10'],
    ['TelemetryDashboard__PublicWebUrl', 'javascript:alert(1)'],
    ['TelemetryDashboard__PublicWebUrl', 'https://ada:secret@dash.example.org'],
  ])('%s is refused with the value %j', async (key, value) => {
    await expect(change({ [key]: value })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [key]: [expect.stringMatching(/^must be /)] } },
    })
    expect(await setting(key)).toMatchObject({ isStored: false })
  })

  test.each(['DataDirectory', 'AppOptions__EnableNetworkTrust', 'Nothing__Known'])(
    'cannot be %s, which belongs in a file or the environment',
    async (key) => {
      await expect(change({ [key]: 'true' })).rejects.toMatchObject({ status: 400 })
    },
  )

  test('is stored only together with the others of its request', async () => {
    const both = { AppOptions__AuthenticatorIssuerName: 'Workshop', AppOptions__SmtpPort: '0' }
    await expect(change(both)).rejects.toMatchObject({ status: 400 })
    expect(await setting('AppOptions__AuthenticatorIssuerName')).toMatchObject({ source: 'default' })
    const twice = [
      ...changesOf({ AppOptions__SmtpPort: '25' }).body.changes,
      { key: 'AppOptions__SmtpPort', value: '26' },
    ]
    await expect(owner.applianceServer.changeSettings({ body: { changes: twice } })).rejects.toMatchObject({
      status: 400,
    })
  })
})

describe('mail settings', () => {
  let mail: MailServer
  let mailSettings: Values
  beforeAll(async () => {
    mail = await startMailServer()
    mailSettings = mail.settings
    return () => mail.close()
  })
  const password = { AppOptions__SmtpUserName: 'farhand', AppOptions__SmtpPassword: 'Secret-Of-The-Mail-Server' }

  test('send mail at once', async () => {
    await expect(owner.testEmail.send({})).rejects.toMatchObject({ status: 400 })
    await change(mailSettings)
    await owner.testEmail.send({})
    expect(await mail.next(account.email)).toMatchObject({ from: 'Farhand of Example <farhand@example.org>' })
    await change({ AppOptions__DisableEmailSending: 'true' })
    await expect(owner.testEmail.send({})).rejects.toMatchObject({ message: expect.stringContaining('turned off') })
    await change({ AppOptions__DisableEmailSending: null })
  })

  test('a stored password is sealed, never returned, and not in the audit log', async () => {
    await change(password)
    expect(await setting('AppOptions__SmtpPassword')).toMatchObject({ isSecret: true, value: null, source: 'stored' })
    expect(JSON.stringify(await lastEvent())).not.toContain('Secret-Of')
    expect(JSON.stringify(await server.rows('SELECT * FROM server_settings'))).not.toContain('Secret-Of')
  })

  // A holder of the settings could otherwise read the password at a server of their own.
  test.each<Values>([
    { AppOptions__SmtpHost: 'mail.attacker.example' },
    { AppOptions__SmtpHost: null },
    { AppOptions__SmtpPort: '2525' },
    { AppOptions__SmtpPort: null },
    { AppOptions__SmtpUserName: 'other' },
    { AppOptions__SmtpHost: null, AppOptions__AuditLogRetentionDays: '60' },
  ])('a stored password is not sent to another place: %j', async (values) => {
    await expect(change(values)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('AppOptions__SmtpPassword again'),
    })
    expect(await setting('AppOptions__SmtpHost')).toMatchObject({ value: '127.0.0.1' })
  })

  test('the place changes with the password entered again, or removed', async () => {
    await change({ AppOptions__SmtpHost: 'mail.example.org', AppOptions__SmtpPassword: 'Another-Secret' })
    await change({ AppOptions__SmtpHost: null, AppOptions__SmtpPassword: null })
    expect(await setting('AppOptions__SmtpHost')).toMatchObject({ value: null, source: 'default' })
  })

  // Links that reset passwords are mailed: whoever reads them signs in as anybody.
  test('need the permission to give rights on the server, to store and to reset', async () => {
    const refused = { status: 403, message: expect.stringContaining('server.permissions.write') }
    await expect(change({ AppOptions__SmtpHost: 'mail.example.org' }, operator)).rejects.toMatchObject(refused)
    await expect(change({ AppOptions__SmtpEmail: null }, operator)).rejects.toMatchObject(refused)
    await change({ AppOptions__AuthenticatorIssuerName: 'Workshop' }, operator)
    expect(await setting('AppOptions__AuthenticatorIssuerName', operator)).toMatchObject({ value: 'Workshop' })
    await change({ AppOptions__AuthenticatorIssuerName: null }, operator)
  })
})

describe('settings of file and environment', () => {
  test('win over stored ones, are shown with their source, and cannot be changed', async () => {
    const fixed = await useTestServer({
      settings: { AppOptions__MaxFileTransferSize: '1048576', TelemetryDashboard__Token: 'dash-secret' },
    })
    const by = await fixed.owner()
    const variable = 'Service_AppOptions__MaxFileTransferSize'
    expect(await setting('AppOptions__MaxFileTransferSize', by)).toMatchObject({
      value: '1048576',
      source: 'environment',
      lockedBy: [variable],
      takesEffect: 'after-restart',
    })
    await expect(change({ AppOptions__MaxFileTransferSize: '2097152' }, by)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(variable),
    })
    // The token of the environment would be sent to a stored address.
    await expect(
      change({ TelemetryDashboard__PublicWebUrl: 'https://dash.attacker.example' }, by),
    ).rejects.toMatchObject({ status: 409, message: expect.stringContaining('TelemetryDashboard__Token') })
    expect(await setting('TelemetryDashboard__Token', by)).toMatchObject({ value: null, source: 'environment' })
  })

  test('a password of the environment is never sent to a stored mail server', async () => {
    const offered: string[] = []
    const mail = await useMailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, callback) => {
        offered.push(password ?? '')
        callback(null, { user: 'farhand' })
      },
    })
    const moved = await useTestServer()
    await change(mail.settings, await moved.owner())
    // The operator adds a password for the company's server, and forgets that another host is stored.
    Object.assign(moved.settings, {
      AppOptions__SmtpUserName: 'farhand',
      AppOptions__SmtpPassword: 'Secret-Of-The-Environment',
    })
    await moved.restart()
    const by = await moved.signIn()
    await expect(by.testEmail.send({})).rejects.toMatchObject({ status: 400 })
    expect([offered, mail.received]).toEqual([[], []])
    expect(await setting('AppOptions__SmtpHost', by)).toMatchObject({ isStored: true, source: 'default', value: null })
    // A stored value without effect can be removed.
    await change({ AppOptions__SmtpHost: null }, by)
    expect(await setting('AppOptions__SmtpHost', by)).toMatchObject({ isStored: false })
  })
})

test('the state names sizes and connections', async () => {
  const state = await owner.applianceServer.state({})
  expect(state).toMatchObject({
    dataDirectory: server.directory,
    secretStore: 'file',
    isMailOn: false,
    connections: { agents: 0, viewers: 0, sessions: 0 },
  })
  expect(state.databaseBytes).toBeGreaterThan(4096)
  expect(state.auditEvents).toBeGreaterThan(1)
})

test('the log is read from its end, by level and text', async () => {
  await writeFile(
    logFile,
    [
      { level: 30, time: '2026-11-27T07:00:00.000Z', msg: 'The server is up.', version: '1.0' },
      { level: 40, time: '2026-11-27T07:00:01.000Z', msg: 'A mail could not be sent.' },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  )
  expect((await owner.applianceServer.log({ query: {} })).items).toEqual([
    { at: '2026-11-27T07:00:01.000Z', level: 'warn', message: 'A mail could not be sent.', fields: '' },
    { at: '2026-11-27T07:00:00.000Z', level: 'info', message: 'The server is up.', fields: '{"version":"1.0"}' },
  ])
  expect((await owner.applianceServer.log({ query: { level: 'warn' } })).items).toHaveLength(1)
  expect((await owner.applianceServer.log({ query: { search: 'IS UP' } })).items).toHaveLength(1)
})

test('others may neither read nor change it', async () => {
  const refused = { status: 403 }
  await expect(member.applianceServer.state({})).rejects.toMatchObject(refused)
  await expect(member.applianceServer.log({ query: {} })).rejects.toMatchObject(refused)
  await expect(member.applianceServer.settings({})).rejects.toMatchObject(refused)
  await expect(change({ AppOptions__AuthenticatorIssuerName: 'Mine' }, member)).rejects.toMatchObject(refused)
  await expect(operator.applianceServer.state({})).rejects.toMatchObject(refused)
  // Only readers of the telemetry know the folders of the computer.
  expect(await setting('DataDirectory', operator)).toMatchObject({ value: null })
  expect(await setting('DataDirectory')).toMatchObject({ value: server.directory })
})
