import { randomBytes } from 'node:crypto'
import type { BrowserContext } from '@playwright/test'
import { applianceSession } from '../../shared/api/appliance-session.ts'
import { pageKeyHeader } from '../../shared/page-key.ts'

/** Session state of a browser. */
export interface PageSession {
  cookie: string
  pageKey: string
}

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
  await context.addInitScript({ content })
  return { cookie: `${cookie.name}=${cookie.value}`, pageKey }
}
