/** `npm run documents`: writes every document generated from the declarations. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { printConfigTable } from '../server/settings/key-table.ts'
import { hubExamplesDocument, hubsDocument } from './documents/hubs.ts'
import { grafanaDashboard, telemetryTables } from './documents/telemetry.ts'
import { formatted } from './formatted.ts'
import { answerHelp } from './help.mjs'
import { openApiFiles } from './openapi.ts'

const at = (path: string) => join(import.meta.dirname, '..', path)

export const hubsFile = (): Promise<string> => formatted('docs/hubs.md', hubsDocument())

/** Text of a page: the handwritten text around a generated part. */
async function pageAround(page: string, generated: string): Promise<string> {
  const written = await readFile(at(page), 'utf8')
  const [before, , after] = written.split(/(?<=<!-- prettier-ignore-start -->\n)([^]*)(?=<!-- prettier-ignore-end -->)/)
  if (before === undefined || after === undefined) {
    throw new Error(`${page} has lost the marks around its generated part.`)
  }
  return `${before}\n${generated}\n${after}`
}

export const configurationFile = (): Promise<string> =>
  pageAround('docs/configuration.md', printConfigTable('markdown'))

export const telemetryFile = (): Promise<string> => pageAround('docs/telemetry.md', `${telemetryTables()}\n`)

if (process.argv[1] === import.meta.filename) {
  answerHelp(
    'npm run documents\n\nWrites docs/hubs.md with its examples in test/fixtures, the tables in docs/configuration.md and docs/telemetry.md, the dashboard in resources/telemetry and resources/openapi/ from the declarations.',
  )
  await writeFile(at('docs/hubs.md'), await hubsFile())
  await writeFile(at('test/fixtures/hub-examples.json'), hubExamplesDocument())
  await writeFile(at('docs/configuration.md'), await configurationFile())
  await writeFile(at('docs/telemetry.md'), await telemetryFile())
  await writeFile(at('resources/telemetry/grafana.json'), grafanaDashboard())
  for (const [name, text] of await openApiFiles()) {
    await writeFile(at(`resources/openapi/${name}`), text)
  }
}
