import { timingSafeEqual } from 'node:crypto'
import { id } from '../../shared/contract/fields.ts'
import { unsubscribePath } from '../../shared/unsubscribe.ts'
import type { App } from '../call/call.ts'
import { actorOf } from '../ground/actor.ts'
import { AppError, badRequest } from '../ground/errors.ts'
import { queryOf } from '../engines/http/contract/input.ts'
import { sendError } from '../engines/http/web/error-handler.ts'
import type { Origins } from '../engines/http/web/origins.ts'
import type { Endpoint } from '../engines/http/web/upgrade.ts'
import { mailedOrigin } from '../network/addresses.ts'
import { userTarget } from '../people/users.ts'
import { switchMethod } from './contact-methods.ts'

const proofOf = ({ sealer }: App, userId: string) => sealer.sign(userId, 'notifications/unsubscribe')

/** Link that turns off the mail of one person, and does nothing else. */
export const unsubscribeLink = (app: App, userId: string): string =>
  `${mailedOrigin(app)}${unsubscribePath}?person=${userId}&proof=${proofOf(app, userId).toString('base64url')}`

/** Headers by which mail programs offer the link; the one click of RFC 8058 is for encrypted addresses only. */
export function unsubscribeHeaders(app: App, userId: string): Record<string, string> {
  const link = unsubscribeLink(app, userId)
  return {
    'List-Unsubscribe': `<${link}>`,
    ...(link.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  }
}

/** Id of the person whose link a request has. Throws 400. */
function personOf(app: App, query: Record<string, unknown>): string {
  const userId = id.safeParse(query.person).data
  const given = Buffer.from(typeof query.proof === 'string' ? query.proof : '', 'base64url')
  const proof = userId === undefined ? undefined : proofOf(app, userId)
  if (userId === undefined || !proof || given.length !== proof.length || !timingSafeEqual(given, proof)) {
    throw badRequest('This link is incomplete. Open it again from the mail, or turn off the mail in your account.')
  }
  return userId
}

async function turnOffMail(app: App, userId: string, remoteAddress: string | null): Promise<void> {
  const user = app.accounts.get(userId)
  const mail = await app.models.ContactMethod.findByPk(userId)
  if (!user || mail?.isOn === false) {
    return
  }
  await app.database.write(async (transaction) => {
    await switchMethod(app, transaction, { id: userId, userId, isOn: false })
    await app.audit.recordIn(transaction, actorOf(undefined, remoteAddress), [
      { kind: 'account.mail-unsubscribed', tenantId: user.tenantId, target: userTarget(user) },
    ])
  })
}

interface UnsubscribeOptions {
  origins: Origins
  remoteAddressOf: (request: Parameters<Endpoint['request']>[0]) => string | null
}

/**
 * Endpoint of the links in mails. Programs that check links send a GET, and get our page; only a POST, of the page or of
 * a mail program, turns the mail off.
 */
export const createUnsubscribe = (app: App, { origins, remoteAddressOf }: UnsubscribeOptions): Endpoint => ({
  path: unsubscribePath,
  isPage: ({ method }) => method === 'GET' || method === 'HEAD',
  async request(request, response) {
    try {
      origins.checkHost(request)
      if (request.method !== 'POST') {
        throw new AppError(405, 'Use POST.', { headers: { allow: 'GET, POST' } })
      }
      // The body of RFC 8058 is a constant.
      request.resume()
      await turnOffMail(app, personOf(app, queryOf(request)), remoteAddressOf(request))
      response.writeHead(204, { 'cache-control': 'no-store' })
      response.end()
    } catch (error) {
      sendError(response, error, app.log)
    }
  },
})
