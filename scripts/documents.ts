/** `npm run documents`: writes every document that follows from the declarations. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { hubsDocument } from './documents/hubs.ts'
import { openApiFiles } from './openapi.ts'

const at = (path: string) => join(import.meta.dirname, '..', path)

/** The text of docs/hubs.md. */
export const hubsFile = async (): Promise<string> =>
  format(hubsDocument(), { ...(await resolveConfig(at('docs/hubs.md'))), parser: 'markdown' })

if (import.meta.main) {
  await writeFile(at('docs/hubs.md'), await hubsFile())
  for (const [name, text] of await openApiFiles()) {
    await writeFile(at(`resources/openapi/${name}`), text)
  }
}
