import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { AgentReleaseStatement, succession, type NamedReleaseKey, type ReleaseKey } from '../../shared/agent-release.ts'
import type { AgentBundleMetadataDto, RuntimeId } from '../../shared/dtos/agent-bundle.ts'

/** An agent that the server offers and that must not be installed; the message says why and what to do. */
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
 * Returns the key that signs agents from now on: the last one that the pinned key leads to, each named by the one before.
 * Without a pinned key the server is believed, once. Keys that the pinned key does not lead to change nothing.
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

const statementIn = (bytes: Buffer) => {
  try {
    return AgentReleaseStatement.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined
  }
}

/** What the release key signed of an offered agent. Throws `RefusedRelease` unless all of the offer is what it signed. */
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
