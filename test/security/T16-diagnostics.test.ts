import { randomBytes, randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ownerForFile, serverForFile } from '../support/server.ts'

const configured = {
  AppOptions__SmtpHost: 'localhost',
  AppOptions__SmtpEmail: 'farhand@example.org',
  AppOptions__SmtpDisplayName: 'Farhand',
  AppOptions__SmtpUserName: 'mailer',
  AppOptions__SmtpPassword: 'short-pw1',
  AppOptions__IdentityProviderAClientId: 'client',
  AppOptions__IdentityProviderAClientSecret: 'provider "quoted" secret',
  TelemetryDashboard__PublicWebUrl: 'https://dashboard.example.org',
  TelemetryDashboard__Token: 'dashboard-token-1',
  Metrics__Token: 'metrics-token-of-at-least-32-chars',
  Bootstrap__ServerServiceAccountName: 'robot',
  Bootstrap__ServerServiceAccountTokenId: randomUUID(),
  Bootstrap__ServerServiceAccountTokenSecret: 'bootstrap-secret-of-at-least-32-chars',
}
const secretSettings = [
  configured.AppOptions__SmtpPassword,
  configured.AppOptions__IdentityProviderAClientSecret,
  configured.TelemetryDashboard__Token,
  configured.Metrics__Token,
  configured.Bootstrap__ServerServiceAccountTokenSecret,
]
const path = join(tmpdir(), `farhand-${randomUUID()}.log`)
const server = serverForFile({ settings: configured, machine: { logFile: { path, lost: 0 } } })
afterAll(() => rm(path, { force: true }))
const owner = ownerForFile(server)

test('the diagnostics hold no secret, wherever a line of the log might have one', async () => {
  const { tenantId } = owner
  const { plainTextToken: token } = await owner.personalAccessTokens.create({ tenantId, body: { name: 'token' } })
  const { keySecret } = await owner.installerKeys.create({ body: { tenantId, keyType: 'Persistent' } })
  const secrets = [
    ...secretSettings,
    token,
    keySecret,
    owner.cookie!.split('=')[1]!,
    owner.pageKey,
    randomBytes(32).toString('base64url'),
    randomBytes(32).toString('hex'),
    randomBytes(24).toString('base64'),
    // A temporary password, a recovery code and a secret of an authenticator.
    'H4JK-29PX-WM7Q-ZT3C',
    'JBSW-Y3DP-EHPK-3PXP',
  ].filter((secret) => secret !== undefined)
  const key = randomBytes(48).toString('base64')
  const lines = secrets.flatMap((secret) => [
    { msg: `It was ${secret} in the middle.` },
    { msg: 'A request failed.', headers: { authorization: `Bearer ${secret}` } },
    { msg: `GET https://user:${encodeURIComponent(secret)}@example.org/path?token=${encodeURIComponent(secret)}` },
    { msg: 'A body.', body: JSON.stringify({ newPassword: secret }) },
    { err: { message: `password=${secret}`, stack: `Error: password=${secret}\n    at file.ts` } },
  ])
  lines.push({ msg: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----` })
  const written = lines.map((fields) => JSON.stringify({ level: 50, time: new Date().toISOString(), ...fields }))
  await writeFile(path, `${written.join('\n')}\n`)

  const response = await owner.fetch('/api/appliance/v1/health-report/diagnostics')
  const text = await response.text()
  expect(response.status).toBe(200)
  for (const secret of [...secrets, key]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1))
    expect(text).not.toContain(encodeURIComponent(secret))
  }
  // Lines that help are still there.
  expect(text).toContain('A request failed.')
  expect(text).toContain('AppOptions__SmtpHost')
  expect(JSON.parse(text)).toMatchObject({ rows: { users: 1 }, report: { version: expect.any(String) } })
  const { items } = await owner.applianceAuditLog.listAll({ query: { kind: 'export.diagnostics' } })
  expect(items).toHaveLength(1)
})

test('without server.telemetry.read there is neither a report nor a file', async () => {
  const visitor = server.visitor()
  for (const path of ['/api/appliance/v1/health-report', '/api/appliance/v1/health-report/diagnostics']) {
    expect((await visitor.fetch(path)).status).toBe(401)
  }
})
