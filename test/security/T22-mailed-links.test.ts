import { expect, test } from 'vitest'
import { linkIn, useMailServer } from '../support/mail.ts'
import { rawRequest } from '../support/raw-request.ts'
import { freePort } from '../../tools/simulate/free-port.ts'
import { card } from '../support/network.ts'
import { addMember } from '../support/people.ts'
import { account, useTestServer, type Member } from '../support/server.ts'

const body = JSON.stringify({ email: account.email })

/** Requests a reset link with a forged Host header. */
const ask = async (url: string, headers: Record<string, string>) =>
  (
    await rawRequest(url, '/api/appliance/v1/password-resets', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  ).status

async function confirmedOwner(settings: Record<string, string>) {
  const mail = await useMailServer()
  const server = await useTestServer({ settings: { ...mail.settings, ...settings } })
  await server.owner()
  const confirmation = linkIn(await mail.next(account.email))
  return { mail, server, confirmation }
}

test('mailed links start with the server’s own address, whatever host was requested', async () => {
  const { mail, server, confirmation } = await confirmedOwner({})
  expect(confirmation.origin).toBe(server.url)
  await server.visitor().fetch(confirmation.href)
  expect(await ask(server.url, { host: 'evil.example' })).toBe(421)
  const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' }
  expect(await ask(server.url, forwarded)).toBe(204)
  const link = linkIn(await mail.next(account.email))
  expect([link.origin, link.pathname]).toEqual([server.url, '/Account/ResetPassword'])
  expect(mail.received).toEqual([])
})

test('name and port of a mailed link are the listener’s, whatever name of the server and port were requested', async () => {
  const { mail, server, confirmation } = await confirmedOwner({})
  await server.visitor().fetch(confirmation.href)
  for (const name of ['127.0.0.1', 'localhost']) {
    expect(await ask(server.url, { host: `${name}:1` })).toBe(204)
    expect(linkIn(await mail.next(account.email)).origin).toBe(server.url)
  }
})

test('mailed links start with the public address when one is configured', async () => {
  const { mail, server, confirmation } = await confirmedOwner({
    Branding__PublicUrl: 'https://farhand.example/',
    AllowedHosts: '127.0.0.1;evil.example',
  })
  expect(confirmation.origin).toBe('https://farhand.example')
  await server.visitor().fetch(confirmation.href.replace(confirmation.origin, server.url))
  expect(await ask(server.url, { host: 'evil.example' })).toBe(204)
  expect(linkIn(await mail.next(account.email)).href).toMatch(
    /^https:\/\/farhand\.example\/Account\/ResetPassword\?code=/,
  )
})

test('mailed links begin with the first name of the network, which needs the permission of the mail settings', async () => {
  const mail = await useMailServer()
  const machine = { readInterfaces: () => ({ eth0: card('192.0.2.10') }) }
  const server = await useTestServer({ settings: mail.settings, machine })
  const { tenantId } = await server.owner()
  const confirmation = linkIn(await mail.next(account.email))
  const grants = [{ permissionName: 'server.settings.write', scopeKind: 'Server', scopeId: null }] as const
  const operator = await addMember(server, tenantId, grants)
  const owner = await server.signIn()
  await server.visitor().fetch(confirmation.href.replace(confirmation.origin, server.url))
  const port = await freePort()
  const names = (by: Member, list: string[]) => by.applianceNetwork.set({ body: { isServed: true, port, names: list } })
  await expect(names(operator, ['evil.example'])).rejects.toMatchObject({ status: 403 })
  await names(operator, [])
  await names(owner, ['farhand.test'])
  await names(operator, ['farhand.test'])
  expect(await ask(server.url, { host: '127.0.0.1' })).toBe(204)
  expect(linkIn(await mail.next(account.email)).origin).toBe(`https://farhand.test:${port}`)
})
