/** Files that one system made for a release, listed so that another machine can sign them with those of other systems. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { ReleaseFile } from '../../shared/release.ts'
import { sha256Of } from './sign.ts'

const listPattern = /^files-(\w+-\w+)\.json$/

const SystemFiles = z.object({ version: z.string(), notes: z.string(), files: z.array(ReleaseFile) })
export type SystemFiles = z.output<typeof SystemFiles>

export const writeSystemFiles = (out: string, system: string, made: SystemFiles): void =>
  writeFileSync(path.join(out, `files-${system}.json`), `${JSON.stringify(made, null, 2)}\n`)

function verify(out: string, { path: name, bytes, sha256 }: ReleaseFile) {
  const file = path.join(out, name)
  if (!existsSync(file) || statSync(file).size !== bytes || sha256Of(file) !== sha256) {
    throw new Error(`${name} is missing, or is not the file that was built. Nothing was signed.`)
  }
}

/** Joins the lists in a folder, and removes them. Throws unless all have one version and every file is as it was built. */
export function joinSystemFiles(out: string): SystemFiles {
  const names = readdirSync(out).filter((name) => listPattern.test(name))
  const lists = names.map((name) => SystemFiles.parse(JSON.parse(readFileSync(path.join(out, name), 'utf8'))))
  const [first] = lists
  const versions = [...new Set(lists.map(({ version }) => version))]
  if (first === undefined || versions.length > 1) {
    const found = first === undefined ? 'no list of files' : `files of several versions (${versions.join(', ')})`
    throw new Error(`${out} holds ${found}: run "npm run release -- --unsigned" for one version on each system first.`)
  }
  const files = lists.flatMap((list) => list.files)
  files.forEach((file) => verify(out, file))
  names.forEach((name) => rmSync(path.join(out, name)))
  return { ...first, files }
}
