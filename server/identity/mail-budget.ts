import { AppError } from '../ground/errors.ts'
import type { App } from '../call/call.ts'

/**
 * Mails in 24 hours, of each purpose to one address, that their recipient may not have asked for: all leave by the one
 * mail server, and strangers' inboxes are their recipients. Counted by sender, so that no account, no tenant and no
 * stranger uses up the mails of others to that address (T44). Each server of a cluster counts its own.
 */
const mostToAddress = { ofSender: 5, ofTenant: 10, ofAll: 50 }
/** Changes of an address that an account asks for in 24 hours. */
const maxByAccount = 20

/**
 * `confirm` is for the address that an account has, `change` for one that it wants. Anybody may ask for `confirm-again` and
 * `reset`, which therefore use up no mails of the others.
 */
type Purpose = 'confirm' | 'confirm-again' | 'change' | 'invite' | 'reset'

/** Account or network address that asks for a mail, and the tenant of the account. */
interface MailSender {
  id: string
  tenantId?: string
}

/** Mails that strangers may use up: their owner gets one in an hour all the same. */
const ofAnybody: ReadonlySet<Purpose> = new Set(['confirm-again', 'reset'])

/** Counts a mail to an address. False above a limit: it is not sent, and its sender is not told, who may be a stranger. */
export function takeUnaskedMail(
  { unaskedMails, hourlyMails }: App,
  purpose: Purpose,
  to: string,
  by: MailSender,
): boolean {
  const toAddress = `${purpose} ${to.toLowerCase()}`
  const counters = [
    { key: toAddress, most: mostToAddress.ofAll },
    ...(by.tenantId === undefined ? [] : [{ key: `${toAddress} ${by.tenantId}`, most: mostToAddress.ofTenant }]),
    { key: `${toAddress} ${by.id}`, most: mostToAddress.ofSender },
  ]
  const isFree =
    counters.every(({ key, most }) => unaskedMails.of(key).value < most) ||
    (ofAnybody.has(purpose) && hourlyMails.of(toAddress).value === 0)
  if (isFree) {
    hourlyMails.add(toAddress)
    counters.forEach(({ key }) => unaskedMails.add(key))
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
