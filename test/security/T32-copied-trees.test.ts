/** A local user owns the folder that the agent copies into, and puts other entries of root in the place of the copy. */
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { copyTree, type Copying } from '../../agent/capabilities/files/copying.ts'
import { FileOperations } from '../../agent/capabilities/files/operations.ts'
import { PartFiles } from '../../agent/capabilities/files/parts.ts'
import { createTestLog } from '../support/log.ts'
import { temporaryFolder } from '../support/server-process.ts'

const user = { uid: 20_001, gid: 20_001 }

/** Folder of the user, with a directory and a file of root in it. */
async function scene() {
  const folder = await temporaryFolder()
  const path = (...names: string[]) => join(folder, ...names)
  mkdirSync(path('in', 'deep'), { recursive: true })
  writeFileSync(path('in', 'deep', 'file'), 'x')
  symlinkSync('file', path('in', 'link'))
  mkdirSync(path('out', 'private'), { recursive: true, mode: 0o700 })
  writeFileSync(path('out', 'private', 'key'), 'secret')
  writeFileSync(path('out', 'secret'), 'secret', { mode: 0o600 })
  chownSync(path('out'), user.uid, user.gid)
  const copying = (swap: Partial<Copying>): Copying => ({
    signal: new AbortController().signal,
    owner: user,
    isVerified: false,
    onBytes: () => {},
    onFile: () => {},
    onBegun: () => Promise.resolve(),
    ...swap,
  })
  const placeOf = (name: string) => ({ held: path('in', name), path: path('in', name) })
  return { path, copying, placeOf }
}

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)('an entry of root', () => {
  test('stays that of root where it takes the place of a copied folder', async () => {
    const { path, copying, placeOf } = await scene()
    const onFile = () => {
      renameSync(path('out', 'copy'), path('out', 'moved'))
      renameSync(path('out', 'private'), path('out', 'copy'))
    }
    await copyTree(placeOf('deep'), path('out', 'copy'), copying({ onFile }))
    const { uid, mode } = statSync(path('out', 'copy'))
    expect([uid, mode & 0o777, statSync(path('out', 'moved')).uid]).toEqual([0, 0o700, user.uid])
  })

  test('stays that of root where it takes the place of a copied link, which belongs to the user', async () => {
    const { path, copying, placeOf } = await scene()
    await copyTree(placeOf('link'), path('out', 'first'), copying({}))
    expect(lstatSync(path('out', 'first')).uid).toBe(user.uid)
    const onBegun = () => Promise.resolve(renameSync(path('out', 'secret'), path('out', 'second')))
    await copyTree(placeOf('link'), path('out', 'second'), copying({ onBegun }))
    expect(statSync(path('out', 'second')).uid).toBe(0)
  })

  test('is not removed with the copy that it replaced', async () => {
    const { path } = await scene()
    for (let index = 0; index < 200; index++) {
      writeFileSync(path('in', 'deep', `f${index}`), 'x')
    }
    const operationKey = 'a'.repeat(64)
    const operations = new FileOperations({ log: createTestLog(), parts: new PartFiles(path('notes')) })
    const watch = setInterval(() => {
      const part = readdirSync(path('out')).find((name) => name.endsWith('.farhand-part'))
      if (part !== undefined && operations.stateOf(operationKey)?.files) {
        clearInterval(watch)
        renameSync(path('out', part), path('out', 'moved'))
        renameSync(path('out', 'private'), path('out', part))
        operations.end(operationKey)
      }
    }, 1)
    const items = [{ path: path('in', 'deep'), name: 'copy', overwrite: false }]
    const { problems } = await operations.run({ operationKey, kind: 'copy', targetDirectory: path('out'), items })
    clearInterval(watch)
    expect(problems).toEqual(['It was canceled.'])
    const left = readdirSync(path('out')).find((name) => name.endsWith('.farhand-part'))!
    expect(existsSync(path('out', left, 'key'))).toBe(true)
  })
})
