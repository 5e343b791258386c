/** Files that one system made for a release, listed so that another machine can sign them with those of other systems. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { ReleaseFile, releaseFileName } from '../../shared/release.ts'
import { sha256Of } from './sign.ts'

const listPattern = /^files-(\w+-\w+)\.json$/

const SystemFiles = z.object({ version: z.string(), files: z.array(ReleaseFile) })
export type SystemFiles = z.output<typeof SystemFiles>

/** Files that signing writes anew. */
const writtenAnew = [releaseFileName, 'SHA256SUMS']

export const writeSystemFiles = (out: string, system: string, made: SystemFiles): void =>
  writeFileSync(path.join(out, `files-${system}.json`), `${JSON.stringify(made, null, 2)}\n`)

function verify(out: string, { path: name, bytes, sha256 }: ReleaseFile) {
  const file = path.join(out, name)
  if (!existsSync(file) || statSync(file).size !== bytes || sha256Of(file) !== sha256) {
    throw new Error(`${name} is missing, or is not the file that was built. Nothing was signed.`)
  }
}

/**
 * Reads a list. Throws if a system lists files of others; what fits every system, and the MSI package, is made on Linux.
 */
function readList(out: string, name: string): SystemFiles {
  const system = listPattern.exec(name)?.[1] ?? ''
  const list = SystemFiles.parse(JSON.parse(readFileSync(path.join(out, name), 'utf8')))
  const foreign = list.files.find(({ platform }) => platform !== system && !system.startsWith('linux-'))
  if (foreign) {
    throw new Error(`${name} lists ${foreign.path}, which was not made for ${system}. Nothing was signed.`)
  }
  return list
}

/** Throws if files that no list names would be published beside the others, or two lists name the same file. */
function refuseOthers(out: string, files: readonly ReleaseFile[], known: readonly string[]) {
  const paths = files.map((file) => file.path)
  const folders = [...new Set(paths.map((name) => path.posix.dirname(name)))]
  const present = folders.flatMap((folder) =>
    readdirSync(path.join(out, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => path.posix.join(folder, name)),
  )
  const other =
    present.find((name) => !paths.includes(name) && !known.includes(name)) ??
    paths.find((name, index) => paths.indexOf(name) !== index)
  if (other !== undefined) {
    throw new Error(`${other} is in no list, or in two. Remove it from ${out}. Nothing was signed.`)
  }
}

/**
 * Joins the lists in a folder, and removes them. Throws unless all have this version, every file is as it was built, and
 * there are no others.
 */
export function joinSystemFiles(out: string, version: string): SystemFiles {
  const names = readdirSync(out).filter((name) => listPattern.test(name))
  const lists = names.map((name) => readList(out, name))
  const versions = [...new Set(lists.map((list) => list.version))]
  if (versions.length !== 1 || versions[0] !== version) {
    const found = versions.length === 0 ? 'no list of files' : `files of ${versions.join(', ')}`
    throw new Error(
      `${out} holds ${found}: run "npm run release -- --unsigned" for ${version}, the version of this checkout, on each system first.`,
    )
  }
  const files = lists.flatMap((list) => list.files)
  files.forEach((file) => verify(out, file))
  refuseOthers(out, files, [...names, ...writtenAnew])
  names.forEach((name) => rmSync(path.join(out, name)))
  return { version, files }
}
