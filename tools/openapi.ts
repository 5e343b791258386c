/** `npm run openapi`: writes the published interface descriptions to resources/openapi/, from the declarations. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openApiDocuments } from '../server/surface/documents.ts'
import { formatted } from './formatted.ts'
import { answerHelp } from './help.mjs'

const folder = join(import.meta.dirname, '..', 'resources', 'openapi')

/** Text of each file by name. */
export async function openApiFiles(): Promise<Map<string, string>> {
  // Version of the interface, so that a release alone changes no file.
  const documents = Object.entries(openApiDocuments('1.0'))
  const texts = documents.map(async ([path, build]): Promise<[string, string]> => {
    const name = path.replace('/openapi/', '')
    return [name, await formatted(name, JSON.stringify(build()))]
  })
  return new Map(await Promise.all(texts))
}

if (process.argv[1] === import.meta.filename) {
  answerHelp('npm run openapi\n\nWrites resources/openapi/ from the declarations.')
  await mkdir(folder, { recursive: true })
  for (const [name, text] of await openApiFiles()) {
    await writeFile(join(folder, name), text)
  }
}
