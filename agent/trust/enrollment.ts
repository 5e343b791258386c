import { systemClock } from '../base/clock.ts'
import type { Options } from '../base/arguments.ts'
import { UserError } from '../base/errors.ts'
import { explainFailure } from '../base/explain-failure.ts'
import { plainText } from '../base/plain-text.ts'
import type { Settings } from './settings.ts'
import { fetchIdentity } from './fetch-identity.ts'
import { pinOf, textOfKey, type ProvedIdentity } from './identity-document.ts'
import { describeServer, type Expected } from './problems.ts'
import { followReleaseKeys } from './release.ts'
import { endOf, isEnded } from './statement-time.ts'
import type { Pin } from '../../shared/server-identity.ts'

type AppOptions = Settings['AppOptions']

/** Settings that store the enrollment. */
export type Enrollment = Pick<
  AppOptions,
  'ServerIdentity' | 'ServerIdentityKey' | 'ServerAddresses' | 'ReleaseKey' | 'ReleaseBuild'
>

const unpinned: Enrollment = {
  ServerIdentity: undefined,
  ServerIdentityKey: undefined,
  ServerAddresses: undefined,
  ReleaseKey: undefined,
  ReleaseBuild: undefined,
}

/** Settings derived from a statement; the origin where the server proved its identity comes first. */
export const enrollmentOf = ({ pin, authorityKey, statement }: ProvedIdentity, origin: string) => ({
  ServerIdentity: pin,
  ServerIdentityKey: textOfKey(authorityKey),
  ServerAddresses: {
    Name: statement.name,
    Origins: [...new Set([origin, ...statement.addresses])],
    ServerPin: statement.serverPin,
    IssuedAt: statement.issuedAt,
    ExpiresAt: statement.expiresAt,
  },
  ReleaseKey: followReleaseKeys(undefined, statement.releaseKeys),
})

/** Describes the server of these settings for people; undefined for unpinned access. */
export const expectedServer = ({ ServerIdentity: pin, ServerAddresses }: Enrollment): Expected | undefined =>
  pin === undefined ? undefined : { pin, name: ServerAddresses?.Name ?? '' }

/**
 * Makes the first contact: connects only to the key in the install command, and reads the identity behind this key.
 * Throws `UserError` with what was observed instead.
 */
async function firstContact(serverUri: string, pin: Pin): Promise<ProvedIdentity> {
  const { origin, protocol } = new URL(serverUri)
  if (protocol !== 'https:') {
    throw new UserError(
      `A server with a pin (-sp) is reached by https only: give its https address instead of ${origin}.`,
    )
  }
  const { identity } = await fetchIdentity(origin, {
    check({ publicKey, subject, issuer }) {
      if (pinOf(publicKey) !== pin) {
        throw new UserError(
          `Another server than that of the install command answers at ${origin}: expected the key ${pin}, seen a ` +
            `certificate for ${plainText(subject) || 'nobody'}, issued by ${plainText(issuer) || 'nobody'}, with the ` +
            `key ${pinOf(publicKey)}. Nothing was sent to it. Take a fresh install command from the Deploy page of the ` +
            `server; if the error stays, the connection may be intercepted.`,
        )
      }
    },
  }).catch(async (error: unknown) => {
    throw error instanceof UserError ? error : new UserError(await explainFailure(origin, error))
  })
  if (typeof identity === 'string' || identity.statement.serverPin !== pin) {
    const problem = typeof identity === 'string' ? identity : 'its identity document is for another key'
    throw new UserError(
      `${origin} has the key of the install command and does not prove who it is: ${problem}. Is a proxy in between? ` +
        `Then leave out -sp, and this device trusts the certificates that its system trusts.`,
    )
  }
  if (isEnded(identity.statement, systemClock.now())) {
    throw new UserError(
      `${origin} has the key of the install command and proves it with a document that ended on ` +
        `${new Date(endOf(identity.statement)).toISOString()}. If the clock of this device is right, that key was replaced: ` +
        `take a fresh install command from the Deploy page of the server.`,
    )
  }
  return identity
}

const isKnownAddress = ({ ServerUri, ServerAddresses }: AppOptions, serverUri: string) =>
  [ServerUri, ...(ServerAddresses?.Origins ?? [])].some(
    (known) => URL.canParse(known) && new URL(known).origin === new URL(serverUri).origin,
  )

/**
 * Chooses the device's enrollment: the options, merged with known settings; prints changes. Only a new registration can
 * move the device to another server, an update cannot.
 */
export async function chooseEnrollment(
  { serverUri, serverPin }: Options,
  known: AppOptions | undefined,
  { isRegistering, say }: { isRegistering: boolean; say: (sentence: string) => void },
): Promise<Enrollment> {
  const before = known && expectedServer(known)
  if (known && before && !isRegistering) {
    return known
  }
  if (serverPin && serverUri) {
    const identity = await firstContact(serverUri, serverPin)
    const now = { pin: identity.pin, name: identity.statement.name }
    if (before && before.pin !== now.pin) {
      say(
        `This device belonged to ${await describeServer(before)}. It now belongs to ${await describeServer(now)}: it ` +
          `connects to no other server, and the old one cannot reach it any more.`,
      )
    } else if (!before) {
      say(`This device belongs to ${await describeServer(now)} from now on and connects to no other server.`)
    }
    const enrollment = enrollmentOf(identity, new URL(serverUri).origin)
    // Keep the build number for the same release key, so that older builds of this key are still rejected.
    const isFollowed = followReleaseKeys(known?.ReleaseKey, identity.statement.releaseKeys) === enrollment.ReleaseKey
    return { ...enrollment, ReleaseBuild: isFollowed ? known?.ReleaseBuild : undefined }
  }
  if (!known || (!before && isRegistering)) {
    return unpinned
  }
  if (!before || !serverUri || isKnownAddress(known, serverUri)) {
    return known
  }
  say(
    `This device belonged to ${await describeServer(before)}. The install command names ${serverUri} and no key, so the ` +
      `device trusts any server at that address: take a command with --server-pin from the Deploy page to change that.`,
  )
  return unpinned
}
