import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { maxClipboardBytes } from '../../../shared/remote-control/clipboard.ts'
import type { Desktop } from '../../../agent/platform/desktop/desktop.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { gnomeFilesType } from '../../../agent/platform/linux/file-uris.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { until } from '../../support/until.ts'
import { XProgram } from '../desktop/x-program.ts'

const execute = promisify(execFile)
const maxBuffer = 32 * 1024 * 1024
const mebibyte = 1024 * 1024

let display: XDisplay
let desktop: Desktop
let changes = 0

/** Sets the clipboard from another program: xclip runs in the background as long as it owns the clipboard. */
async function copyElsewhere(content: string | Buffer, type = 'UTF8_STRING') {
  const seen = changes
  const options = ['-display', display.name, '-selection', 'clipboard', '-in', '-quiet', '-target', type]
  const xclip = spawn('xclip', options, {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  xclip.stdin.end(content)
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

/** Bytes that repeat nowhere soon. */
const bytesOf = (count: number) => Buffer.from(Array.from({ length: count }, (_, index) => (index * 31) >> (index % 7)))

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
    const text = 'x'.repeat(maxClipboardBytes + 1)
    await expect(desktop.clipboard.writeText(text)).rejects.toThrow('This text is larger than the 16 MiB')
    await copyElsewhere(text)
    await expect(desktop.clipboard.readText()).rejects.toThrow('clipboard of the device is larger than the 16 MiB')
    await copyElsewhere('short again')
    expect(await desktop.clipboard.readText()).toBe('short again')
  })

  test('a picture is exchanged byte for byte in both directions, in parts', async () => {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n', 'latin1'), bytesOf(700_000)])
    await copyElsewhere(png, 'image/png')
    expect(await desktop.clipboard.readText()).toBeNull()
    expect((await desktop.clipboard.pictures!.read())?.equals(png)).toBe(true)
    expect(await desktop.clipboard.files!.read()).toBeNull()
    await desktop.clipboard.pictures!.write(png)
    const options = ['-display', display.name, '-selection', 'clipboard', '-out', '-target', 'image/png']
    const { stdout } = await execute('xclip', options, { maxBuffer, encoding: 'buffer' })
    expect(stdout.equals(png)).toBe(true)
    await expect(desktop.clipboard.pictures!.write(Buffer.alloc(maxClipboardBytes + 1))).rejects.toThrow('16 MiB')
  })

  test('files are exchanged as file managers do; addresses of other machines are left out', async () => {
    const { files } = desktop.clipboard
    await copyElsewhere('copy\nfile:///home/ada/a%20b.txt\nfile://elsewhere/c\nhttps://x.org/', gnomeFilesType)
    expect(await files!.read()).toEqual(['/home/ada/a b.txt'])
    await files!.write(['/tmp/ü.txt', '/tmp/100%'])
    expect(await pasteElsewhere('-target', 'text/uri-list')).toBe('file:///tmp/%C3%BC.txt\r\nfile:///tmp/100%25\r\n')
    expect(await pasteElsewhere('-target', gnomeFilesType)).toBe('copy\nfile:///tmp/%C3%BC.txt\nfile:///tmp/100%25')
    expect(await desktop.clipboard.readText()).toBeNull()
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
