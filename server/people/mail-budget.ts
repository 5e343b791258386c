import { AppError } from '../ground/errors.ts'
import type { App } from '../call/call.ts'

/**
 * Mails in 24 hours that their recipient may not have asked for: all leave by the one mail server, and strangers' inboxes
 * are their recipients (T44). Each purpose counts apart, so that nobody uses up the resets of another by changes of an
 * address. Each server of a cluster counts its own.
 */
const maxToAddress = 10
/** Changes of an address that an account asks for in 24 hours. */
const maxByAccount = 20

/** Counts a mail to an address. False above the limit: it is not sent, and its sender is not told, who may be a stranger. */
export function takeUnaskedMail({ unaskedMails }: App, purpose: 'confirm' | 'invite' | 'reset', to: string): boolean {
  const key = `${purpose} ${to.toLowerCase()}`
  const isFree = unaskedMails.of(key).value < maxToAddress
  if (isFree) {
    unaskedMails.add(key)
  }
  return isFree
}

/** Counts a change of the address of an account; throws 429 above the limit. */
export function requireAddressChange({ unaskedMails }: App, accountId: string): void {
  const key = `by ${accountId}`
  const { value, leftMs } = unaskedMails.of(key)
  if (value >= maxByAccount) {
    throw new AppError(429, 'Too many messages were sent to confirm addresses within 24 hours. Try again tomorrow.', {
      headers: { 'retry-after': String(Math.ceil(leftMs / 1000)) },
    })
  }
  unaskedMails.add(key)
}
