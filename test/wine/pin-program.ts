/**
 * Runs in Wine: keeps folders in their place for a user whose folders are in `parent`: one there, one elsewhere, and a
 * link from there to elsewhere. Prints the results as one line of JSON.
 */
import { readdirSync } from 'node:fs'
import { common } from '../../agent/platform/windows/library.ts'
import { pinFolder } from '../../agent/platform/windows/folder-owner.ts'
import { fileapi } from '../../agent/platform/windows/win32/fileapi.ts'

const [, , parent = '', elsewhere = ''] = process.argv
await Promise.all([common(), fileapi()])
const attempt = (folder: string) => {
  try {
    const { path, release } = pinFolder(folder, parent)
    const during = readdirSync(path).length
    release()
    return [path, during, readdirSync(path).length]
  } catch (error) {
    return (error as Error).message
  }
}
const results = {
  inside: attempt(`${parent}\\Desktop`),
  itself: attempt(parent.toUpperCase()),
  outside: attempt(elsewhere),
  sibling: attempt(`${parent}-2`),
  linked: attempt(`${parent}\\link`),
  missing: attempt(`${parent}\\missing`),
  left: readdirSync(elsewhere),
}
process.stdout.write(`${JSON.stringify(results)}\n`)
process.exit(0)
