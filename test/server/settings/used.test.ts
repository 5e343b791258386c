/** Checks the rows of the settings: for each key that claims to be used, the code that uses the key is found. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../../tools/processes.mjs'
import { settingRows, type SettingRow } from '../../../server/settings/keys.ts'

/** Keys that locate other settings; the loader uses them itself. */
const usedByLoader = ['PORT', 'ConfigFile', 'AppOptions__EnableDockerSecrets']

const withoutComments = (text: string) => text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

const codeOf = (file: string) => withoutComments(readFileSync(path.join(root, file), 'utf8'))

/** The product's code outside the loader, by path. */
const users = new Map(
  globSync('{server,main}/**/*.ts', { cwd: root })
    .filter((file) => !/^server[\\/]settings[\\/]/.test(file))
    .map((file) => [file, codeOf(file)]),
)

const has = (text: string, word: string) => new RegExp(`\\b${word}\\b`).test(text)

const isShared = (name: string) => settingRows.filter((row) => row.name === name).length > 1

/**
 * Files that name the member in the configuration; an ordinary word such as `host`, or a member of two groups, must
 * appear together with its group.
 */
function usersOf({ group, name }: SettingRow): string[] {
  const belongs = (text: string) =>
    group === ''
      ? new RegExp(`\\bconfig\\.${name}\\b|\\b${name}\\b[^}]*\\}: Config\\b`).test(text)
      : has(text, name) && ((/[a-z][A-Z]/.test(name) && !isShared(name)) || has(text, group))
  return [...users].filter(([, text]) => belongs(text)).map(([file]) => file)
}

/** Files that pass on the whole group. */
const passersOf = ({ group }: SettingRow) => [...users].filter(([, text]) => text.includes(`(config.${group})`))

const rows = settingRows.map((row) => [row.key, row] as const)

describe('a setting', () => {
  test.each(rows.filter(([key, { instead }]) => instead === undefined && !usedByLoader.includes(key)))(
    '%s is marked as used, and the product reads it',
    (_key, row) => {
      expect([...usersOf(row), ...passersOf(row)]).not.toEqual([])
    },
  )

  test.each(rows.filter(([, { instead }]) => instead !== undefined))(
    '%s is not offered, and no code reads it',
    (_key, row) => {
      expect(usersOf(row)).toEqual([])
    },
  )

  test.each(usedByLoader)('%s locates other settings, and the loader reads it', (key) => {
    expect(codeOf('server/settings/config.ts')).toMatch(new RegExp(`givenFor\\([\\w.]+, '${key}'\\)`))
  })
})
