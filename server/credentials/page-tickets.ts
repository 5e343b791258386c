import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { dayMs } from '../../shared/durations.ts'
import type { App } from '../call/call.ts'
import { AppError } from '../ground/errors.ts'
import { sealedFor, unsealedFor } from './tickets.ts'
import { findUsed, useTicket } from './used-tickets.ts'

const lifetimeMs = 60_000

/** Counted from the first use: the time in which a browser may resume a download. */
const resumableMs = dayMs

/** Maximum per account and minute: each use is a write (T20). */
const maxOfAccount = 500

/** `userId` is the account: servers of an older version, which may stand beside this one, call it so. */
const PageTicket = z.object({ id: z.string(), sessionId: z.string(), userId: z.string(), expiresAt: z.number() })

export interface TicketUse {
  sessionId: string
  /** Address with its query. */
  target: string
  /** True if the request asks for a part of a file. */
  isResume: boolean
}

const digestOf = (target: string) => createHash('sha256').update(target).digest('base64')

type TicketApp = Pick<App, 'clock' | 'database' | 'models' | 'pageTickets' | 'sealer'>

/** Issues a ticket for a session of an account. Throws 429 for an account that asks for too many. */
export function issuePageTicket(app: TicketApp, sessionId: string, account: string): string {
  if (app.pageTickets.add(account) > maxOfAccount) {
    throw new AppError(429, 'You asked for too many tickets. Try again in a minute.', {
      headers: { 'retry-after': String(lifetimeMs / 1000) },
    })
  }
  const id = randomBytes(16).toString('base64url')
  return sealedFor(app, 'page', { id, sessionId, userId: account, expiresAt: app.clock.now() + lifetimeMs })
}

/**
 * Uses a single-use ticket: it replaces the page key in one request of its session, and in later requests for parts of the
 * same file, because browsers resume a download under its original address. Returns whether it was issued to this session,
 * has not expired, and is new or used for the same file.
 */
export async function takePageTicket(app: TicketApp, text: string, { sessionId, target, isResume }: TicketUse) {
  const ticket = unsealedFor(app, 'page', PageTicket, text)
  if (ticket?.sessionId !== sessionId) {
    return false
  }
  const now = app.clock.now()
  const { id, userId } = ticket
  const isInTime = ticket.expiresAt > now
  const used = { id, userId, target: digestOf(target), expiresAt: now + resumableMs }
  if (isInTime && (await useTicket(app, used))) {
    return true
  }
  const before = isResume ? await findUsed(app, id) : undefined
  return before !== undefined && before.target === used.target && before.expiresAt > now
}
