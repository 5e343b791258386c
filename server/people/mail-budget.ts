import { AppError } from '../ground/errors.ts'
import type { App } from '../call/call.ts'

/**
 * Mails in 24 hours that their recipient may not have asked for: all leave by the one mail server, and strangers' inboxes
 * are their recipients (T44). An invitation counts for its recipient; its tenant has a limit of its own.
 */
const maxByAccount = 20
const maxToAddress = 10

/** Counts a mail, of an account that asks for it. Returns the time to wait in milliseconds, 0 for a counted mail. */
export function takeUnaskedMail({ unaskedMails }: App, to: string, accountId?: string): number {
  const counted = [
    { key: `to ${to.toLowerCase()}`, most: maxToAddress },
    ...(accountId === undefined ? [] : [{ key: `by ${accountId}`, most: maxByAccount }]),
  ]
  const full = counted.find(({ key, most }) => unaskedMails.of(key).value >= most)
  if (full) {
    return unaskedMails.of(full.key).leftMs
  }
  counted.forEach(({ key }) => unaskedMails.add(key))
  return 0
}

/** Same as `takeUnaskedMail`, but throws 429 above a limit. */
export function requireUnaskedMail(app: App, to: string, accountId: string): void {
  const leftMs = takeUnaskedMail(app, to, accountId)
  if (leftMs > 0) {
    throw new AppError(429, 'Too many messages were sent to confirm addresses within 24 hours. Try again tomorrow.', {
      headers: { 'retry-after': String(Math.ceil(leftMs / 1000)) },
    })
  }
}
