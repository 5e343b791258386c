import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PartFiles } from '../../../agent/capabilities/files/parts.ts'
import { SmallFiles } from '../../../agent/capabilities/files/small-files.ts'
import { manualClock } from '../../support/clock.ts'
import { createTestLog } from '../../support/log.ts'
import { temporaryFolder } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

const streamId = '00000000-0000-4000-8000-000000000001'

interface Sent {
  fileName: string
  text: string
  overwrite?: boolean
  sha256?: string
  replaces?: string
}

async function scene() {
  const folder = await temporaryFolder()
  const target = join(folder, 'in')
  const notes = join(folder, 'notes')
  mkdirSync(target)
  const parts = new PartFiles(notes)
  const receive = (files: Sent[], bytes = files.map(({ text }) => text).join('')) =>
    new SmallFiles({
      clock: manualClock(),
      log: createTestLog(),
      parts,
      server: () => ({
        // Cut at places that are no borders of files.
        async *GetFileStreamFromViewer() {
          for (let at = 0; at < bytes.length; at += 3) {
            yield Buffer.from(bytes.slice(at, at + 3))
          }
        },
      }),
    }).receive({
      streamId,
      files: files.map(({ fileName, text, overwrite = false, sha256, replaces }) => ({
        targetDirectory: target,
        fileName,
        fileSize: text.length,
        sha256: sha256 ?? createHash('sha256').update(text).digest('hex'),
        overwrite,
        replaces,
      })),
    })
  return { target, notes, parts, receive, read: (name: string) => readFileSync(join(target, name), 'utf8') }
}

test('several files of one request are written, and each problem is told for its own file', async () => {
  const { target, notes, receive, read } = await scene()
  writeFileSync(join(target, 'taken'), 'other')
  writeFileSync(join(target, 'same'), 'same')
  writeFileSync(join(target, 'old'), 'old')
  const problems = await receive([
    { fileName: 'first', text: 'first text' },
    { fileName: 'empty', text: '' },
    { fileName: 'taken', text: 'mine' },
    { fileName: 'same', text: 'same' },
    { fileName: 'old', text: 'new', overwrite: true },
    { fileName: '../out', text: 'x' },
    { fileName: 'damaged', text: 'text', sha256: '0'.repeat(64) },
    { fileName: 'last', text: 'last' },
  ])
  expect(problems).toEqual([
    null,
    null,
    'File already exists.',
    null,
    null,
    'File name contains invalid characters',
    'The file was damaged on its way.',
    null,
  ])
  expect(readdirSync(target).toSorted()).toEqual(['empty', 'first', 'last', 'old', 'same', 'taken'])
  expect([read('first'), read('empty'), read('taken'), read('old'), read('last')]).toEqual([
    'first text',
    '',
    'other',
    'new',
    'last',
  ])
  expect(readdirSync(notes)).toEqual([])
})

test('a request that breaks off writes nothing; repeated, it counts what is there as written', async () => {
  const { target, receive } = await scene()
  const files = [
    { fileName: 'a', text: 'aaaa' },
    { fileName: 'b', text: 'bbbb' },
  ]
  await expect(receive(files, 'aaaabb')).rejects.toThrow('The upload is shorter than announced.')
  expect(readdirSync(target)).toEqual([])
  writeFileSync(join(target, 'a'), 'aaaa')
  expect(await receive(files)).toEqual([null, null])
  expect(readdirSync(target)).toEqual(['a', 'b'])
})

test('an agent that starts after a crash removes the part files of a request, and nothing else', async () => {
  const { target, parts } = await scene()
  const prefix = '.7f1f6a52-3f0f-4d7e-9a5c-0c9c8f4f1a11'
  for (const name of [`${prefix}-0.farhand-part`, `${prefix}-1.farhand-part`, `${prefix}-kept`, 'other.farhand-part']) {
    writeFileSync(join(target, name), 'x')
  }
  await parts.note('a'.repeat(64), { directory: target, name: prefix, isKept: false, isPrefix: true })
  const stop = parts.start(manualClock())
  await until(() => !existsSync(join(target, `${prefix}-1.farhand-part`)))
  stop()
  expect(readdirSync(target).toSorted()).toEqual([`${prefix}-kept`, 'other.farhand-part'])
})

test('an edited file replaces only the content that was opened', async () => {
  const { target, receive, read } = await scene()
  writeFileSync(join(target, 'conf'), 'opened')
  const replaces = createHash('sha256').update('opened').digest('hex')
  const edit = (text: string) => receive([{ fileName: 'conf', text, overwrite: true, replaces }])
  expect(await edit('mine')).toEqual([null])
  expect(await edit('mine again')).toEqual(['The file has changed on the device since it was opened.'])
  expect([read('conf'), readdirSync(target)]).toEqual(['mine', ['conf']])
})
