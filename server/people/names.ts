import type { App, Call } from '../call/call.ts'
import { asServiceAccount, withLinkMaker } from '../ground/principal.ts'

interface Caller {
  app: App
  /** Without an id: the server itself. */
  principal: { id: string | null; name: string; linkMaker?: string | null }
}

export const nameOfCaller = ({ app, principal }: Caller): string =>
  withLinkMaker(app.accounts.nameOf(principal.id ?? '') ?? principal.name, principal)

/** Name of an account for others than its colleagues. */
export function nameOfAccount({ accounts, serviceAccounts }: App, id: string): string | null {
  const program = serviceAccounts.get(id)
  return program ? asServiceAccount(program.name) : (accounts.nameOf(id) ?? null)
}

/** Name of a visitor for the person at the device, who must not take a program for a colleague (T45). */
export const nameOfVisitor = (call: Pick<Call, 'app' | 'principal'>): string =>
  call.principal.kind === 'ServiceAccount' ? asServiceAccount(call.principal.name) : nameOfCaller(call)
