import { expect } from 'vitest'
import { manualClock } from './clock.ts'
import { linkIn, startMailServer } from './mail.ts'
import { account, startTestServer } from './server.ts'

export const bearerLogin = { AppOptions__EnableInteractiveBearerLogin: 'true' }

/** Starts a server with the stock identity endpoints, open registration and a mail server, with helpers for tests. */
export async function startIdentityServer() {
  const clock = manualClock()
  const mail = await startMailServer()
  const settings = { ...bearerLogin, AppOptions__EnablePublicRegistration: 'true', ...mail.settings }
  const server = await startTestServer({ settings, clock })
  const owner = await server.owner()

  const post = (path: string, body: unknown) =>
    server.visitor().fetch(`/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  let people = 0
  /** Registers another user; returns the address and the confirmation link of the mail. */
  async function registered() {
    const email = `person-${people++}@example.org`
    await server.visitor().identity.register({ body: { email, password: account.password } })
    const link = linkIn(await mail.next(email))
    return { email, link }
  }

  /** Registers another user and confirms the address; returns the address. */
  async function confirmed() {
    const { email, link } = await registered()
    expect((await server.visitor().fetch(link.href)).status).toBe(200)
    return email
  }

  async function stop() {
    await server.stop()
    await mail.close()
  }

  return { clock, mail, server, owner, post, registered, confirmed, stop }
}
