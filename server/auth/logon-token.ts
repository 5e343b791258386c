import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { memberOf } from '../../shared/contract/lenient.ts'
import type { App } from '../call.ts'
import { conflict, unauthorized } from '../errors.ts'
import { queryOf } from '../http/contract/input.ts'
import { pathOf } from '../http/web/request.ts'
import type { LogonTokenRow } from '../models/logon-token.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'
import { principalOf, sessionOf } from './cookie.ts'
import { readKey } from '../secrets/key-format.ts'
import { verifySecret } from '../secrets/hashes.ts'

/** Where links with a logon token lead. */
export const deviceAccessPath = '/device-access'

/** One answer for every reason, so that a guess learns nothing (T12). */
const refused = () => unauthorized('This link was used already, has expired, or is not complete. Ask for a new one.')

/** Status of a link that waits for somebody who is signed in to say that they want to leave their session for it. */
export const asksFirst = 409

/** The parameters of such a link, as they came. */
export function deviceAccessParameters(request: IncomingMessage): { deviceId: unknown; logonToken: unknown } {
  const query = queryOf(request)
  return { deviceId: memberOf(query, 'deviceId'), logonToken: memberOf(query, 'logonToken') }
}

/** Whether a browser opens the link, and our page comes next; programs get what the interface says. */
export const wantsPage = ({ headers }: IncomingMessage): boolean => headers.accept?.includes('text/html') === true

function isDeviceAccess(request: IncomingMessage): boolean {
  const path = pathOf(request).toLowerCase()
  return path === deviceAccessPath || path.startsWith(`${deviceAccessPath}/`)
}

async function findToken({ models }: App, presented: string): Promise<LogonTokenRow | undefined> {
  const key = readKey(presented)
  const row = key && (await models.LogonToken.findByPk(key.id))?.get({ plain: true })
  return verifySecret(row?.secretHash, key?.secret ?? '') ? row : undefined
}

/**
 * Single-use links. The token is consumed in the one transaction that stores the session: of several at once exactly one
 * wins, and after a crash it is either used and signed in, or neither. Another device's id does not use it up. The
 * session of somebody who signed in themselves is left only by a POST of our own page: any page could lead here. In a
 * browser the session is worth nothing before our page has claimed it (T34).
 */
export const createLogonTokenScheme = (app: App, { site }: SchemeOptions): Scheme => ({
  handles(request) {
    if (!isDeviceAccess(request)) {
      return false
    }
    const { deviceId, logonToken } = deviceAccessParameters(request)
    return deviceId !== undefined && logonToken !== undefined
  },
  async authenticate(request) {
    const { models, sessions, clock, log } = app
    const { deviceId, logonToken } = deviceAccessParameters(request)
    const token = await findToken(app, String(logonToken))
    const user = token && (await models.User.findByPk(token.userId))?.get({ plain: true })
    if (!token || !user || token.deviceId !== String(deviceId).toLowerCase() || token.expiresAt <= clock.now()) {
      throw refused()
    }
    const current = sessionOf(app, request)
    const left = current?.grant ? undefined : current
    if (left && !(request.method === 'POST' && site.isOwn(request))) {
      throw conflict('You are signed in. Sign out first, or open this link in another browser.')
    }
    const now = clock.now()
    const claim = wantsPage(request) ? randomBytes(32).toString('base64url') : undefined
    const started = await sessions.beginGranted(token, claim, async (transaction) => {
      const where = { id: token.id, consumedAt: null }
      const [consumed] = await models.LogonToken.update({ consumedAt: now }, { where, transaction })
      if (consumed !== 1) {
        throw refused()
      }
      await models.User.update({ lastLogin: now }, { where: { id: user.id }, transaction })
    })
    if (left) {
      await sessions.end(left.tokenHash)
    }
    log.info({ logonTokenId: token.id, userId: user.id, deviceId: token.deviceId }, 'A logon token was used.')
    const principal = principalOf(app, started.session)
    if (principal?.credential.kind !== 'LogonToken') {
      throw refused()
    }
    return {
      ...principal,
      credential: { ...principal.credential, cookie: started.token, ...(claim !== undefined && { claim }) },
    }
  },
})
