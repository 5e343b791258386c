/** `npm run openapi`: writes the published interface descriptions to resources/openapi/, from the declarations. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { openApiDocuments } from '../server/routes/documents.ts'
import { answerHelp } from './help.mjs'

const folder = join(import.meta.dirname, '..', 'resources', 'openapi')

/** Text of each file by name. */
export async function openApiFiles(): Promise<Map<string, string>> {
  const style = await resolveConfig(join(folder, 'v1.json'))
  // Version of the interface, so that a release alone changes no file.
  const documents = Object.entries(openApiDocuments('1.0'))
  const texts = documents.map(async ([path, build]): Promise<[string, string]> => {
    const text = await format(JSON.stringify(build()), { ...style, parser: 'json' })
    return [path.replace('/openapi/', ''), text]
  })
  return new Map(await Promise.all(texts))
}

if (import.meta.main) {
  answerHelp('npm run openapi\n\nWrites resources/openapi/ from the declarations.')
  await mkdir(folder, { recursive: true })
  for (const [name, text] of await openApiFiles()) {
    await writeFile(join(folder, name), text)
  }
}
