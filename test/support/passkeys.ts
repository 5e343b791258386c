import { randomBytes } from 'node:crypto'
import { Authenticator } from './authenticator.ts'
import { account, signInTo, Visitor, type Member, type TestServer } from './server.ts'

/** Address of a test server at which browsers support passkeys. */
export const namedUrl = ({ url }: TestServer): string => url.replace('127.0.0.1', 'localhost')

/** A visitor with our page open, at a name. */
export function pageVisitor(server: TestServer): Visitor {
  const visitor = new Visitor(namedUrl(server))
  visitor.pageKey = randomBytes(32).toString('base64url')
  return visitor
}

/** Signs in on our page, at a name. */
export async function pageMember(server: TestServer, email = account.email): Promise<Member> {
  const member = await signInTo(namedUrl(server), { email })
  const pageKey = randomBytes(32).toString('base64url')
  await member.auth.logout({})
  member.pageKey = pageKey
  await member.applianceSession.signIn({ body: { email, password: account.password } })
  return member
}

/** Adds a passkey of a new authenticator. */
export async function addPasskey(
  member: Member,
  name = 'Laptop',
): Promise<{ authenticator: Authenticator; id: string }> {
  const authenticator = new Authenticator()
  const begun = await member.appliancePasskeys.additionOptions({})
  const credential = authenticator.create(begun, { origin: member.url })
  const { id } = await member.appliancePasskeys.add({ body: { ticket: begun.ticket, name, credential } })
  return { authenticator, id }
}

/** Signs in with a passkey. */
export async function signInWithPasskey(visitor: Visitor, authenticator: Authenticator) {
  const begun = await visitor.appliancePasskeys.signInOptions({})
  const credential = authenticator.sign(begun, { origin: visitor.url })
  return visitor.appliancePasskeys.signIn({ body: { ticket: begun.ticket, credential } })
}
