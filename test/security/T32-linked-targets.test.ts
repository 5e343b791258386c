/** A local user leads the folder that the agent of root writes to (a desktop, a folder for pasted files) elsewhere. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeIncoming } from '../../agent/capabilities/files/incoming.ts'
import { FileOperations } from '../../agent/capabilities/files/operations.ts'
import { PartFiles } from '../../agent/capabilities/files/parts.ts'
import { createDirectory } from '../../agent/capabilities/files/paths.ts'
import { failure, success } from '../../shared/dtos/hub-result.ts'
import { createTestLog } from '../support/log.ts'
import { temporaryFolder } from '../support/server-process.ts'

const user = 20_001
const reason = 'A link of another user leads to this folder. Use the path that the link leads to.'

async function* items() {
  yield Buffer.from('* * * * * root true')
}

/** Home of a user whose desktop is a link of `owner` to a folder of root, or of the user. */
async function scene({ owner, target }: { owner: number; target: 'system' | 'disk' }) {
  const folder = await temporaryFolder()
  const path = (...names: string[]) => join(folder, ...names)
  for (const name of ['home', 'system', 'disk', 'data']) {
    mkdirSync(path(name))
  }
  chownSync(path('home'), user, user)
  chownSync(path('disk'), user, user)
  symlinkSync(path(target), path('home', 'Desktop'))
  lchownSync(path('home', 'Desktop'), owner, owner)
  const log = createTestLog()
  const parts = new PartFiles(path('data'))
  const upload = () =>
    writeIncoming(
      parts,
      { targetDirectoryPath: path('home', 'Desktop'), fileName: 'report', fileSize: 19, overwrite: false } as never,
      items,
    )
  return { path, log, parts, upload }
}

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)('a link of a user to a folder of root', () => {
  test('receives no upload', async () => {
    const { path, upload } = await scene({ owner: user, target: 'system' })
    expect(await upload()).toEqual(failure(reason))
    expect(readdirSync(path('system'))).toEqual([])
  })

  test('receives no folder and no copy', async () => {
    const { path, log, parts } = await scene({ owner: user, target: 'system' })
    expect((await createDirectory(path('home', 'Desktop'), 'new')).isSuccess).toBe(false)
    writeFileSync(path('file'), 'x')
    const copied = new FileOperations({ log, parts }).run({
      operationKey: 'k',
      kind: 'copy',
      targetDirectory: path('home', 'Desktop'),
      items: [{ path: path('file'), name: 'file', overwrite: false }],
    } as never)
    await expect(copied).rejects.toThrow(reason)
    expect(readdirSync(path('system'))).toEqual([])
  })
})

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)('a folder behind a link', () => {
  test('receives uploads where it belongs to the user of the link', async () => {
    const { path, upload } = await scene({ owner: user, target: 'disk' })
    chmodSync(path('disk'), 0o700)
    expect(await upload()).toEqual(success)
    expect(existsSync(path('disk', 'report'))).toBe(true)
  })

  test('receives uploads where the link belongs to root', async () => {
    const { path, upload } = await scene({ owner: 0, target: 'system' })
    expect(await upload()).toEqual(success)
    expect(readdirSync(path('system'))).toEqual(['report'])
  })
})
