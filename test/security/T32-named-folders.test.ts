/** The desktop of a session names the folder for files, and is at its user's mercy: the agent of root writes only to that user. */
import { chownSync, mkdirSync, readdirSync, statSync, symlinkSync, lchownSync } from 'node:fs'
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock as clock } from '../../agent/base/clock.ts'
import { inTarget, writeIncoming } from '../../agent/capabilities/files/incoming.ts'
import { PartFiles } from '../../agent/capabilities/files/parts.ts'
import { createDirectory } from '../../agent/capabilities/files/paths.ts'
import { ResumableUploads } from '../../agent/capabilities/files/resumable.ts'
import { SmallFiles } from '../../agent/capabilities/files/small-files.ts'
import { platform } from '../../agent/platform/index.ts'
import { pinFolder } from '../../agent/platform/windows/folder-owner.ts'
import { failure, success } from '../../shared/dtos/hub-result.ts'
import { createTestLog } from '../support/log.ts'
import { temporaryFolder } from '../support/server-process.ts'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
/** A user of every Linux system, without files of its own. */
const person = { name: 'nobody', uid: 65_534 }
const reason = 'The folder for these files does not belong to the person at the desktop. Send them on the Files tab.'
const content = Buffer.from('* * * * * root true')
const sha256 = createHash('sha256').update(content).digest()

/** Folders of root, of another user and of the person. */
async function openScene() {
  const folder = await temporaryFolder()
  const path = (...names: string[]) => join(folder, ...names)
  for (const [name, uid] of [
    ['system', 0],
    ['other', 20_001],
    ['home', person.uid],
    ['data', 0],
  ] as const) {
    mkdirSync(path(name))
    chownSync(path(name), uid, uid)
  }
  symlinkSync(path('system'), path('home', 'Desktop'))
  lchownSync(path('home', 'Desktop'), 0, 0)
  const parts = new PartFiles(path('data'))
  const server = () => ({ GetFileStreamFromViewer: () => items(content) })
  const small = new SmallFiles({ clock, log: createTestLog(), parts, server: server as never })
  return { path, parts, small }
}

async function* items(...pieces: Buffer[]) {
  yield* pieces
}

type Upload = (
  scene: Awaited<ReturnType<typeof openScene>>,
  targetDirectoryPath: string,
  ownedBy: string,
) => Promise<unknown>

const named = { fileName: 'report', fileSize: content.length, overwrite: false }
const uploads: [name: string, upload: Upload][] = [
  ['a file', ({ parts }, targetDirectoryPath, ownedBy) =>
    writeIncoming(parts, { ...named, streamId: randomUUID(), targetDirectoryPath, ownedBy }, () => items(content))],
  ['a file in pieces', ({ parts }, targetDirectoryPath, ownedBy) => {
    const piece = { uploadKey: '0'.repeat(64), streamId: randomUUID(), offset: 0 }
    return new ResumableUploads(parts).write({ ...named, streamId: randomUUID(), targetDirectoryPath, ownedBy }, piece, () =>
      items(content, sha256))
  }],
  ['small files', ({ small }, targetDirectory, ownedBy) => {
    const file = { ...named, targetDirectory, isFolder: false, sha256: sha256.toString('hex') }
    return small.receive({ streamId: randomUUID(), files: [file], ownedBy })
  }],
  ['a folder', ({ small }, targetDirectory, ownedBy) => {
    const empty = createHash('sha256').digest('hex')
    const folder = { ...named, fileSize: 0, targetDirectory, isFolder: true, sha256: empty }
    return small.receive({ streamId: randomUUID(), files: [folder], ownedBy })
  }],
] // prettier-ignore

describe.runIf(isRoot)('for the desktop of a person the agent of root writes', () => {
  test.each(uploads)('%s only to a folder of that person', async (_, upload) => {
    const there = await openScene()
    const { path } = there
    for (const target of ['system', 'other', join('home', 'Desktop')]) {
      const answer = await upload(there, path(target), person.name)
      expect([answer].flat()).toEqual([Array.isArray(answer) ? reason : failure(reason)])
    }
    expect([...readdirSync(path('system')), ...readdirSync(path('other'))]).toEqual([])
    const answer = await upload(there, path('home'), person.name)
    expect([answer].flat()).toEqual([Array.isArray(answer) ? null : expect.objectContaining(success)])
    expect(statSync(path('home', 'report')).uid).toBe(person.uid)
  })

  test('nothing for a user that the device does not have', async () => {
    const there = await openScene()
    const answer = await uploads[0]![1](there, there.path('home'), 'farhand-nobody')
    expect(answer).toEqual(failure('The device has no user farhand-nobody.'))
  })
})

describe('Windows signs in to no server that the desktop of a person names, as SYSTEM would:', () => {
  const profile = 'C:\\Users\\Anna'
  const pin = (path: string) => pinFolder(path, profile)
  const elsewhere = 'only into folders of the person there'
  const refused = failure(expect.stringContaining(elsewhere) as string)

  test.each(['\\\\server\\share', '//server/share', '\\\\?\\UNC\\server\\share', '\\\\.\\pipe\\name', '\\Users\\Anna'])(
    '%s is refused before anything is opened',
    (path) => {
      expect(() => pin(path)).toThrow(elsewhere)
    },
  )

  test('a folder is not looked at before it is pinned', async () => {
    const { hasHeldPaths } = platform.files
    Object.assign(platform.files, { hasHeldPaths: false })
    try {
      const use = () => Promise.resolve(success)
      const target = { targetDirectoryPath: '//server/share' }
      expect(await inTarget(target, use, () => Promise.resolve({ pin }))).toEqual(refused)
      expect(await createDirectory('//server/share', 'folder', { pin })).toEqual(refused)
    } finally {
      Object.assign(platform.files, { hasHeldPaths })
    }
  })
})
