import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMailServer, useMailServer, type MailServer } from '../../support/mail.ts'
import { isNight } from '../../support/night.ts'
import { later } from '../../support/until.ts'
import { addMember, addServerAccount } from '../../support/people.ts'
import { account, startTestServer, useTestServer, type Member, type TestServer } from '../../support/server.ts'

describe('with a mail server', () => {
  let mail: MailServer
  let server: TestServer
  let owner: Member

  beforeAll(async () => {
    mail = await startMailServer()
    server = await startTestServer({ settings: mail.settings })
    owner = await server.owner()
    await mail.next(account.email)
  })
  afterAll(async () => {
    await server.stop()
    await mail.close()
  })

  test('the user who asks gets a message from the configured sender', async () => {
    const response = await owner.fetch('/api/v1/test-email', { method: 'POST' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    const message = await mail.next(account.email)
    expect(message).toMatchObject({
      to: [account.email],
      from: 'Farhand of Example <farhand@example.org>',
      subject: 'Test message from Farhand',
    })
    expect(message.text).toContain('Farhand can send e-mail.')
    expect(message.text).toContain(server.url)
    expect(message.html).toContain(`<a href="${server.url}">`)
  })

  test('a service account has no address: 400', async () => {
    const integration = await addServerAccount(owner)
    await expect(integration.testEmail.send({})).rejects.toMatchObject({
      status: 400,
      message: 'Only a user has an address that a test message can be sent to.',
    })
  })

  test('a user without the permission is 403', async () => {
    const member = await addMember(server, owner.tenantId, ['tenant.settings.write'])
    await expect(member.testEmail.send({})).rejects.toMatchObject({ status: 403 })
  })
})

const refusalWith = async (settings: Record<string, string>) => {
  const server = await useTestServer({ settings })
  const owner = await server.owner()
  const error = await owner.testEmail.send({}).catch((reason: unknown) => reason)
  return { ...(error as { status: number; message: string }), server, message: (error as Error).message }
}

test('mail that is turned off or not set up is 400 with the reason', async () => {
  const mail = await useMailServer()
  const off = await refusalWith({ ...mail.settings, AppOptions__DisableEmailSending: 'true' })
  expect(off).toMatchObject({ status: 400, message: expect.stringContaining('turned off') })
  const unset = await refusalWith({})
  expect(unset).toMatchObject({ status: 400, message: expect.stringContaining('not set up') })
  expect(mail.received).toEqual([])
})

describe('a failing mail server', () => {
  test('that cannot be reached is 500 with its name', async () => {
    const mail = await useMailServer()
    await mail.close()
    const { status, message } = await refusalWith(mail.settings)
    expect(status).toBe(500)
    expect(message).toMatch(/^The test message could not be sent: .*ECONNREFUSED/)
  })

  test('on this computer may have a self-signed certificate', async () => {
    const mail = await useMailServer({ disabledCommands: ['AUTH'] })
    const server = await useTestServer({ settings: mail.settings })
    const owner = await server.owner()
    await owner.testEmail.send({})
    expect(await mail.next(account.email, 'Test message')).toMatchObject({ to: [account.email] })
  })

  test.runIf(isNight)('may delay its greeting for longer than 10 s', async () => {
    const mail = await useMailServer({ onConnect: (_session, callback) => later(10_500, () => callback()) })
    const server = await useTestServer({ settings: mail.settings })
    const owner = await server.owner()
    await owner.testEmail.send({})
    expect(await mail.next(account.email, 'Test message')).toMatchObject({ to: [account.email] })
  })

  test('that closes the connection is named as the cause', async () => {
    const mail = await useMailServer({ onConnect: (_session, callback) => callback(new Error('Go away')) })
    expect((await refusalWith(mail.settings)).message).toContain('Go away')
  })

  test('with an untrusted certificate is sent nothing, not even the password', async () => {
    const offered: string[] = []
    const mail = await useMailServer({
      disabledCommands: [],
      onAuth: ({ password }, _session, callback) => {
        offered.push(password ?? '')
        callback(null, { user: 'farhand' })
      },
    })
    const { status, message } = await refusalWith({
      ...mail.settings,
      // Linux connects to this computer, but the name is not one of loopback.
      AppOptions__SmtpHost: '0.0.0.0',
      AppOptions__SmtpUserName: 'farhand',
      AppOptions__SmtpPassword: 'Secret-Of-The-Mail-Server',
    })
    expect(status).toBe(500)
    expect(message).toMatch(/0\.0\.0\.0: .*certificate/)
    expect([offered, mail.received]).toEqual([[], []])
  })

  test('that refuses the password does not reveal it in the answer', async () => {
    const mail = await useMailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, callback) => callback(new Error('Invalid username or password')),
    })
    const { status, message, server } = await refusalWith({
      ...mail.settings,
      AppOptions__SmtpUserName: 'farhand',
      AppOptions__SmtpPassword: 'Secret-Of-The-Mail-Server',
    })
    expect(status).toBe(500)
    expect(message).toContain('Invalid login')
    const logged = JSON.stringify(server.log.lines, (_key, value: unknown) =>
      value instanceof Error ? { ...(value as object), message: value.message, stack: value.stack } : value,
    )
    expect(logged).toContain('A test mail could not be sent.')
    expect(logged + message).not.toContain('Secret-Of-The-Mail-Server')
    expect(mail.received).toEqual([])
  })

  test('that needs a login gets user name and password', async () => {
    const mail = await useMailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, callback) =>
        password === 'Secret-Of-The-Mail-Server'
          ? callback(null, { user: String(username) })
          : callback(new Error('Invalid username or password')),
    })
    const server = await useTestServer({
      settings: {
        ...mail.settings,
        AppOptions__SmtpUserName: 'farhand',
        AppOptions__SmtpPassword: 'Secret-Of-The-Mail-Server',
      },
    })
    await (await server.owner()).testEmail.send({})
    const subjects = [await mail.next(account.email), await mail.next(account.email)].map(({ subject }) => subject)
    expect(subjects.toSorted()).toEqual(['Confirm your email address for Farhand', 'Test message from Farhand'])
  })
})
