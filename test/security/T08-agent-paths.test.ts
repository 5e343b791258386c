/** Device side of file access: reads, writes and deletions stay inside the requested folder. */
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileHandlers } from '../../agent/capabilities/files.ts'
import { writeIncoming } from '../../agent/capabilities/files/incoming.ts'
import { PartFiles } from '../../agent/capabilities/files/parts.ts'
import { archiveSource } from '../../agent/capabilities/files/archive.ts'
import type { Source } from '../../agent/capabilities/files/reading.ts'
import { sourceOf } from '../../agent/capabilities/files/sources.ts'
import { deletePath, inDirectory, namesIn } from '../../agent/capabilities/files/trees.ts'
import { systemClock } from '../../agent/base/clock.ts'
import { failure, success } from '../../shared/dtos/hub-result.ts'
import { collectingLog, temporaryFolder } from '../agent/support.ts'
import { isNight, runs } from '../support/night.ts'

const secret = 'what lies outside'

/** Creates a working folder, and an unrelated folder beside it. */
function scene() {
  const root = temporaryFolder()
  const [tree, outside] = [join(root, 'tree'), join(root, 'outside')]
  mkdirSync(tree)
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.txt'), secret)
  return { root, tree, outside }
}

async function bytesOf({ bytes }: Source): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) {
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}

function namesOf(archive: Buffer, root: string): string[] {
  const file = join(root, 'archive.zip')
  writeFileSync(file, archive)
  const script = 'import sys,zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
  return execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }).trim().split('\n')
}

async function* items(text: string) {
  yield Buffer.from(text)
}

const partFiles = () => new PartFiles(temporaryFolder())

const upload = (targetDirectoryPath: string, fileName: string, overwrite = true) =>
  writeIncoming(partFiles(), { streamId: '', targetDirectoryPath, fileName, fileSize: 3, overwrite }, () =>
    items('new'),
  )

describe('uploading into a folder of another user', () => {
  /** Attack of a local user during an upload: replaces the partial file. */
  async function* swapped(tree: string, outside: string) {
    yield Buffer.from('ne')
    const part = readdirSync(tree).find((name) => name.endsWith('.farhand-part'))!
    renameSync(join(tree, part), join(tree, 'kept'))
    symlinkSync(join(outside, 'secret.txt'), join(tree, part))
    yield Buffer.from('w')
  }

  test.each([true, false])('changes neither mode nor owner of a link target (replaces: %s)', async (isThere) => {
    const { tree, outside } = scene()
    const target = join(outside, 'secret.txt')
    chmodSync(target, 0o600)
    if (isThere) {
      writeFileSync(join(tree, 'a.txt'), 'old', { mode: 0o644 })
      chownSync(join(tree, 'a.txt'), process.getuid!() === 0 ? 4711 : process.getuid!(), process.getgid!())
    }
    const request = { streamId: '', targetDirectoryPath: tree, fileName: 'a.txt', fileSize: 3, overwrite: isThere }
    const before = lstatSync(target)
    const answer = await writeIncoming(partFiles(), request, () => swapped(tree, outside))
    const after = lstatSync(target)
    expect([after.mode, after.uid, readFileSync(target, 'utf8')]).toEqual([before.mode, before.uid, secret])
    expect(answer.isSuccess).toBe(false)
  })

  test.skipIf(process.getuid?.() !== 0)(
    'changes the owner of no file elsewhere, however fast a link is exchanged',
    async () => {
      const { root, tree, outside } = scene()
      writeFileSync(join(tree, 'a'), 'old')
      chownSync(join(tree, 'a'), 4711, 4711)
      const turning = join(root, 'turning')
      symlinkSync(tree, turning)
      const script = `import os,sys,time
root, names = sys.argv[1], ['tree', 'outside']
while True:
    names.reverse()
    os.symlink(os.path.join(root, names[0]), os.path.join(root, 'next'))
    os.rename(os.path.join(root, 'next'), os.path.join(root, 'turning'))
    time.sleep(0.001)`
      const turner = spawn('python3', ['-c', script, root])
      onTestFinished(() => void turner.kill())
      const owners = new Set<number>()
      for (let count = 0; count < runs(100); count++) {
        await upload(turning, 'a')
        owners.add(lstatSync(join(outside, 'a'), { throwIfNoEntry: false })?.uid ?? 0)
        rmSync(join(outside, 'a'), { force: true })
      }
      expect([...owners]).toEqual([0])
    },
  )

  test('makes no file of another user run as root', async () => {
    const { tree } = scene()
    writeFileSync(join(tree, 'a'), 'old')
    if (process.getuid!() === 0) {
      chownSync(join(tree, 'a'), 4711, 4711)
    }
    chmodSync(join(tree, 'a'), 0o6777)
    expect(await upload(tree, 'a')).toEqual(success)
    expect(lstatSync(join(tree, 'a')).mode & 0o7777).toBe(0o777)
  })
})

describe('deleting', () => {
  test('a link removes the link, not its target', async () => {
    const { tree, outside } = scene()
    for (const end of ['', '/']) {
      symlinkSync(outside, join(tree, 'link'))
      expect(await deletePath(join(tree, 'link') + end)).toEqual(success)
      expect(existsSync(join(outside, 'secret.txt'))).toBe(true)
      expect(readdirSync(tree)).toEqual([])
    }
  })

  test('a directory removes its links, not their targets', async () => {
    const { tree, outside } = scene()
    mkdirSync(join(tree, 'a/b'), { recursive: true })
    symlinkSync(outside, join(tree, 'a/b/directory'))
    symlinkSync(join(outside, 'secret.txt'), join(tree, 'a/file'))
    symlinkSync('../..', join(tree, 'a/b/up'))
    expect(await deletePath(tree)).toEqual(success)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(secret)
    expect(existsSync(tree)).toBe(false)
  })

  test.skipIf(process.platform !== 'linux')('does not leave a directory that a link replaced meanwhile', async () => {
    const { tree, outside } = scene()
    const directory = join(tree, 'directory')
    mkdirSync(join(directory, 'own'), { recursive: true })
    await inDirectory(directory, async (held) => {
      renameSync(directory, join(tree, 'aside'))
      symlinkSync(outside, directory)
      expect(await namesIn(held)).toEqual(['own'])
    })
    await expect(inDirectory(directory, namesIn)).rejects.toThrow(/ENOTDIR|ELOOP/)
  })
})

describe.skipIf(process.getuid?.() !== 0)('deleting as root in a folder of a user', () => {
  /** Creates the folder `own` of a user, with a file named like a file outside. */
  function folderOfUser() {
    const { root, tree, outside } = scene()
    const own = join(tree, 'own')
    mkdirSync(own)
    writeFileSync(join(own, 'secret.txt'), 'own')
    return { root, tree, outside, own }
  }

  test('never follows a link that the user exchanges meanwhile', async () => {
    const { root, tree, outside, own } = folderOfUser()
    chmodSync(root, 0o711)
    chownSync(tree, 4711, 4711)
    const script = `import os,sys
tree, outside = sys.argv[1:3]
own, aside = os.path.join(tree, 'own'), os.path.join(tree, 'aside')
while True:
    os.rename(own, aside)
    os.symlink(outside, own)
    os.unlink(own)
    os.rename(aside, own)`
    const turner = spawn('python3', ['-c', script, tree, outside], { uid: 4711, gid: 4711 })
    onTestFinished(() => void turner.kill())
    const answers = new Set<string>()
    for (let count = 0; count < runs(300); count++) {
      const { isSuccess, reason } = await deletePath(join(own, 'secret.txt'))
      answers.add(isSuccess ? 'deleted' : reason!)
      expect(existsSync(join(outside, 'secret.txt'))).toBe(true)
    }
    expect([...answers].filter((answer) => answer.startsWith('A link of another user')).length).toBe(1)
  })

  test('follows links of root, and rejects a link of the user with the reason', async () => {
    const { root, tree, outside, own } = folderOfUser()
    symlinkSync('tree', join(root, 'relative'))
    symlinkSync(join(root, 'relative'), join(tree, 'absolute'))
    expect(await deletePath(join(tree, 'absolute/own/secret.txt'))).toEqual(success)
    expect(readdirSync(own)).toEqual([])
    symlinkSync(outside, join(own, 'link'))
    lchownSync(join(own, 'link'), 4711, 4711)
    const reason = 'A link of another user is on the way to it: delete it by the path that the link leads to.'
    expect(await deletePath(join(own, 'link/secret.txt'))).toEqual(failure(reason))
    expect(await deletePath(join(own, 'link'))).toEqual(success)
    expect(existsSync(join(outside, 'secret.txt'))).toBe(true)
    symlinkSync('loop', join(own, 'loop'))
    expect((await deletePath(join(own, 'loop/a'))).isSuccess).toBe(false)
  })
})

describe('an archive', () => {
  test('contains no link target', async () => {
    const { root, tree, outside } = scene()
    writeFileSync(join(tree, 'own.txt'), 'own')
    symlinkSync(outside, join(tree, 'directory'))
    symlinkSync(join(outside, 'secret.txt'), join(tree, 'file'))
    const archive = await bytesOf(await sourceOf(tree))
    expect(namesOf(archive, root)).toEqual(['tree/', 'tree/own.txt', 'Not in this archive.txt'])
    expect(archive.includes(secret)).toBe(false)
  })

  test('contains no byte of a file that replaced another file meanwhile', async () => {
    const { tree, outside } = scene()
    writeFileSync(join(tree, 'own.txt'), 'x'.repeat(secret.length))
    const source = await sourceOf(tree)
    rmSync(join(tree, 'own.txt'))
    symlinkSync(join(outside, 'secret.txt'), join(tree, 'own.txt'))
    await expect(bytesOf(source)).rejects.toThrow('was replaced by another file')
  })

  test('has only relative and unique names, on any system', async () => {
    const { root, tree } = scene()
    for (const name of ['..\\..\\evil.txt', '.._.._evil.txt', 'C:evil', 'a\nb']) {
      writeFileSync(join(tree, name), '')
    }
    const names = namesOf(
      await bytesOf(await archiveSource('a.zip', [join(tree, 'C:evil'), tree, `${tree}/../tree`])),
      root,
    )
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain('C_evil')
    expect(names).toContain('tree/.._.._evil (2).txt')
    expect(names).toContain('tree (2)/')
    for (const name of names) {
      expect(name).not.toMatch(/^\/|^[A-Za-z]:|\\|(^|\/)\.\.(\/|$)|[\u0000-\u001f]/)
    }
  })
})

test('an archive of very many colliding names is made at once, each name once (T26)', async () => {
  const { tree } = scene()
  const controls = Array.from({ length: isNight ? 30 : 15 }, (_, index) => String.fromCharCode(index + 1))
  const names = controls.flatMap((a) => controls.flatMap((b) => controls.map((c) => `${a}${b}${c}`)))
  names.forEach((name) => writeFileSync(join(tree, name), ''))
  const archive = await bytesOf(await sourceOf(tree))
  expect(archive.includes(` (${names.length})`)).toBe(true)
})

describe('an upload', () => {
  test('over a link replaces the link, not its target', async () => {
    const { tree, outside } = scene()
    symlinkSync(join(outside, 'secret.txt'), join(tree, 'name'))
    expect(await upload(tree, 'name')).toEqual(success)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(secret)
    expect(lstatSync(join(tree, 'name')).isFile()).toBe(true)
    expect(readFileSync(join(tree, 'name'), 'utf8')).toBe('new')
  })

  test.each(['../evil', 'a/b', '..', '.', '', 'a\0b', '/etc/evil', 'x'.repeat(256)])(
    'under the name %j is rejected',
    async (name) => {
      const { root, tree } = scene()
      expect(await upload(tree, name)).toEqual(failure('File name contains invalid characters'))
      expect([readdirSync(tree), readdirSync(root).toSorted()]).toEqual([[], ['outside', 'tree']])
    },
  )

  test('over a pipe or a device is rejected', async () => {
    const { tree } = scene()
    execFileSync('mkfifo', [join(tree, 'pipe')])
    expect(await upload(tree, 'pipe')).toEqual(failure('Only a file can be overwritten.'))
    expect(readdirSync(tree)).toEqual(['pipe'])
  })
})

test('only listed log files are read as logs, whatever the path is', async () => {
  const { tree, outside } = scene()
  writeFileSync(join(tree, 'LogFile.log'), 'line')
  symlinkSync(join(outside, 'secret.txt'), join(tree, 'Link.log'))
  const asked: string[] = []
  const { GetLogFiles, StreamFileContents } = fileHandlers({
    clock: systemClock,
    log: collectingLog(),
    parts: partFiles(),
    logFolders: [{ groupName: 'Agent Logs', folder: tree }],
    server: () => ({
      SendFileContentStream: async (id) => void asked.push(id),
      SendDirectoryContentsStream: async () => {},
      SendSubdirectoriesStream: async () => {},
      async *GetFileStreamFromViewer() {},
    }),
  })
  const listed = await GetLogFiles()
  expect(listed.value?.logFileGroups[0]?.logFiles.map(({ fileName }) => fileName)).toEqual(['LogFile.log'])
  const read = async (filePath: string) => (await StreamFileContents({ streamId: filePath, filePath })).isSuccess
  expect(await read(join(tree, 'LogFile.log'))).toBe(true)
  for (const path of [
    join(tree, 'Link.log'),
    join(outside, 'secret.txt'),
    `${tree}/../outside/secret.txt`,
    '/etc/passwd',
  ]) {
    expect(await read(path)).toBe(false)
  }
  expect(asked).toEqual([join(tree, 'LogFile.log')])
})
