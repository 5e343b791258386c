import { verifyAsync } from '@noble/ed25519'
import { dayMs } from '../../shared/durations.ts'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { ReleaseStatement, SignedRelease } from '../../shared/release.ts'
import { UpdateProblem } from './update-problem.ts'

/** Largest difference between the clocks of this machine and of the machine that signs releases. */
const clockToleranceMs = dayMs

interface Trust {
  /** Public keys of releases, base64. */
  keys: readonly string[]
  now: number
  /** `signedAt` of the newest release that this server has seen. */
  newestSeen: number
}

const jsonIn = (bytes: Uint8Array) => parseJson(Buffer.from(bytes).toString('utf8'))

async function isSigned({ statement, signatures }: SignedRelease, keys: readonly string[]): Promise<boolean> {
  const bytes = Buffer.from(statement, 'base64')
  for (const { key, signature } of signatures.filter((each) => keys.includes(each.key))) {
    const isValid = await verifyAsync(Buffer.from(signature, 'base64'), bytes, Buffer.from(key, 'base64')).catch(
      () => false,
    )
    if (isValid) {
      return true
    }
  }
  return false
}

export const noKeyProblem =
  'This copy of Farhand was built without a release key, so it cannot verify releases and cannot update. Install a published build.'

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Verifies the signed file of a feed; throws an `UpdateProblem` unless the release is signed, current and not older. */
export async function readRelease(file: Uint8Array, { keys, now, newestSeen }: Trust): Promise<ReleaseStatement> {
  if (keys.length === 0) {
    throw new UpdateProblem(noKeyProblem)
  }
  const signed = SignedRelease.safeParse(jsonIn(file)).data
  if (!signed) {
    throw new UpdateProblem('The release file of the feed cannot be read: it is damaged, or the feed is another one.')
  }
  if (!(await isSigned(signed, keys))) {
    throw new UpdateProblem(
      'The release is not signed with a key that this server trusts, so it was rejected. Check the address of the feed.',
    )
  }
  const statement = ReleaseStatement.safeParse(jsonIn(Buffer.from(signed.statement, 'base64'))).data
  if (!statement) {
    throw new UpdateProblem('The release is signed, but this version cannot read it. Install the new version by hand.')
  }
  if (statement.signedAt > now + clockToleranceMs) {
    throw new UpdateProblem(
      `The release was signed on ${day(statement.signedAt)}, which is in the future. Check the clock of this server.`,
    )
  }
  if (statement.signedAt < newestSeen) {
    throw new UpdateProblem(
      `The feed shows a release signed on ${day(statement.signedAt)}, but this server has seen one of ${day(newestSeen)}. ` +
        'An old copy of the feed was rejected. Check the address of the feed.',
    )
  }
  if (statement.expiresAt <= now) {
    throw new UpdateProblem(
      `The feed has shown nothing new since ${day(statement.signedAt)} and expired on ${day(statement.expiresAt)}. ` +
        'Newer releases may be kept from this server. Check the address of the feed.',
    )
  }
  return statement
}
