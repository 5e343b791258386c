import { randomBytes } from 'node:crypto'
import type { BrowserContext, Disposable } from '@playwright/test'
import { applianceSession } from '../../shared/api/appliance-session.ts'
import { pageKeyHeader } from '../../shared/page-key.ts'

/** Session state of a browser. */
export interface PageSession {
  cookie: string
  pageKey: string
}

/** Scripts that give pages the keys of their sessions, by browser. */
const keyScripts = new WeakMap<BrowserContext, Disposable[]>()

/** Signs in all pages of a browser like the sign-in page, without showing it. */
export async function signInBrowser(
  context: BrowserContext,
  url: string,
  credentials: { email: string; password: string },
): Promise<PageSession> {
  const pageKey = randomBytes(32).toString('base64url')
  const answer = await context.request.post(url + applianceSession.routes.signIn.path, {
    headers: { origin: url, [pageKeyHeader]: pageKey },
    data: credentials,
  })
  const [cookie] = (await context.cookies(url)).filter(({ name }) => name.includes('.Identity.'))
  if (!cookie) {
    throw new Error(`${credentials.email} was not signed in: ${await answer.text()}`)
  }
  const content = `if (location.origin === '${url}') localStorage.setItem('farhand.page-key', '${pageKey}')`
  const script = await context.addInitScript({ content })
  keyScripts.set(context, [...(keyScripts.get(context) ?? []), script])
  return { cookie: `${cookie.name}=${cookie.value}`, pageKey }
}

/** Deletes the sessions of a browser, except for the keys in the storage of its pages. */
export async function signOutBrowser(context: BrowserContext): Promise<void> {
  await Promise.all((keyScripts.get(context) ?? []).map((script) => script.dispose()))
  keyScripts.delete(context)
  await context.clearCookies()
}
