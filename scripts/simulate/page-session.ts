import { randomBytes } from 'node:crypto'
import type { BrowserContext } from '@playwright/test'
import { applianceSession } from '../../shared/api/appliance-session.ts'
import { pageKeyHeader } from '../../shared/page-key.ts'

/** State that a browser keeps of its session. */
export interface PageSession {
  cookie: string
  pageKey: string
}

/** Signs all pages of a browser in, as the sign-in page does, without showing it. */
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
