import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Desktop } from '../../../agent/platform/desktop/desktop.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { until } from '../../support/until.ts'
import { XProgram } from '../desktop/x-program.ts'

const execute = promisify(execFile)
const maxBuffer = 16 * 1024 * 1024
const mebibyte = 1024 * 1024

let display: XDisplay
let desktop: Desktop
let changes = 0

/** Sets the clipboard from another program: xclip runs in the background as long as it owns the clipboard. */
async function copyElsewhere(text: string) {
  const seen = changes
  const xclip = spawn('xclip', ['-display', display.name, '-selection', 'clipboard', '-in', '-quiet'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  xclip.stdin.end(text)
  onTestFinished(async () => {
    if (xclip.exitCode === null) {
      xclip.kill()
      // The next test must not mistake the program's end for a new text.
      await until(async () => (await desktop.clipboard.readText()) === null)
    }
  })
  await until(() => changes > seen)
}

const pasteElsewhere = async (...options: string[]) =>
  (await execute('xclip', ['-display', display.name, '-selection', 'clipboard', '-out', ...options], { maxBuffer }))
    .stdout

beforeAll(async () => {
  display = await startXvfb('320x240x24')
  desktop = await openX11Desktop({ display: display.name })
  desktop.clipboard.onChange = () => changes++
})

afterAll(async () => {
  desktop?.close()
  await display?.stop()
})

beforeEach(() => {
  changes = 0
})

const longText = (byteCount: number) => 'Zeile mit Umlauten äöü und 日本.\n'.repeat(Math.ceil(byteCount / 40))

describe('the clipboard of an X display', () => {
  test('is empty at first', async () => {
    expect(await desktop.clipboard.readText()).toBeNull()
  })

  test.each([
    ['short', 'Grüße, 日本 😀'],
    ['empty', ''],
    ['a mebibyte', longText(mebibyte)],
  ])('text that another program has copied is announced and read: %s', async (_, text) => {
    await copyElsewhere(text)
    expect(changes).toBe(1)
    expect((await desktop.clipboard.readText()) === text).toBe(true)
  })

  test('written text can be pasted elsewhere, and is not reported as a change', async () => {
    await desktop.clipboard.writeText('für alle 日本')
    expect(await pasteElsewhere('-target', 'UTF8_STRING')).toBe('für alle 日本')
    expect((await pasteElsewhere('-target', 'TARGETS')).split('\n')).toEqual(
      expect.arrayContaining(['TARGETS', 'UTF8_STRING', 'TEXT', 'STRING']),
    )
    expect(await desktop.clipboard.readText()).toBe('für alle 日本')
    expect(changes).toBe(0)
  })

  test('two megabytes that are written come out elsewhere', async () => {
    const text = longText(2 * mebibyte)
    await desktop.clipboard.writeText(text)
    expect((await pasteElsewhere('-target', 'UTF8_STRING')) === text).toBe(true)
  })

  test('two megabytes that come in parts are read whole', async () => {
    const other = await openX11Desktop({ display: display.name })
    const text = longText(2 * mebibyte)
    await other.clipboard.writeText(text)
    await until(() => changes > 0)
    expect((await desktop.clipboard.readText()) === text).toBe(true)
    other.close()
  })

  test('programs that know Latin-1 alone get question marks for the rest', async () => {
    await desktop.clipboard.writeText('ä日')
    const { stdout } = await execute(
      'xclip',
      ['-display', display.name, '-selection', 'clipboard', '-out', '-target', 'STRING'],
      { encoding: 'buffer' },
    )
    expect(stdout).toEqual(Buffer.from('ä?', 'latin1'))
  })

  test('text copied by another program replaces the written text', async () => {
    await desktop.clipboard.writeText('ours')
    await copyElsewhere('theirs')
    expect(await desktop.clipboard.readText()).toBe('theirs')
  })

  test('a text above the limit is refused in both directions, and the clipboard works on', async () => {
    const text = 'x'.repeat(4 * mebibyte + 1)
    await expect(desktop.clipboard.writeText(text)).rejects.toThrow('This text is longer than the 4 MiB')
    await copyElsewhere(text)
    await expect(desktop.clipboard.readText()).rejects.toThrow('clipboard of the device is longer than the 4 MiB')
    await copyElsewhere('short again')
    expect(await desktop.clipboard.readText()).toBe('short again')
  })

  test('an owner that never answers counts as no text', async () => {
    const program = await XProgram.start(display.name)
    const window = await program.openWindow(0, 0, 1, 1)
    const { connection } = program
    connection.client.SetSelectionOwner(window, await connection.atom('CLIPBOARD'), 0)
    await until(() => changes > 0)
    expect(await desktop.clipboard.readText()).toBeNull()
    program.stop()
  })
})
