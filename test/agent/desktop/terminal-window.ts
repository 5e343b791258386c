import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { XDisplay } from '../../../tools/simulate/display.ts'
import { until } from '../../support/until.ts'

const run = promisify(execFile)

/** Resolves when a window is visible and has the keyboard focus, which without a window manager follows the pointer. */
async function isReady(display: XDisplay, window: number): Promise<void> {
  const ask = async (program: string, ...words: string[]) =>
    (await run(program, ['-display', display.name, ...words])).stdout
  await until(async () => (await ask('xwininfo', '-id', String(window))).includes('IsViewable'))
  await until(async () => {
    const active = /# (0x[0-9a-f]+)/.exec(await ask('xprop', '-root', '_NET_ACTIVE_WINDOW'))
    return !active || Number(active[1]) === window
  })
}

/** Real xterm over the whole screen, whose program records every typed byte. */
export async function openTerminal(display: XDisplay) {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-xterm-'))
  const file = join(folder, 'typed')
  const record = `stty raw -echo; echo $WINDOWID > ${file}.window; : > ${file}; exec cat > ${file}`
  const terminal = spawn(
    'xterm',
    ['-u8', '-geometry', '300x100+0+0', '-xrm', '*metaSendsEscape: true', '-e', 'sh', '-c', record],
    {
      env: { PATH: process.env.PATH, HOME: folder, DISPLAY: display.name, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
      stdio: 'ignore',
    },
  )
  const ended = once(terminal, 'exit')
  const typed = () => readFile(file, 'utf8').catch(() => null)
  await until(async () => (await typed()) !== null)
  await isReady(display, Number(await readFile(`${file}.window`, 'utf8')))
  let seen = 0
  return {
    /** Returns the text typed since the last call, as soon as the text ends with `end`. */
    async typedUntil(end: string) {
      const text = await until(async () => {
        const all = (await typed())?.slice(seen) ?? ''
        return all.endsWith(end) ? all : null
      })
      seen += text.length
      return text
    },
    async close() {
      terminal.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
