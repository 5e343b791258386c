import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../tools/processes.mjs'
import { sourceFiles } from './source-files.ts'

const folders = ['main', 'renderer', 'server', 'shared', 'agent', 'resources', 'test', 'tools']

const roomsOf = (folder: string) =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`)

const linesOf = (text: string) => text.trimEnd().split('\n').length

describe('files', () => {
  test('have at most 400 lines: a longer one holds a second subject', () => {
    const long = sourceFiles().filter(({ text }) => linesOf(text) > 400)
    expect(long.map((file) => `${file.path}: ${linesOf(file.text)}`)).toEqual([])
  })

  test('have names in kebab-case, after a number if any', () => {
    const name = /^(\d{4}-|T\d{2}-)?[a-z0-9]+(-[a-z0-9]+)*(\.(routes|hub|command|test|spec|config|module|d))?\.[a-z]+$/
    expect(
      sourceFiles()
        .filter((file) => !name.test(path.posix.basename(file.path)))
        .map((file) => file.path),
    ).toEqual([])
  })

  test('leave no notes about work that is still to do', () => {
    const mark = /\b(TODO|FIXME|XXX|HACK)\b/
    const own = 'test/surface/files.test.ts'
    expect(
      sourceFiles()
        .filter((file) => file.path !== own && mark.test(file.text))
        .map((file) => file.path),
    ).toEqual([])
  })

  test.each([...folders, ...['server', 'agent', 'shared'].flatMap(roomsOf)])(
    '%s/ has a README of at most 40 lines',
    (folder) => {
      const file = path.join(root, folder, 'README.md')
      expect(existsSync(file), file).toBe(true)
      expect(linesOf(readFileSync(file, 'utf8'))).toBeLessThanOrEqual(40)
    },
  )
})
