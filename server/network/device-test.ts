import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { instant } from '../ground/instant.ts'
import type { NetworkVisitDto, NetworkVisitReportDto } from '../../shared/dtos/network.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { AppError, notFound } from '../ground/errors.ts'
import type { NetworkVisit } from './served-network.ts'

const validMs = 10 * 60_000
/** Maximum number of open visits; a new one evicts the oldest. */
const mostVisits = 20

const hashOf = (code: string) => hash('sha256', code.trim().toUpperCase())

/** Ten unambiguous letters and digits: 50 bits. */
function newCode(): string {
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  return [...randomBytes(10)].map((byte) => letters[byte % letters.length]).join('')
}

function dropOld({ network: { visits }, clock }: App) {
  for (const [key, { expiresAt }] of visits) {
    if (expiresAt <= clock.now()) {
      visits.delete(key)
    }
  }
  while (visits.size >= mostVisits) {
    visits.delete(visits.keys().next().value!)
  }
}

/** Creates a code for another device's reachability test. The code is shown once; only its hash is stored. */
export function askDevice({ app }: Call): NetworkVisitDto {
  dropOld(app)
  const code = newCode()
  const visit: NetworkVisit = {
    id: randomUUID(),
    codeHash: hashOf(code),
    expiresAt: app.clock.now() + validMs,
    report: undefined,
  }
  app.network.visits.set(visit.codeHash, visit)
  return { id: visit.id, code, expiresAt: instant(visit.expiresAt) }
}

/** Report of a device; null until it arrives. Throws 404 for an expired visit. */
export function visitReport({ app }: Call, visitId: string): z.output<typeof NetworkVisitReportDto> | null {
  const visit = [...app.network.visits.values()].find(({ id }) => id === visitId)
  if (!visit || visit.expiresAt <= app.clock.now()) {
    throw notFound('code')
  }
  const { report } = visit
  return report ? { ...report, at: instant(report.at) } : null
}

/**
 * Stores the report of another device; its fields are untrusted text. Each code is valid for a single report. Throws
 * 404.
 */
export function reportVisit(
  { app }: OpenCall,
  from: string,
  { code, address, browser }: { code: string; address: string; browser: string },
): void {
  const visit = app.network.visits.get(hashOf(code))
  if (!visit || visit.report || visit.expiresAt <= app.clock.now()) {
    throw new AppError(404, 'This code is unknown, used or expired. Create another one on the Network page.', {
      isGuess: true,
    })
  }
  visit.report = { at: app.clock.now(), from, address, browser }
}
