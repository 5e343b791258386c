import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../shared/contract/parse-json.ts'

/** Written by tools/agents/downloads.ts beside the files of a build; folders of other builds have none. */
const listName = 'files.json'
/** SHA-256 of each file of the build, by its name. */
const FileList = z.record(z.string(), z.string())

/**
 * Returns the reason why a file of the downloads folder differs from the build of its folder: half written, of another
 * build, or added by hand. Returns undefined for a file of the build, and in a folder without a list.
 */
export async function foreignReason(
  directory: string,
  path: string,
  hash: () => Promise<string>,
): Promise<string | undefined> {
  const folder = dirname(path)
  const text = await readFile(join(directory, folder, listName), 'utf8').catch(() => undefined)
  const name = basename(path)
  if (text === undefined || name === listName) {
    return undefined
  }
  const list = FileList.safeParse(parseJson(text)).data
  if (list === undefined) {
    return `${join(folder, listName)} is damaged`
  }
  const expected = list[name]
  if (expected === undefined) {
    return `${path} does not belong to the build in its folder`
  }
  const actual = await hash()
  return actual === expected.toUpperCase()
    ? undefined
    : `${path} differs from the built file: its SHA-256 is ${actual} instead of ${expected.toUpperCase()}`
}
