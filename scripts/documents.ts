/** `npm run documents`: writes every document generated from the declarations. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { printConfigTable } from '../server/config.ts'
import { hubExamplesDocument, hubsDocument } from './documents/hubs.ts'
import { answerHelp } from './help.mjs'
import { openApiFiles } from './openapi.ts'

const at = (path: string) => join(import.meta.dirname, '..', path)

export const hubsFile = async (): Promise<string> =>
  format(hubsDocument(), { ...(await resolveConfig(at('docs/hubs.md'))), parser: 'markdown' })

/** Text of docs/configuration.md: the handwritten text around a generated table of all keys. */
export async function configurationFile(): Promise<string> {
  const written = await readFile(at('docs/configuration.md'), 'utf8')
  const [before, , after] = written.split(/(?<=<!-- prettier-ignore-start -->\n)([^]*)(?=<!-- prettier-ignore-end -->)/)
  if (before === undefined || after === undefined) {
    throw new Error('docs/configuration.md has lost the marks around its table.')
  }
  return `${before}\n${printConfigTable('markdown')}\n${after}`
}

if (import.meta.main) {
  answerHelp(
    'npm run documents\n\nWrites docs/hubs.md with its examples in test/fixtures, the table in docs/configuration.md and resources/openapi/ from the declarations.',
  )
  await writeFile(at('docs/hubs.md'), await hubsFile())
  await writeFile(at('test/fixtures/hub-examples.json'), hubExamplesDocument())
  await writeFile(at('docs/configuration.md'), await configurationFile())
  for (const [name, text] of await openApiFiles()) {
    await writeFile(at(`resources/openapi/${name}`), text)
  }
}
