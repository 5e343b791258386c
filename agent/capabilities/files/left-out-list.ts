import type { Stats } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { withoutMisleading } from '../../../shared/safe-file-names.ts'
import { systemPath, textOfName } from './names.ts'
import type { ZipEntry } from './zip-format.ts'

/** Maximum number of names listed; further names are only counted. */
const mostListed = 10_000

const oneLine = (text: string) => withoutMisleading(text.replace(/[\u0000-\u001f]/g, '_'))

async function describe(path: string, stats: Stats): Promise<string> {
  if (stats.isSymbolicLink()) {
    const target = await readlink(systemPath(path), { encoding: 'buffer' }).catch(() => undefined)
    return target ? `link to ${oneLine(textOfName(target))}` : 'link'
  }
  return stats.isFIFO() ? 'named pipe' : stats.isSocket() ? 'socket' : 'device'
}

/** Lists the entries that a zip cannot hold, as a text file of the archive. */
export class LeftOut {
  readonly #lines: string[] = []
  count = 0

  /** `name` is the path in the archive, `path` the path on disk. */
  async add(name: string, path: string, stats: Stats): Promise<void> {
    this.count++
    if (this.count <= mostListed) {
      this.#lines.push(`${name} (${await describe(path, stats)})`)
    }
  }

  entry(name: string): ZipEntry {
    const more = this.count - this.#lines.length
    const text = [
      'Only files and folders are in this archive. These were left out:',
      '',
      ...this.#lines,
      ...(more > 0 ? [`and ${more} more`] : []),
      '',
    ].join('\n')
    const content = Buffer.from(text)
    return {
      name,
      size: content.length,
      modified: new Date(),
      mode: 0o644,
      async *content() {
        yield content
      },
    }
  }
}
