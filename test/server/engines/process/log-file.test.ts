import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLogFile } from '../../../../server/engines/process/log-file.ts'
import { temporaryFolder } from '../../../support/server-process.ts'

const dayMs = 24 * 60 * 60_000
const line = (at: number, msg: string) => `${JSON.stringify({ level: 30, time: new Date(at).toISOString(), msg })}\n`
const completed = (folder: string) => readdirSync(folder).filter((name) => name !== 'farhand.log')

test('the log is completed by size, and the newest files are kept', async () => {
  const folder = await temporaryFolder()
  let at = Date.UTC(2026, 0, 1)
  const log = openLogFile(folder, { fileBytes: 300, files: 2, now: () => at })
  for (let number = 0; number < 30; number++) {
    at += 1_000
    log.write(line(at, `line ${number}`))
  }
  expect(completed(folder)).toHaveLength(2)
  expect(readFileSync(join(folder, 'farhand.log'), 'utf8')).toContain('line 29')
  expect(log.lost).toBe(0)
})

test('the log is completed by age, also after a restart and when the clock is set back', async () => {
  const folder = await temporaryFolder()
  let at = Date.UTC(2026, 0, 10)
  const limits = { fileDays: 7, now: () => at }
  openLogFile(folder, limits).write(line(at, 'first'))
  at += 6 * dayMs
  openLogFile(folder, limits).write(line(at, 'second'))
  expect(completed(folder)).toHaveLength(0)
  at += 2 * dayMs
  const log = openLogFile(folder, limits)
  log.write(line(at, 'third'))
  expect(completed(folder)).toHaveLength(1)
  expect(readFileSync(join(folder, 'farhand.log'), 'utf8')).toBe(line(at, 'third'))
  at -= 30 * dayMs
  log.write(line(at, 'fourth'))
  expect(completed(folder)).toHaveLength(2)
})

test('completed files are removed by age, files of earlier versions too', async () => {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, 'farhand.old.log'), 'of an earlier version')
  let at = Date.now() + 40 * dayMs
  const log = openLogFile(folder, { fileBytes: 1, keptDays: 30, now: () => at })
  log.write(line(at, 'first'))
  at += 1_000
  log.write(line(at, 'second'))
  expect(completed(folder).filter((name) => name.includes('old'))).toEqual([])
})

test('a log that cannot be written counts the lost lines, and logs the count once it can be written', async () => {
  const folder = await temporaryFolder()
  const blocked = join(folder, 'logs')
  writeFileSync(blocked, 'a file in the place of the folder')
  const log = openLogFile(blocked)
  log.write(line(0, 'lost'))
  log.write(line(0, 'lost too'))
  expect(log.lost).toBe(2)
  rmSync(blocked)
  log.write(line(0, 'kept'))
  const text = readFileSync(join(blocked, 'farhand.log'), 'utf8')
  expect(text).toContain('2 lines of the log were lost')
  expect(text).toContain('kept')
})
