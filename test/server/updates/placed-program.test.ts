import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systems } from '../../../server/ground/system.ts'
import { placeProgram } from '../../../server/updates/placed-program.ts'
import { temporaryFolder } from '../../support/server-process.ts'

const support = join(import.meta.dirname, '../../support')

test.runIf(process.platform === 'linux')(
  'a folder whose replacement is killed before any step is the old or the new one, or beside it, and the next call finishes',
  { timeout: 60_000 },
  async () => {
    const folder = await temporaryFolder()
    const [from, to, steps] = ['new', 'Farhand', 'steps'].map((name) => join(folder, name)) as [string, string, string]
    const textIn = (directory: string) =>
      existsSync(directory)
        ? [readFileSync(join(directory, 'a'), 'utf8'), readFileSync(join(directory, 'b'), 'utf8')]
        : []
    const write = (directory: string, text: string) => {
      rmSync(directory, { recursive: true, force: true })
      mkdirSync(directory)
      writeFileSync(join(directory, 'a'), text)
      writeFileSync(join(directory, 'b'), text)
    }
    const place = async (killAt: number) => {
      rmSync(steps, { force: true })
      for (const end of ['', '.new', '.old', '.new.partial']) {
        rmSync(`${to}${end}`, { recursive: true, force: true })
      }
      write(to, 'old')
      const child = spawn(process.execPath, [join(support, 'placing-child.ts'), 'place', from, to], {
        // The step kills its process group.
        detached: true,
        stdio: 'ignore',
        env: {
          ...process.env,
          FARHAND_STEPS: steps,
          FARHAND_KILL_AT: String(killAt),
          NODE_OPTIONS: `--import ${join(support, 'kill-at-step.mjs')}`,
        },
      })
      const [, signal] = (await once(child, 'exit')) as [unknown, string | null]
      return signal
    }
    write(from, 'new')
    expect(await place(-1)).toBeNull()
    expect(textIn(to)).toEqual(['new', 'new'])
    const count = readFileSync(steps, 'utf8').length / 100
    expect(count).toBeGreaterThan(5)
    const seen = new Set<string>()
    for (let killAt = 1; killAt <= count; killAt++) {
      expect(await place(killAt), String(killAt)).toBe('SIGKILL')
      const found = existsSync(to) ? textIn(to) : textIn(`${to}.old`)
      expect(['old,old', 'new,new'], String(killAt)).toContain(String(found))
      seen.add(String(textIn(to)))
      await placeProgram(from, to)
      expect(textIn(to), String(killAt)).toEqual(['new', 'new'])
      expect(readdirSync(folder).toSorted(), String(killAt)).toEqual(['Farhand', 'new', 'steps'])
    }
    expect([...seen].toSorted()).toEqual(['', 'new,new', 'old,old'])
  },
)

test('each system asks for an administrator in its way, with paths that need quotes', () => {
  const command = ['/a b/it\'s "x"', '--place-program', '/c d'] as const
  expect(systems.linux.elevated(command)).toEqual(['pkexec', ...command])
  expect(systems.darwin.elevated(command)).toEqual([
    'osascript',
    '-e',
    String.raw`do shell script "'/a b/it'\\''s \"x\"' '--place-program' '/c d'" with administrator privileges`,
  ])
  const { win32 } = systems
  expect(win32.elevated([String.raw`C:\it's\Farhand.exe`, '--place-program', String.raw`C:\c d`]).at(-1)).toBe(
    String.raw`$ErrorActionPreference = 'Stop'; $started = Start-Process -FilePath 'C:\it''s\Farhand.exe' -ArgumentList '"--place-program"','"C:\c d"' -Verb RunAs -Wait -PassThru; exit $started.ExitCode`,
  )
})
