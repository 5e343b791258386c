import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Terminals } from '../../../agent/capabilities/terminal.ts'
import { readVisits, VisitLog } from '../../../agent/capabilities/visit-log.ts'
import { systemClock, type Clock } from '../../../agent/base/clock.ts'
import { failure, terminalNotOpen } from '../../../shared/dtos/hub-result.ts'
import type { TerminalInputDto, TerminalOutputDto } from '../../../shared/dtos/terminal.ts'
import { steady, until } from '../../support/until.ts'
import { collectingLog, manualClock, temporaryFolder } from '../support.ts'

const viewer = 'viewer-1'
const notOpen = failure(terminalNotOpen)

interface TestTerminalOptions {
  clock?: Clock
  deliver?: (viewerConnectionId: string, output: TerminalOutputDto) => Promise<unknown>
}

/** Opens a real shell on a real pseudo-terminal; `text` is the output received by the viewer. */
function openTerminal({ clock = systemClock, deliver }: TestTerminalOptions = {}) {
  const terminalId = randomUUID()
  const outputs: { viewer: string; output: TerminalOutputDto }[] = []
  const terminals = new Terminals({
    clock,
    log: collectingLog(),
    async send(to, output) {
      await deliver?.(to, output)
      outputs.push({ viewer: to, output })
    },
  })
  onTestFinished(() => terminals.closeAll())
  const input = (dto: Partial<TerminalInputDto>) =>
    terminals.input({ terminalId, viewerConnectionId: viewer, input: '', isRaw: true, ...dto })
  return {
    terminals,
    terminalId,
    outputs,
    input,
    /** Types a command line; the echo differs from the output of `printf`. */
    run: (command: string) => input({ input: `${command}\r` }),
    create: (visitorName?: string) => terminals.create(terminalId, viewer, visitorName),
    text: () => outputs.map(({ output }) => output.output).join(''),
    hasExited: () => outputs.some(({ output }) => output.isExit),
  }
}

describe.skipIf(process.platform === 'win32')('terminal', () => {
  test('is a pseudo-terminal in the home folder, with colors', async () => {
    const { create, run, text } = openTerminal()
    const shell = expect.stringMatching(/^\/.*sh$/)
    expect(create()).toMatchObject({ isSuccess: true, reason: null, errorCode: null, isPty: true, shell })
    run('test -t 0 && printf "tty:%s:%s:%s;\\n" "$TERM" "$(stty size)" "$PWD"; tput setaf 1; echo')
    await until(() => /tty:xterm-256color:24 80:[^;]+;/.test(text()) && text().includes('\x1b[31m'))
    expect(text()).toContain(`:${process.env['HOME']};`)
  })

  test('has the name of its visitor in its environment, also in another shell', async () => {
    const { create, input, run, text } = openTerminal()
    const other = create('Ada Lovelace').shells?.find((shell) => shell.endsWith('/sh')) ?? ''
    const show = (where: string) => run(`printf "${where}:%s;\\n" "$FARHAND_VISITOR"`)
    show('first')
    await until(() => text().includes('first:Ada Lovelace;'))
    input({ shell: other })
    show('second')
    await until(() => text().includes('second:Ada Lovelace;'))
  })

  test('is resized', async () => {
    const { create, input, run, text } = openTerminal()
    create()
    input({ columns: 132, rows: 43 })
    run('stty size')
    await until(() => text().includes('43 132'))
    expect(text()).not.toContain('24 80')
  })

  test('takes a line of a line-based viewer as typed with Enter', async () => {
    const { create, input, text } = openTerminal()
    create()
    expect(input({ input: 'printf "%s-%s\\n" one two', isRaw: undefined })).toMatchObject({ isSuccess: true })
    await until(() => text().includes('one-two'))
  })

  test('passes control characters and characters of one to four bytes', async () => {
    const { create, input, run, text } = openTerminal()
    create()
    run(`sh -c 'trap "echo aft""er" INT; echo rea""dy; cat'`)
    await until(() => text().includes('ready'))
    input({ input: 'zürich 日本 😀\r' })
    await until(() => (text().match(/zürich 日本 😀/g) ?? []).length >= 2)
    input({ input: '\x03' })
    await until(() => text().includes('after'))
    expect(text()).toContain('^C')
  })

  test('reports the end of the shell after its last output and is removed', async () => {
    const { create, run, outputs, hasExited, terminals, text } = openTerminal()
    create()
    run('printf "%s%s\\n" good bye; exit')
    await until(hasExited)
    expect(text()).toContain('goodbye')
    expect(outputs.at(-1)?.output).toMatchObject({ isExit: true, output: '' })
    await until(() => terminals.size === 0)
  })

  test('is replayed for a viewer that attaches, which then owns it', async () => {
    const { create, run, input, outputs, text } = openTerminal()
    create()
    run('printf "%s%s\\n" rem ember')
    await until(() => text().includes('remember'))
    outputs.length = 0
    input({ viewerConnectionId: 'viewer-2', isAttach: true })
    await until(() => text().includes('remember'))
    expect(outputs[0]).toMatchObject({ viewer: 'viewer-2', output: { isReplay: true, isPast: true } })
    expect(outputs.slice(1).every(({ output }) => !output.isReplay)).toBe(true)
    input({ viewerConnectionId: 'viewer-2', input: 'printf "%s%s\\n" n ext\r' })
    await until(() => text().includes('next'))
    expect(outputs.at(-1)?.output.isPast).toBeUndefined()
    expect(new Set(outputs.map((output) => output.viewer))).toEqual(new Set(['viewer-2']))
  })

  test('replays the last 256 KB, from the start of a line', async () => {
    const { create, run, input, outputs, text } = openTerminal()
    create()
    run('seq -f "line %08g." 1 60000; printf "%s%s\\n" fin ished')
    await until(() => text().includes('finished'))
    outputs.length = 0
    input({ isAttach: true })
    await until(() => text().includes('finished'))
    expect(text().length).toBeGreaterThan(256 * 1024 - 100)
    expect(text().length).toBeLessThan(256 * 1024 + 2000)
    expect(text()).toMatch(/^line \d{8}\.\r\n/)
    expect(Math.max(...outputs.map(({ output }) => output.output.length))).toBe(20_000)
  })

  test("slows the program down to the viewer's pace and loses nothing", async () => {
    const waiting: (() => void)[] = []
    let isSlow = true
    const deliver = () => (isSlow ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve())
    const { create, run, text } = openTerminal({ deliver })
    create()
    const written = join(temporaryFolder(), 'written')
    run(`yes | head -c 2000000; touch ${written}; printf "%s%s\\n" fin ished`)
    await until(() => waiting.length > 0)
    await steady(() => `${waiting.length} ${existsSync(written)}`, 100)
    expect(waiting).toHaveLength(1)
    expect(existsSync(written)).toBe(false)
    isSlow = false
    waiting.forEach((release) => release())
    await until(() => text().includes('finished'))
    // The terminal converts each newline to two characters.
    expect(text().match(/y\r\n/g)).toHaveLength(1_000_000)
  })

  test('keeps running without its viewer, and then shows the missed output', async () => {
    let isGone = false
    let refused = 0
    const deliver = async () => {
      if (isGone) {
        refused++
        throw new Error('Invocation canceled due to the underlying connection being closed.')
      }
    }
    const { create, run, terminals, text, outputs } = openTerminal({ deliver })
    create()
    await until(() => text() !== '')
    isGone = true
    const written = join(temporaryFolder(), 'written')
    run(`yes | head -c 2000000; touch ${written}; printf "%s%s\\n" mis sed`)
    await until(() => refused > 0 && existsSync(written))
    isGone = false
    outputs.length = 0
    terminals.resume()
    await until(() => text().includes('missed'))
    expect(outputs[0]?.output.isReplay).toBe(true)
  })

  test('ends after ten minutes without use, and then rejects input', async () => {
    const clock = manualClock()
    const { create, run, text, hasExited, terminals } = openTerminal({ clock })
    create()
    clock.advance(9 * 60_000)
    run('printf "%s%s\\n" st ill')
    await until(() => text().includes('still'))
    clock.advance(9 * 60_000)
    expect(terminals.size).toBe(1)
    clock.advance(60_000)
    await until(() => {
      // A shell that ignores the signal is killed a little later.
      clock.advance(100)
      return hasExited()
    })
    await until(() => terminals.size === 0)
    expect(text()).toContain('ended after 10 minutes without use')
    expect(run('printf "%s%s\\n" ag ain')).toEqual(notOpen)
    expect(terminals.size).toBe(0)
  })

  test('that was never opened takes no input, not even by attaching, and stores none', async () => {
    const { create, input, run, text, terminals } = openTerminal()
    expect(run('printf "%s%s\\n" too early')).toEqual(notOpen)
    expect(input({ input: 'printf "%s%s\\n" too early\r', isAttach: true })).toEqual(notOpen)
    expect(terminals.size).toBe(0)
    create()
    run('printf "%s%s\\n" in time')
    await until(() => text().includes('intime'))
    expect(text()).not.toContain('too')
  })

  test('takes no input once its shell has ended, while its last output still waits to be sent', async () => {
    const waiting: (() => void)[] = []
    const { create, run, terminals } = openTerminal({
      deliver: () => new Promise<void>((resolve) => waiting.push(resolve)),
    })
    create()
    run('exit')
    await until(() => !run('').isSuccess)
    expect(run('printf late')).toEqual(notOpen)
    expect(terminals.resume()).toEqual([])
    waiting.forEach((release) => release())
  })

  test('is not handed to another viewer that opens one with the same id', () => {
    const { create, terminals, terminalId } = openTerminal()
    create()
    expect(terminals.create(terminalId, 'viewer-2')).toMatchObject({
      isSuccess: false,
      reason: 'A terminal with this id is open already.',
    })
    const { shell } = create()
    expect(terminals.resume()).toEqual([{ terminalId, shell }])
    expect(terminals.size).toBe(1)
  })

  test('ends by close, together with its programs', async () => {
    const { create, run, terminals, terminalId, text, hasExited } = openTerminal()
    create()
    run('trap "" HUP; printf "pid:%s;\\n" $$; sleep 1000')
    const [, pid = ''] = await until(() => /pid:(\d+);/.exec(text()))
    terminals.close(terminalId)
    expect(terminals.size).toBe(0)
    await until(hasExited)
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
  })

  test('refuses input without a viewer, and more than 32 terminals', () => {
    const { terminals, terminalId } = openTerminal()
    expect(terminals.input({ terminalId, input: 'x', viewerConnectionId: '' })).toMatchObject({
      isSuccess: false,
      reason: 'A viewer connection id is required.',
    })
    for (let count = 0; count < 32; count++) {
      expect(terminals.create(randomUUID(), viewer).isSuccess).toBe(true)
    }
    expect(terminals.create(randomUUID(), viewer)).toMatchObject({
      isSuccess: false,
      reason: 'This device has 32 open terminals already. Close one first.',
    })
  })
})

describe.skipIf(process.platform === 'win32')('the choice of shell', () => {
  test('is reported with each answer, the login shell first', () => {
    const { create } = openTerminal()
    const { shell, shells } = create()
    expect(shells?.[0]).toBe(shell)
    expect(shells).toEqual(expect.arrayContaining([expect.stringMatching(/\/sh$/)]))
    expect(new Set(shells).size).toBe(shells?.length)
  })

  test('starts another one in its place, on a clear screen, without an end', async () => {
    const { create, input, run, text, outputs, hasExited } = openTerminal()
    const other = create().shells?.find((shell) => shell.endsWith('/sh')) ?? ''
    await until(() => text() !== '')
    expect(input({ shell: other })).toMatchObject({ isSuccess: true, shell: other })
    await until(() => outputs.some(({ output }) => output.isReplay))
    run('printf "I am %s;\\n" "$0"')
    await until(() => /I am -?(\/bin\/)?(sh|dash);/.test(text()))
    expect(hasExited()).toBe(false)
  })

  test('of the shell that runs changes nothing', async () => {
    const { create, input, run, text } = openTerminal()
    const { shell } = create()
    run('kept=value')
    input({ shell, input: 'printf "%s;\\n" "$kept"\r' })
    await until(() => text().includes('value;'))
  })

  test('of anything but a shell of the device is refused', () => {
    const { create, input } = openTerminal()
    create()
    expect(input({ shell: '/usr/bin/id' })).toEqual(failure('This device has no shell /usr/bin/id.'))
  })
})

test('the guests of a terminal are visits of their own, which end when they leave, and with the shell', async () => {
  const file = join(temporaryFolder(), 'visits.jsonl')
  const visits = new VisitLog(file, systemClock)
  const terminals = new Terminals({ clock: systemClock, log: collectingLog(), visits, send: () => Promise.resolve() })
  const terminalId = randomUUID()
  terminals.create(terminalId, viewer, 'Ada')
  const guest = (guestName: string, isHere: boolean, hasTyped = false) =>
    terminals.setGuest({ terminalId, guestId: `connection of ${guestName}`, guestName, isHere, hasTyped })
  guest('Grace', true)
  guest('Edith', true)
  guest('Grace', false, true)
  const ended = () => readVisits(file).filter(({ until: end }) => end !== null)
  expect(ended()).toMatchObject([{ visitor: 'Grace', kind: 'terminal', hasTyped: true }])
  terminals.close(terminalId)
  await until(() => ended().length === 3)
  expect(readVisits(file).map(({ visitor }) => visitor)).toEqual(['Ada', 'Grace', 'Edith'])
  // A terminal that is not open has no visits.
  guest('Mary', true)
  expect(readVisits(file)).toHaveLength(3)
})
