import {
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makePart } from '../../../agent/capabilities/files/incoming.ts'
import { isOwnPart, lookAtPart, noteId, PartFiles, type PartFile } from '../../../agent/capabilities/files/parts.ts'
import { inDirectory } from '../../../agent/capabilities/files/trees.ts'
import { steady, until } from '../../support/until.ts'
import { manualClock, temporaryFolder } from '../support.ts'

const day = 24 * 60 * 60_000

/** Creates part files in a user's folder, as recorded by a crashed agent. */
async function leftBehind(isKept: boolean, ...names: string[]) {
  const root = temporaryFolder()
  const [notes, folder] = [join(root, 'notes'), join(root, 'of a user')]
  mkdirSync(folder)
  const clock = manualClock()
  for (const name of names) {
    const path = join(folder, name)
    writeFileSync(path, name)
    utimesSync(path, clock.now() / 1000, clock.now() / 1000)
    const { dev, ino } = statSync(path)
    await new PartFiles(notes).note(noteId(name), { directory: folder, name, file: { dev, ino }, isKept })
  }
  return { root, folder, notes, clock, notesLeft: () => readdirSync(notes).length }
}

test('part files of a killed agent are removed at the next start, and no other file', async () => {
  const { folder, notes, clock, notesLeft } = await leftBehind(false, 'a.farhand-part', 'b.farhand-part')
  writeFileSync(join(folder, 'other.farhand-part'), '')
  new PartFiles(notes).start(clock)
  await until(() => notesLeft() === 0)
  expect(readdirSync(folder)).toEqual(['other.farhand-part'])
})

test('a resumable upload is stored for a day', async () => {
  const { folder, notes, clock, notesLeft } = await leftBehind(true, 'a.farhand-part')
  new PartFiles(notes).start(clock)
  clock.advance(day - 1)
  expect([await steady(notesLeft), readdirSync(folder)]).toEqual([1, ['a.farhand-part']])
  clock.advance(day / 12)
  await until(() => notesLeft() === 0)
  expect(readdirSync(folder)).toEqual([])
})

test.each(['another file', 'a link'])('%s in the place of a part file is not removed', async (what) => {
  const { root, folder, notes, clock, notesLeft } = await leftBehind(false, 'a.farhand-part')
  const path = join(folder, 'a.farhand-part')
  renameSync(path, join(root, 'a.farhand-part'))
  if (what === 'a link') {
    symlinkSync(join(root, 'a.farhand-part'), path)
  } else {
    writeFileSync(path, 'of the user')
  }
  new PartFiles(notes).start(clock)
  await until(() => notesLeft() === 0)
  expect([readdirSync(folder), readdirSync(root).includes('a.farhand-part')]).toEqual([['a.farhand-part'], true])
})

test('a part file with a second link is not resumed (T32)', async () => {
  const name = 'a.farhand-part'
  const { folder: directory } = await leftBehind(true, name)
  const { dev, ino } = statSync(join(directory, name))
  const part = { directory, name, file: { dev, ino }, isKept: true }
  const isResumed = async () => isOwnPart((await lookAtPart(part))!, part)
  expect(await isResumed()).toBe(true)
  linkSync(join(directory, name), join(directory, 'of somebody else'))
  expect(await isResumed()).toBe(false)
})

test('unreadable and unfinished notes are removed too', async () => {
  const { notes, clock, notesLeft } = await leftBehind(false, 'a.farhand-part')
  writeFileSync(join(notes, `${noteId('torn')}.json`), '{"directory":')
  writeFileSync(join(notes, `${noteId('begun')}.json.tmp`), '{"directory":')
  new PartFiles(notes).start(clock)
  await until(() => notesLeft() === 0)
})

test('the device stores at most a hundred unfinished uploads', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}`)
  const { folder, notes } = await leftBehind(true, ...names)
  const part = { directory: folder, name: 'more' }
  await expect(new PartFiles(notes).note(noteId('more'), { ...part, isKept: true })).rejects.toThrow(
    'The device already has 100 unfinished uploads.',
  )
  await new PartFiles(notes).note(noteId('plain'), { ...part, isKept: false })
})

/** Files that this process holds open (Linux). */
const openFiles = () =>
  readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      return [readlinkSync(`/proc/self/fd/${number}`)]
    } catch {
      // The descriptor of the listing itself.
      return []
    }
  })

test.skipIf(process.platform !== 'linux')('a part file whose note cannot be stored is closed and removed', async () => {
  class FullDisk extends PartFiles {
    override async note(id: string, part: PartFile) {
      if (part.file) {
        throw new Error('The disk is full.')
      }
      await super.note(id, part)
    }
  }
  const { folder, notes } = await leftBehind(false)
  const made = inDirectory(folder, (held) =>
    makePart(new FullDisk(notes), { id: noteId('a'), held, directory: folder, isKept: false }),
  )
  await expect(made).rejects.toThrow('The disk is full.')
  expect(readdirSync(folder)).toEqual([])
  expect(openFiles().filter((path) => path.startsWith(folder))).toEqual([])
})
