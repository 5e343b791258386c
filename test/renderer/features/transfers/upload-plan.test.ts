import { expect, test } from 'vitest'
import type { Entry } from '../../../../renderer/api/files.ts'
import { nameProblem, type LocalFile } from '../../../../renderer/features/transfers/local-files.ts'
import { planUpload, type Answer } from '../../../../renderer/features/transfers/upload-plan.ts'

const there = (name: string, isDirectory = false): Entry => ({
  name,
  fullPath: `C:\\in\\${name}`,
  isDirectory,
  size: 1,
  lastModified: '2026-01-01T00:00:00.000Z',
  isHidden: false,
  canRead: true,
  canWrite: true,
  hasSubfolders: false,
})
const local = (name: string, ...folders: string[]): LocalFile => ({ file: new File(['x'], name), folders })

const folders: Record<string, Entry[]> = {
  'C:\\in': [there('A.txt'), there('b.txt'), there('Docs', true), there('blocked', true)],
  'C:\\in\\docs': [there('read.me')],
}

function plan(locals: LocalFile[], answers: (Answer | 'stop')[], ignoresCase = true, isForAll = false) {
  const asked: [string, number][] = []
  const result = planUpload('C:\\in', locals, {
    ignoresCase,
    list: (folder) => Promise.resolve(folders[folder] ?? []),
    ask: ({ source: { name } }, others) => {
      asked.push([name, others])
      const answer = answers.shift()!
      return Promise.resolve(answer === 'stop' ? undefined : { answer, isForAll })
    },
  })
  return result.then((files) => ({ asked, files: files?.map((each) => [each.folder, each.name, each.overwrite]) }))
}

test('only files that are there already are asked about, also in folders that are there', async () => {
  const locals = [local('a.txt'), local('new.txt'), local('read.me', 'docs'), local('x', 'fresh', 'deep')]
  expect(await plan(locals, ['replace', 'skip'])).toEqual({
    asked: [
      ['a.txt', 1],
      ['read.me', 0],
    ],
    files: [
      ['C:\\in', 'a.txt', true],
      ['C:\\in', 'new.txt', false],
      ['C:\\in\\fresh\\deep', 'x', false],
    ],
  })
})

test('where the case of letters counts, other letters are another name', async () => {
  expect((await plan([local('a.txt')], [], false)).asked).toEqual([])
})

test('keeping both files finds an unused name', async () => {
  const { files } = await plan([local('a.txt'), local('A.txt'), local('b.txt')], ['keepBoth'], true, true)
  expect(files?.map(([, name]) => name)).toEqual(['a (2).txt', 'A (3).txt', 'b (2).txt'])
})

test('a folder is not replaced because files were to be', async () => {
  const { asked, files } = await plan([local('a.txt'), local('blocked')], ['replace', 'skip'], true, true)
  expect(asked.map(([name]) => name)).toEqual(['a.txt', 'blocked'])
  expect(files).toEqual([['C:\\in', 'a.txt', true]])
})

test('nothing is uploaded when the person stops', async () => {
  expect((await plan([local('a.txt'), local('other')], ['stop'])).files).toBeUndefined()
})

test('names that would be paths are refused', () => {
  expect(['a/b', '..\\x', '..', '', ' . '].map((name) => nameProblem(name) === undefined)).toEqual(
    Array.from({ length: 5 }, () => false),
  )
  expect(nameProblem('.profile')).toBeUndefined()
})
