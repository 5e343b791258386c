import { randomUUID } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Commands } from '../../../agent/capabilities/commands.ts'
import { Consent, type Visit } from '../../../agent/capabilities/consent.ts'
import { StandingAnswers } from '../../../agent/capabilities/standing-answers.ts'
import { fileHandlers } from '../../../agent/capabilities/files.ts'
import { FileMessages } from '../../../agent/capabilities/files/messages.ts'
import { PartFiles } from '../../../agent/capabilities/files/parts.ts'
import { guardedHandlers } from '../../../agent/capabilities/consent-guard.ts'
import { Terminals } from '../../../agent/capabilities/terminal.ts'
import { readVisits, VisitLog } from '../../../agent/capabilities/visit-log.ts'
import { Vnc } from '../../../agent/capabilities/vnc.ts'
import type { Person } from '../../../agent/desktop-host/served-desktop.ts'
import type { ConsentQuestion, ConsentReply } from '../../../agent/desktop/messages.ts'
import type { ConsentAnswers, ConsentRule } from '../../../shared/dtos/consent.ts'
import { openAccess } from '../../../agent/trust/access.ts'
import { fileFactsType, followFileType, setFileModeType } from '../../../shared/dtos/file-messages.ts'
import { collectingLog, manualClock, temporaryFolder } from '../support.ts'

const hourMs = 60 * 60_000

/** Device whose person gives the answers of the test, in order. */
function openDevice(replies: (Partial<ConsentReply> & Pick<ConsentReply, 'answer'>)[] = [], isSignedIn = true) {
  const manual = manualClock()
  let wallJumpMs = 0
  const clock = { ...manual, now: () => manual.now() + wallJumpMs, jump: (ms: number) => void (wallJumpMs += ms) }
  const questions: ConsentQuestion[] = []
  const reports: ConsentAnswers[] = []
  const person: Person = {
    username: 'anna',
    isSignedIn,
    desktop: 'Console',
    askPower: () => Promise.reject(new Error('Not expected here.')),
    endPowerQuestion: () => Promise.resolve(),
    ask(question) {
      questions.push(question)
      return Promise.resolve({ asksAlways: question.asksAlways, reason: '', ...replies.shift()! })
    },
  }
  const path = join(temporaryFolder(), 'consent.json')
  const start = () =>
    new Consent({
      clock,
      log: collectingLog(),
      file: new StandingAnswers(path),
      person: () => Promise.resolve(isSignedIn ? person : undefined),
      report: (answers) => void reports.push(answers),
    })
  return { clock, person, questions, reports, consent: start(), restart: start }
}

/** Handlers of the agent for messages of its server, with the person of a device. */
function openGuarded({ clock, consent }: ReturnType<typeof openDevice>, folder = temporaryFolder()) {
  const log = collectingLog()
  const parts = new PartFiles(join(folder, 'parts'))
  const unexpected = () => Promise.reject(new Error('Not expected here.'))
  const server = () => ({
    GetFileStreamFromViewer: () => {
      throw new Error('Not expected here.')
    },
    SendDirectoryContentsStream: unexpected,
    SendFileContentStream: unexpected,
    SendSubdirectoriesStream: unexpected,
  })
  return guardedHandlers({
    consent,
    visits: new VisitLog(join(folder, 'visits.jsonl'), clock),
    terminals: new Terminals({ clock, log, send: unexpected }),
    vnc: new Vnc({ log, access: openAccess('http://127.0.0.1') }),
    commands: new Commands({ clock, log }),
    files: fileHandlers({ clock, log, server, logFolders: [], parts }),
    fileMessages: new FileMessages({ clock, log, server, parts }),
    receivePower: () => Promise.resolve(undefined),
  })
}

/** Sends messages of the server. */
const senderTo =
  ({ ReceiveDto }: ReturnType<typeof openGuarded>) =>
  (dtoType: string, message: object) =>
    ReceiveDto({ dtoType, payload: Buffer.from(JSON.stringify(message)).toString('base64'), sendTimestamp: 0 })

const free: ConsentRule = { mode: 'never', allowsSilence: true }
const ask: ConsentRule = { mode: 'signed-in', allowsSilence: false }
const visit = (rule: ConsentRule, changes: Partial<Visit> = {}): Visit => ({
  subject: 'control',
  rule,
  visitorId: 'ada',
  visitorName: 'Ada',
  ...changes,
})

const refusalOf = async (device: ReturnType<typeof openDevice>, made: Visit) =>
  (await device.consent.admit(made)).refusal

describe('a visit', () => {
  test.each<[string, ConsentRule, boolean, ConsentReply['answer'] | undefined, string | undefined]>([
    ['is let in without a question where no rule asks', free, true, undefined, undefined],
    ['is let in by the person', ask, true, 'once', undefined],
    ['is refused by the person', ask, true, 'declined', 'The person at the device declined.'],
    ['is refused by silence', ask, true, 'silent', 'The person at the device did not answer within 30 s.'],
    ['is let in by silence where the rule says so', { ...ask, allowsSilence: true }, true, 'silent', undefined],
    ['is let in while nobody is signed in, if the rule asks only then', ask, false, undefined, undefined],
    [
      'is refused while nobody is signed in, if the rule asks always',
      { mode: 'always', allowsSilence: false },
      false,
      undefined,
      'Nobody is signed in at this desktop.',
    ],
    [
      'is let in while nobody is signed in, if silence allows it',
      { mode: 'always', allowsSilence: true },
      false,
      undefined,
      undefined,
    ],
  ])('%s', async (_, rule, isSignedIn, answer, refusal) => {
    const device = openDevice(answer ? [{ answer }] : [], isSignedIn)
    expect(await refusalOf(device, visit(rule))).toBe(refusal)
    expect(device.questions).toHaveLength(answer ? 1 : 0)
  })

  test('is refused with the reason where the person cannot be asked, also where silence would allow it', async () => {
    const device = openDevice([
      { answer: 'not-asked', reason: 'The person at the device could not be asked: No browser.' },
    ])
    expect(await refusalOf(device, visit({ ...ask, allowsSilence: true }))).toBe(
      'The person at the device could not be asked: No browser.',
    )
  })
})

describe('an answer for an hour', () => {
  test('lets the visitor in until it ends, also after a restart of the agent, and nobody else', async () => {
    const device = openDevice([
      { answer: 'hour' },
      { answer: 'declined' },
      { answer: 'declined' },
      { answer: 'declined' },
    ])
    await device.consent.admit(visit(ask))
    const again = device.restart()
    expect(await again.admit(visit(ask))).toMatchObject({ refusal: undefined, by: 'standing' })
    expect(await again.admit(visit(ask, { subject: 'viewing' }))).toMatchObject({ by: 'standing' })
    expect(device.questions).toHaveLength(1)
    expect((await again.admit(visit(ask, { visitorId: 'eve' }))).refusal).toMatch('declined')
    expect((await again.admit(visit(ask, { subject: 'files' }))).refusal).toMatch('declined')
    device.clock.advance(hourMs)
    expect((await again.admit(visit(ask))).refusal).toMatch('declined')
  })

  test('is reported to the server, and ends when the person ends a session', async () => {
    const device = openDevice([{ answer: 'hour' }])
    await device.consent.admit(visit(ask))
    expect(device.reports.at(-1)).toMatchObject({
      standing: [{ person: 'anna', visitorId: 'ada', visitorName: 'Ada', subject: 'control' }],
    })
    device.consent.withdraw('ada', 'anna')
    expect(device.reports.at(-1)).toEqual({ standing: [], alwaysAsk: [] })
  })

  test('for the day ends at midnight', async () => {
    const device = openDevice([{ answer: 'today' }])
    await device.consent.admit(visit(ask))
    const until = new Date(device.reports.at(-1)!.standing[0]!.until)
    expect([until.getHours(), until.getMinutes()]).toEqual([0, 0])
    expect(until.getTime() - device.clock.now()).toBeLessThanOrEqual(24 * hourMs)
  })
})

describe('a clock of the device that is set back', () => {
  test('makes no answer for an hour last for days', async () => {
    const device = openDevice([{ answer: 'hour' }, { answer: 'declined' }])
    await device.consent.admit(visit(ask))
    device.clock.jump(-3 * 24 * hourMs)
    expect(await refusalOf(device, visit(ask))).toMatch('declined')
  })

  test('makes no visit to files last longer', async () => {
    const device = openDevice([{ answer: 'once', asksAlways: true }, { answer: 'once' }, { answer: 'declined' }])
    await device.consent.admit(visit(ask))
    expect(await device.consent.enter('files')).toEqual({})
    device.clock.jump(-hourMs)
    device.clock.advance(hourMs / 4)
    expect(await device.consent.enter('files')).toMatchObject({ refusal: expect.stringMatching('declined') })
  })
})

test('a visit to files ends after an hour, however much they are used (T05)', async () => {
  const device = openDevice([{ answer: 'once', asksAlways: true }, { answer: 'once' }, { answer: 'declined' }])
  await device.consent.admit(visit(ask))
  for (let minutes = 0; minutes < 60; minutes += 10) {
    expect((await device.consent.enter('files')).refusal).toBeUndefined()
    device.clock.advance(hourMs / 6)
  }
  expect(await device.consent.enter('files')).toMatchObject({ refusal: expect.stringMatching('declined') })
})

describe('a person who wants to be asked each time (T05)', () => {
  const prepared = async (replies: Parameters<typeof openDevice>[0]) => {
    const device = openDevice([{ answer: 'once', asksAlways: true }, ...(replies ?? [])])
    await device.consent.admit(visit(ask))
    return device
  }

  test('is asked although the server claims that nobody has to be', async () => {
    const device = await prepared([{ answer: 'declined' }, { answer: 'silent' }])
    expect(await refusalOf(device, visit(free))).toBe('The person at the device declined.')
    expect(await refusalOf(device, visit({ ...ask, allowsSilence: true }))).toMatch('did not answer')
  })

  test('is asked for terminals and files for which the server has not asked at all', async () => {
    const device = await prepared([{ answer: 'declined' }, { answer: 'declined' }])
    expect(await device.consent.enter('terminal', 'viewer-1')).toMatchObject({
      refusal: expect.stringMatching('declined'),
    })
    expect(await device.consent.enter('files')).toMatchObject({ refusal: expect.stringMatching('declined') })
    expect(device.consent.refusalOfPreview(device.person)).toMatch('wants to be asked')
  })

  test('is asked before facts of files are read or modes are changed by a message', async () => {
    const device = await prepared([{ answer: 'declined' }, { answer: 'declined' }])
    const handlers = openGuarded(device)
    const file = join(temporaryFolder(), 'mine.txt')
    writeFileSync(file, 'mine', { mode: 0o600 })
    const send = senderTo(handlers)
    const declined = { isSuccess: false, reason: 'The person at the device declined.' }
    expect(await send(fileFactsType, { path: file, isHashWanted: true })).toMatchObject(declined)
    expect(await send(setFileModeType, { path: file, mode: 0o666 })).toMatchObject(declined)
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  })

  test('gives no answer for longer', async () => {
    const device = await prepared([{ answer: 'hour' }])
    await device.consent.admit(visit(ask))
    expect(device.reports.at(-1)).toEqual({ standing: [], alwaysAsk: ['anna'] })
  })

  test('is asked by the rules alone after changing that wish', async () => {
    const device = await prepared([{ answer: 'once', asksAlways: false }])
    await device.consent.admit(visit(free))
    expect(await refusalOf(device, visit(free))).toBeUndefined()
  })
})

test('deeds on files have the name of the visitor, and of nobody while two visitors use files (T45)', async () => {
  const { consent, clock } = openDevice()
  const begin = (visitorName: string) => {
    const question = { subject: 'files', rule: free, grantFor: '', visitorId: visitorName, visitorName }
    const payload = Buffer.from(JSON.stringify(question)).toString('base64')
    return consent.receive({ dtoType: 'appliance.ask-consent', payload })
  }
  await begin('Ada')
  expect(await consent.enter('files')).toEqual({ visitorName: 'Ada' })
  await begin('Eve')
  expect(await consent.enter('files')).toEqual({ visitorName: '' })
  clock.advance(hourMs)
  await begin('Eve')
  expect(await consent.enter('files')).toEqual({ visitorName: 'Eve' })
})

test('a file that is followed is in the list of visits by its name, one that is described is not, and a changed one is (T45)', async () => {
  const folder = temporaryFolder()
  const send = senderTo(openGuarded(openDevice(), folder))
  const path = join(folder, 'server.log')
  writeFileSync(path, 'line')
  await send(fileFactsType, { path, isHashWanted: false })
  await send(followFileType, { path, lines: 10, streamId: randomUUID() })
  await send(setFileModeType, { path, mode: 0o600 })
  const visits = readVisits(join(folder, 'visits.jsonl')).map(({ kind, detail }) => [kind, detail])
  expect(visits).toEqual([
    ['read', path],
    ['changed', ''],
  ])
})

test('a terminal for which the person was asked opens once, with the name of the visitor', async () => {
  const device = openDevice([{ answer: 'once' }])
  const payload = Buffer.from(
    JSON.stringify({ subject: 'terminal', rule: ask, grantFor: 'viewer-1', visitorId: 'ada', visitorName: 'Ada' }),
  ).toString('base64')
  expect(await device.consent.receive({ dtoType: 'appliance.ask-consent', payload })).toMatchObject({ isSuccess: true })
  expect(await device.consent.enter('terminal', 'viewer-1')).toEqual({ visitorName: 'Ada' })
  expect(await device.consent.enter('terminal', 'viewer-2')).toEqual({})
})
