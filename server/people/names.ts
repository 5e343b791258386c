import type { App } from '../call/call.ts'

interface Caller {
  app: App
  /** Without an id: the server itself. */
  principal: { id: string | null; name: string }
}

/** Name of the caller on pages and devices. */
export const nameOfCaller = ({ app, principal }: Caller): string =>
  app.accounts.nameOf(principal.id ?? '') ?? principal.name
