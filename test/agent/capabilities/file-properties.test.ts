import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { propertiesOf, setMode } from '../../../agent/capabilities/files/properties.ts'
import { FileMessages } from '../../../agent/capabilities/files/messages.ts'
import { PartFiles } from '../../../agent/capabilities/files/parts.ts'
import { fileFactsType } from '../../../shared/dtos/file-messages.ts'
import { manualClock } from '../../support/clock.ts'
import { createTestLog } from '../../support/log.ts'
import { temporaryFolder } from '../../support/server-process.ts'

const options = { isHashWanted: false }

test('a file is described with its owner, its bits and, if asked, its hash', async () => {
  const file = join(await temporaryFolder(), 'run.sh')
  writeFileSync(file, 'echo')
  chmodSync(file, 0o751)
  // Later than half of a millisecond: the listing rounds.
  utimesSync(file, 1_700_000_000.4006, 1_700_000_000.4006)
  const { username } = userInfo()
  expect(await propertiesOf(file, { isHashWanted: true })).toMatchObject({
    kind: 'file',
    size: 4,
    mode: 0o751,
    owner: username,
    modifiedAt: '2023-11-14T22:13:20.401Z',
    sha256: createHash('sha256').update('echo').digest('hex'),
  })
})

test('permissions change on files and folders, and never through a link', async () => {
  const folder = await temporaryFolder()
  const [file, link] = [join(folder, 'file'), join(folder, 'link')]
  writeFileSync(file, 'x', { mode: 0o600 })
  symlinkSync(file, link)
  mkdirSync(join(folder, 'deep'))
  await setMode(file, 0o640)
  await setMode(join(folder, 'deep'), 0o4711)
  expect([statSync(file).mode & 0o7777, statSync(join(folder, 'deep')).mode & 0o7777]).toEqual([0o640, 0o711])
  await expect(setMode(link, 0o777)).rejects.toThrow('A link has no permissions of its own.')
  expect(await propertiesOf(link, options)).toMatchObject({ kind: 'link', linkTarget: file })
  await expect(propertiesOf('relative', options)).rejects.toThrow('Target path does not exist')
})

test('reading a huge file for its hash ends before the server stops waiting (T20)', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'huge')
  writeFileSync(path, '')
  truncateSync(path, 1e12)
  const clock = manualClock()
  const server = () => {
    throw new Error('There is no server.')
  }
  const messages = new FileMessages({
    clock,
    log: createTestLog(),
    parts: new PartFiles(join(folder, 'notes')),
    server,
  })
  const payload = Buffer.from(JSON.stringify({ path, isHashWanted: true })).toString('base64')
  const answer = messages.receive({ dtoType: fileFactsType, payload, sendTimestamp: 0 })
  clock.advance(25_000)
  expect(await answer).toMatchObject({ isSuccess: false, reason: expect.stringMatching('longer than 25 s') })
})
