import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { grafanaDashboard } from '../../../../tools/documents/telemetry.ts'
import { telemetryFile } from '../../../../tools/documents.ts'
import { metrics } from '../../../../shared/telemetry/declarations.ts'

const textOf = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

test('the page and the dashboard are written from the declarations', async () => {
  expect(textOf('docs/telemetry.md')).toBe(await telemetryFile())
  expect(textOf('resources/telemetry/grafana.json')).toBe(grafanaDashboard())
})

test('the dashboard asks for metrics that exist', () => {
  const known = Object.keys(metrics).map((name) => name.replaceAll('.', '_'))
  const asked = grafanaDashboard().match(/\b(farhand|http|nodejs|v8js|process)_\w+(?=[)[]|")/g) ?? []
  const unknown = asked.filter((name) => !known.some((each) => name.startsWith(each)))
  const labels = ['http_response_status_code', 'http_route']
  expect(
    unknown.filter(
      (name) =>
        !labels.includes(name) && !/^farhand_(device|session|hub|database|queue|sign_in|agent)(_\w+)?$/.test(name),
    ),
  ).toEqual([])
})
