import { hash, verify } from '@node-rs/argon2'

/** argon2id with OWASP's parameters: 19 MiB, two passes, one lane. They are part of each hash, so they may change. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const hashPassword = (password: string): Promise<string> => hash(password, parameters)

let hashOfNothing: Promise<string> | undefined

/**
 * Compares off the main thread. Without a hash, takes equally long and returns false, so that the existence of an
 * account does not leak.
 */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const known = passwordHash ?? (await (hashOfNothing ??= hashPassword('')))
  const isEqual = await verify(known, password)
  return isEqual && passwordHash !== undefined
}
