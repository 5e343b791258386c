import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { AgentReleaseStatement, succession, type NamedReleaseKey, type ReleaseKey } from '../../shared/agent-release.ts'
import type { AgentBundleMetadataDto, RuntimeId } from '../../shared/dtos/agent-bundle.ts'

/** Offered agent that must not be installed; the message contains the reason and advice. */
export class RefusedRelease extends Error {
  override readonly name = 'RefusedRelease'
}

const keyOf = (key: ReleaseKey): KeyObject =>
  createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })

const isSigned = (bytes: Buffer, key: ReleaseKey, signature: string) => {
  try {
    const publicKey = keyOf(key)
    return publicKey.asymmetricKeyType === 'ed25519' && verify(null, bytes, publicKey, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

/**
 * Returns the current release key: the last key in the chain that starts at the pinned key, each signed by its
 * predecessor. Without a pinned key the server is trusted once. Keys outside of the chain are ignored.
 */
export function followReleaseKeys(
  pinned: ReleaseKey | undefined,
  named: readonly NamedReleaseKey[] = [],
): ReleaseKey | undefined {
  const from = named.findIndex(({ key }) => key === pinned)
  if (pinned === undefined || from < 0) {
    return pinned ?? named.at(-1)?.key
  }
  let key = pinned
  for (const next of named.slice(from + 1)) {
    if (!isSigned(Buffer.from(succession(next.key)), key, next.signature ?? '')) {
      return key
    }
    key = next.key
  }
  return key
}

const statementIn = (bytes: Buffer) => AgentReleaseStatement.safeParse(parseJson(bytes.toString('utf8'))).data

/**
 * Returns the signed statement of an offered agent. Throws `RefusedRelease` unless every part of the offer matches the
 * statement.
 */
export function readRelease(
  offer: AgentBundleMetadataDto,
  { key, runtime }: { key: ReleaseKey; runtime: RuntimeId },
): AgentReleaseStatement {
  const { version, bundleSha256, installerSha256, release } = offer
  if (!release) {
    throw new RefusedRelease(
      `The server offers agent ${version} without a signature. Is an older version of the server running? Update it.`,
    )
  }
  const bytes = Buffer.from(release.statement, 'base64')
  if (!isSigned(bytes, key, release.signature)) {
    throw new RefusedRelease(
      `Agent ${version} is signed with a key that this device does not know. If the server is a new one, install the ` +
        `agent again with a command from its Deploy page; otherwise something else answers in its place.`,
    )
  }
  const signed = statementIn(bytes)
  if (!signed) {
    throw new RefusedRelease('What the server signed of its agent cannot be read. Install the agent again.')
  }
  if (signed.runtime !== runtime) {
    throw new RefusedRelease(`The server offers the agent for ${signed.runtime}, and this device needs ${runtime}.`)
  }
  const wrong = [
    signed.version !== version && 'version',
    signed.bundleSha256 !== bundleSha256.toUpperCase() && 'bundle',
    signed.installerSha256 !== installerSha256.toUpperCase() && 'installer',
  ].filter((name) => name !== false)
  if (wrong.length > 0) {
    throw new RefusedRelease(`The server offers another ${wrong.join(' and ')} than its release key signed.`)
  }
  return signed
}
