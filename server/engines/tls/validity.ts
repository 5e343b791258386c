import type { X509Certificate } from 'node:crypto'
import { dayMs } from '../../../shared/durations.ts'

export const authorityLifeMs = 20 * 365.25 * dayMs
/** Systems reject server certificates that are valid for more than 398 days. */
export const leafLifeMs = 397 * dayMs

/**
 * True if an authority's certificate must be reissued over the same key: the clock is outside its validity, or it
 * expires within the life of a leaf.
 */
export const isAuthorityDue = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  now < validFromDate.getTime() || now + leafLifeMs >= validToDate.getTime()

export const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now && now < validToDate.getTime()

/** True if a certificate must be renewed: after two thirds of its life, or outside its validity. */
export function isDue({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  const [begin, end] = [validFromDate.getTime(), validToDate.getTime()]
  return now < begin || now >= begin + ((end - begin) * 2) / 3
}
