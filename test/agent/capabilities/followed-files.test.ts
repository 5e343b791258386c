import { appendFileSync, closeSync, readdirSync, readlinkSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { followFile } from '../../../agent/capabilities/files/follow-file.ts'
import { FollowedFiles } from '../../../agent/capabilities/files/followed-files.ts'
import { systemClock } from '../../../agent/base/clock.ts'
import type { FollowedDto } from '../../../shared/dtos/file-messages.ts'
import { createTestLog } from '../../support/log.ts'
import { temporaryFolder } from '../../support/server-process.ts'

async function follow(path: string, lines = 200) {
  const items = (await followFile({ path, lines }, systemClock)).items[Symbol.asyncIterator]()
  onTestFinished(async () => void (await items.return?.()))
  /** Next item that says something. */
  return async (): Promise<FollowedDto> => {
    for (;;) {
      const { value } = await items.next()
      const item = JSON.parse(Buffer.from(value as Uint8Array).toString()) as FollowedDto
      if (item.text !== undefined || item.note !== undefined) {
        return item
      }
    }
  }
}

test('a followed file begins with its last lines and goes on through appending, rotation and truncation', async () => {
  const log = join(await temporaryFolder(), 'app.log')
  writeFileSync(log, 'one\ntwo\nthree\n')
  const next = await follow(log, 2)
  expect(await next()).toEqual({ text: 'two\nthree\n' })
  appendFileSync(log, 'four\n')
  expect(await next()).toEqual({ text: 'four\n' })
  appendFileSync(log, 'last of the old\n')
  renameSync(log, `${log}.1`)
  writeFileSync(log, 'first of the new\n')
  expect(await next()).toEqual({ text: 'last of the old\n' })
  expect(await next()).toEqual({ note: 'rotated' })
  expect(await next()).toEqual({ text: 'first of the new\n' })
  truncateSync(log)
  appendFileSync(log, 'again\n')
  expect(await next()).toEqual({ note: 'truncated' })
  expect(await next()).toEqual({ text: 'again\n' })
})

test('of a large file only its end is read, and the text of Windows PowerShell is decoded', async () => {
  const folder = await temporaryFolder()
  const large = join(folder, 'large')
  writeFileSync(large, `${'x'.repeat(1_499_999)}\n${'y'.repeat(49_999)}\n`.repeat(2))
  const text = async (path: string) => (await (await follow(path))()).text
  expect(await text(large)).toMatch(/^y+\n?/)
  const wide = join(folder, 'wide')
  writeFileSync(wide, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße\r\n', 'utf16le')]))
  expect(await text(wide)).toBe('Grüße\r\n')
  await expect(followFile({ path: folder, lines: 1 }, systemClock)).rejects.toThrow('Only files can be followed.')
})

/** Number under which this process has a file open. */
const openAs = (path: string) =>
  readdirSync('/proc/self/fd').find((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  })

test.runIf(process.platform === 'linux')('a followed file is closed if the server reads nothing of it', async () => {
  const log = join(await temporaryFolder(), 'app.log')
  writeFileSync(log, 'one\n')
  const { promise: lost, reject: lose } = Promise.withResolvers<void>()
  const follows = new FollowedFiles({
    clock: systemClock,
    log: createTestLog(),
    server: () => ({ SendFileContentStream: () => lost }) as never,
  })
  await follows.begin('stream', { path: log, lines: 1 })
  expect(openAs(log)).toBeDefined()
  lose(new Error('The connection was lost.'))
  // Otherwise the garbage collection closes it some time.
  await expect.poll(() => openAs(log), { timeout: 5_000 }).toBeUndefined()
})

test.runIf(process.platform === 'linux')(
  'a followed file that cannot be closed, as its file system may say, does not end the agent',
  async () => {
    const path = join(await temporaryFolder(), 'app.log')
    writeFileSync(path, 'one\n')
    const log = createTestLog()
    const notClosed = () => log.lines.filter(({ message }) => message === 'A followed file was not closed').length
    const server = () => ({ SendFileContentStream: async () => closeSync(Number(openAs(path))) }) as never
    const follows = new FollowedFiles({ clock: systemClock, log, server })
    await follows.begin('stream', { path, lines: 1 })
    await expect.poll(notClosed).toBe(1)
  },
)
