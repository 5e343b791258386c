import { createReadStream } from 'node:fs'
import { mkdir, open, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { UpdateProblem } from './update-problem.ts'

/** Bounds of a package, far above a real one: a few thousand files, 400 MB. */
const mostEntries = 50_000
const mostBytes = 4 * 1024 ** 3

const damaged = (why: string) => new UpdateProblem(`The package cannot be unpacked: ${why}. Nothing was changed.`)

/** Path below the target; rejects names that leave it (T08). */
function relativePath(name: string, prefix: string): string | undefined {
  const parts = name.split('/')
  if (/[\\:\0]/.test(name) || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw damaged(`${JSON.stringify(name.slice(0, 200))} is no path of a package`)
  }
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined
}

/** Creates a link; rejects a target outside of the unpacked folder. */
async function createLink(folder: string, path: string, target: string | null) {
  if (target === null || isAbsolute(target) || normalize(join(dirname(path), target)).split(/[\\/]/)[0] === '..') {
    throw damaged(`the link ${JSON.stringify(path)} leads out of it`)
  }
  await symlink(target, join(folder, path))
}

interface UnpackOptions {
  signal: AbortSignal
  /** Whether the archive may contain symbolic links, as bundles of macOS do. */
  hasLinks?: boolean
}

async function writeEntry(content: AsyncIterable<Buffer>, file: string, isProgram: boolean) {
  await mkdir(dirname(file), { recursive: true, mode: 0o755 })
  await using target = await open(file, 'wx', isProgram ? 0o755 : 0o644)
  await target.writeFile(content)
  await target.sync()
}

/** Returns the path of an entry below `prefix`; rejects all but regular files, and links if `hasLinks`. */
function checkedPath({ name, type }: Header, prefix: string, hasLinks: boolean): string | undefined {
  if (type !== 'file' && !(hasLinks && type === 'symlink')) {
    throw damaged(`${JSON.stringify(name.slice(0, 200))} is no regular file`)
  }
  return relativePath(name, prefix)
}

/**
 * Unpacks the entries below `prefix` of a tar.gz into a new folder. Regular files with relative names only, and links if
 * `hasLinks`; the caller verified the hash of the archive.
 */
export async function unpack(
  archive: string,
  prefix: string,
  folder: string,
  { signal, hasLinks = false }: UnpackOptions,
): Promise<void> {
  await mkdir(folder, { mode: 0o755 })
  const entries = extract()
  // Error of a damaged archive; the entry that is being read only reports that its stream was destroyed.
  let damage: unknown
  entries.on('error', (error) => (damage = error))
  // Fails with the entries, which say why.
  pipeline(createReadStream(archive), createGunzip(), entries).catch(() => undefined)
  const links: [string, string | null][] = []
  let total = 0
  let count = 0
  try {
    for await (const entry of entries) {
      signal.throwIfAborted()
      const { size, type, mode, linkname } = entry.header
      total += size
      count += 1
      if (count > mostEntries || total > mostBytes) {
        throw damaged('it is larger than a package can be')
      }
      const path = checkedPath(entry.header, prefix, hasLinks)
      if (path !== undefined && type === 'file') {
        await writeEntry(entry as AsyncIterable<Buffer>, join(folder, path), (mode & 0o100) !== 0)
        continue
      }
      entry.resume()
      if (path !== undefined) {
        links.push([path, linkname])
      }
    }
  } catch (error) {
    throw damage ?? error
  }
  // After all files, so that no file is written through a link.
  for (const [path, target] of links) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o755 })
    await createLink(folder, path, target)
  }
}
