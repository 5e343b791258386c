import type { IncomingMessage } from 'node:http'
import { memberOf } from '../../shared/contract/lenient.ts'
import { deviceAccessParameters, deviceAccessPath, endsSessionParameter } from '../../shared/device-access.ts'
import { actorOf, actorOfUser } from '../ground/actor.ts'
import { accountOfLink } from '../ground/principal.ts'
import type { App } from '../call/call.ts'
import { conflict, unauthorized } from '../ground/errors.ts'
import { queryOf } from '../engines/http/contract/input.ts'
import { pathOf } from '../engines/http/web/request.ts'
import type { LogonTokenRow } from './tables.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'
import { principalOf, sessionOf } from './cookie.ts'
import { linkMakerOf, standsLink } from './link-rights.ts'
import { pageKeyOf } from './page-key.ts'
import { readKey } from './key-format.ts'
import { verifySecret } from '../engines/secrets/hashes.ts'

/** Identical rejection for every reason, so that a guess reveals nothing (T12). */
const rejected = () => unauthorized('This link was used already, has expired, or is not complete. Ask for a new one.')

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
 * Single-use links. The token is consumed in the transaction that stores the session: of several concurrent requests
 * exactly one succeeds, and after a crash the token is either used with a session, or unused. A wrong device id does
 * not consume the token. A POST of our page makes a session that needs its key, too (T34); only there the visitor can have
 * confirmed that a session of a normal sign-in ends: any page could link here.
 */
export const createLogonTokenScheme = (app: App, { origins, remoteAddressOf }: SchemeOptions): Scheme => ({
  handles(request) {
    if (!isDeviceAccess(request)) {
      return false
    }
    const { deviceId, logonToken } = deviceAccessParameters(queryOf(request))
    return deviceId !== undefined && logonToken !== undefined
  },
  async authenticate(request) {
    const { models, sessions, clock, log, audit } = app
    const { deviceId, logonToken } = deviceAccessParameters(queryOf(request))
    const token = await findToken(app, String(logonToken))
    const visitor = actorOf(undefined, remoteAddressOf(request), request.headers['user-agent'])
    const user = token && (await models.User.findByPk(token.userId))?.get({ plain: true })
    if (
      !token ||
      user?.disabledAt !== null ||
      token.deviceId !== String(deviceId).toLowerCase() ||
      token.expiresAt <= clock.now() ||
      !standsLink(app, token)
    ) {
      // Not awaited: the answer to an unknown link takes no write, and reaches a client that has closed its side.
      audit.note(visitor, {
        kind: 'sign-in.logon-token',
        outcome: 'failure',
        target: { kind: 'token', id: token?.id ?? null },
      })
      throw rejected()
    }
    const current = sessionOf(app, request)
    const ending = current?.grant ? undefined : current
    const pageKey = request.method === 'POST' && origins.isOwn(request) ? pageKeyOf(request) : undefined
    if (ending && (pageKey === undefined || memberOf(queryOf(request), endsSessionParameter) === undefined)) {
      throw conflict('You are signed in. Sign out first, or open this link in another browser.')
    }
    const now = clock.now()
    const named = { ...user, linkMaker: linkMakerOf(app, token, user) }
    const actor = actorOfUser(visitor, named, accountOfLink(token, user.id))
    const from = { remoteAddress: remoteAddressOf(request), userAgent: request.headers['user-agent'] ?? null }
    const started = await sessions.beginGranted(token, pageKey, from, async (transaction) => {
      const where = { id: token.id, consumedAt: null }
      const [consumed] = await models.LogonToken.update({ consumedAt: now }, { where, transaction })
      if (consumed !== 1) {
        throw rejected()
      }
      const mayEnter = { id: user.id, disabledAt: null }
      const [entered] = await models.User.update({ lastLogin: now }, { where: mayEnter, transaction })
      if (entered !== 1) {
        throw rejected()
      }
      await audit.recordIn(transaction, actor, [{ kind: 'sign-in.logon-token', device: app.fleet.get(token.deviceId) }])
    })
    if (ending) {
      await sessions.end(ending.tokenHash)
    }
    log.info({ actor, logonTokenId: token.id, deviceId: token.deviceId }, 'A logon token was used.')
    const principal = principalOf(app, started.session)
    if (principal?.credential.kind !== 'LogonToken') {
      throw rejected()
    }
    return { ...principal, credential: { ...principal.credential, cookie: started.token } }
  },
})
