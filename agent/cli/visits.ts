import { readVisits, type VisitEntry } from '../capabilities/visit-log.ts'
import type { Options } from '../base/arguments.ts'
import { systemClock as clock } from '../base/clock.ts'
import { printable } from '../base/plain-text.ts'
import { PersonWindow } from '../desktop/person-window.ts'
import { strings } from '../desktop/strings.ts'
import { WindowServer } from '../desktop/window-server.ts'
import { pathsFor } from '../platform/paths.ts'

const windowSize = { width: 560, height: 640 }
/** On a busy machine a browser may start slowly, and nobody else waits for this window. */
const showingMs = 60_000

const timeOf = (at: number) => new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })

const whenOf = ({ at, until }: VisitEntry) =>
  until === null ? timeOf(at) : strings.visitTimes(timeOf(at), Math.max(1, Math.round((until - at) / 60_000)))

function sentenceOf({ visitor, organization, kind, detail, hasTyped, hasHeard, pasted, copied }: VisitEntry): string {
  const name = strings.ofOrganization(visitor || strings.somebody, organization)
  const how = (hasTyped ? strings.visitTyped : '') + (hasHeard ? strings.visitHeard : '')
  return strings.visit(name, kind, detail) + how + strings.visitClipboard(pasted, copied)
}

/** Shows the visits to this device to the person at it, in a window or as lines of text. */
export async function showVisits(options: Options): Promise<void> {
  const entries = readVisits(pathsFor(options).visitsFile)
  if (!options.window) {
    const lines = entries.map((entry) => `${whenOf(entry)}  ${sentenceOf(entry)}`)
    process.stdout.write(`${printable(lines.join('\n') || strings.noVisits)}\n`)
    return
  }
  const server = new WindowServer()
  await new Promise<void>((resolve, reject) => {
    const state = {
      title: strings.visitsTitle,
      introduction: strings.visitsIntroduction,
      lines: entries.map((entry) => ({ name: whenOf(entry), text: sentenceOf(entry), isOwn: false })),
      note: entries.length === 0 ? strings.noVisits : '',
    }
    const deps = { clock, server, size: windowSize, showingMs, onAnswer: () => {}, onClosed: resolve }
    PersonWindow.open(state, deps).catch(reject)
  })
  await server.close()
}
