import type { App } from '../call/call.ts'
import { withLinkMaker } from '../ground/principal.ts'

interface Caller {
  app: App
  /** Without an id: the server itself. */
  principal: { id: string | null; name: string; linkMaker?: string | null }
}

/** Name of the caller on pages and devices. */
export const nameOfCaller = ({ app, principal }: Caller): string =>
  withLinkMaker(app.accounts.nameOf(principal.id ?? '') ?? principal.name, principal)
