import { join } from 'node:path'
import { setImmediate as yieldOnce } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Consent } from '../../../agent/capabilities/consent.ts'
import { StandingAnswers } from '../../../agent/capabilities/standing-answers.ts'
import { Desktops } from '../../../agent/capabilities/desktops.ts'
import type { FoundDesktop } from '../../../agent/platform/found-desktop.ts'
import { openAccess } from '../../../agent/trust/access.ts'
import { deferred } from '../../../shared/deferred.ts'
import { collectingLog, manualClock, temporaryFolder } from '../support.ts'

let lastSession = 0
/** Desktop that cannot be shown, so that no process starts. */
const desktopOf = (username: string, isSignedIn = true): FoundDesktop => ({
  name: `Console - Wayland: ${username}`,
  desktopName: '',
  username,
  systemSessionId: ++lastSession,
  type: 0,
  isSignedIn,
  launcher: null,
  obstacle: 'It cannot be shown.',
})

/** Device whose search for desktops takes as long as the promise that `search` returns. */
function openDevice(search: () => Promise<FoundDesktop[]>) {
  const [clock, log] = [manualClock(), collectingLog()]
  const file = new StandingAnswers(join(temporaryFolder(), 'consent.json'))
  const desktops: Desktops = new Desktops({
    clock,
    log,
    server: () => ({
      SendChatResponse: () => Promise.resolve(true),
      SendDesktopPreviewStream: () => Promise.resolve(),
    }),
    discover: search,
    relay: openAccess('http://127.0.0.1').relay,
    grantsFile: '/dev/null/no-grants',
    admit: (visit, person) => consent.admit(visit, person),
    refusalOfPreview: (person) => consent.refusalOfPreview(person),
  })
  const consent: Consent = new Consent({
    clock,
    log,
    file,
    person: (wishers) => desktops.list.person(wishers),
    report: () => undefined,
  })
  onTestFinished(() => desktops.stop())
  const ask = async () => (await consent.admit(terminal)).refusal
  /** Lets time pass until a question is decided. */
  const waited = async (refusal: Promise<string | undefined>) => {
    let isDecided = false
    const decided = refusal.finally(() => (isDecided = true))
    while (!isDecided) {
      clock.advance(1000)
      await yieldOnce()
    }
    return decided
  }
  return { clock, file, ask, waited }
}

const terminal = {
  subject: 'terminal',
  rule: { mode: 'signed-in', allowsSilence: false },
  visitorId: 'ada',
  visitorName: 'Ada',
} as const
const couldNotAsk = 'The person at the device could not be asked: It cannot be shown.'

describe('a terminal at a device whose rule asks whoever is signed in (T05, T37)', () => {
  test('is let in where nobody is', async () => {
    const { ask } = openDevice(() => Promise.resolve([desktopOf('gdm', false)]))
    expect(await ask()).toBeUndefined()
  })

  test('waits for a desktop that is found late', async () => {
    const greeter = desktopOf('gdm', false)
    let isSlow = false
    const late = deferred<FoundDesktop[]>()
    const { ask, clock } = openDevice(() => (isSlow ? late.promise : Promise.resolve([greeter])))
    await ask()
    isSlow = true
    const asked = ask()
    await yieldOnce()
    clock.advance(5000)
    await yieldOnce()
    late.resolve([greeter, desktopOf('anna')])
    expect(await asked).toBe(couldNotAsk)
  })

  test.each([
    ['never ends', () => new Promise<never>(() => {})],
    ['fails', () => Promise.reject(new Error('No /proc.'))],
  ])('is refused where the search for desktops %s', async (_, search) => {
    const { ask, waited } = openDevice(search)
    expect(await waited(ask())).toBe('The device could not find out who is signed in.')
  })
})

test('a person who wants to be asked each time is asked although somebody else has the first desktop (T05)', async () => {
  const { file, clock, ask } = openDevice(() => Promise.resolve([desktopOf('anna'), desktopOf('bert')]))
  file.allow(
    {
      subject: 'terminal',
      visitorId: 'ada',
      visitorName: 'Ada',
      person: 'anna',
      until: new Date(clock.now() + 60_000).toISOString(),
    },
    clock.now(),
  )
  expect(await ask()).toBeUndefined()
  file.setAlways('bert', true, clock.now())
  expect(await ask()).toBe(couldNotAsk)
})
