import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { App, KnownBrowser } from '../call/call.ts'
import { longestMaxAge, readWrittenCookie, writeCookie } from '../engines/http/web/cookies.ts'
import { sealedFor, unsealedFor } from '../credentials/tickets.ts'

const cookieName = '.Farhand.Browser'

/** Maximum number of accounts per browser; the one that signed in longest ago is evicted. */
const maxAccounts = 8

const Known = z.object({ id: z.string(), userIds: z.array(z.string()) })

/** Reads the browser cookie of a request. The cookie grants nothing: it only selects a counter of failures. */
export function knownBrowser(app: App, request: IncomingMessage, response: ServerResponse): KnownBrowser {
  const read = () => unsealedFor(app, 'known-browser', Known, readWrittenCookie(request, cookieName) ?? '')
  return {
    idFor(userId) {
      const known = read()
      return known?.userIds.includes(userId) ? known.id : undefined
    },
    remember(userId) {
      const { id, userIds } = read() ?? { id: randomUUID(), userIds: [] }
      const newestFirst = [userId, ...userIds.filter((other) => other !== userId)].slice(0, maxAccounts)
      const value = sealedFor(app, 'known-browser', { id, userIds: newestFirst })
      writeCookie(request, response, cookieName, { value, maxAge: longestMaxAge })
    },
  }
}
