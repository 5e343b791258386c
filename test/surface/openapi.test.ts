import { readdirSync, readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { openApiFiles } from '../../scripts/openapi.ts'
import { useTestServer } from '../support/server.ts'
import { declared } from './routes.ts'

interface Document {
  openapi: string
  paths: Record<string, Record<string, { security: object[]; responses: Record<string, object> }>>
}

const folder = new URL('../../resources/openapi/', import.meta.url)
const written = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const made = await openApiFiles()

describe.each([...made.keys()])('%s', (name) => {
  test('is up to date: run `npm run openapi` after changing a declaration', () => {
    expect(written(name)).toBe(made.get(name))
  })

  test('is a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(JSON.parse(written(name)) as Record<string, unknown>)
    expect(result).toEqual({ valid: true })
  })

  test('refers only to schemas that it has', () => {
    const text = written(name)
    const { components } = JSON.parse(text) as { components: { schemas: object } }
    const wanted = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, schema]) => schema)
    expect(new Set(wanted).difference(new Set(Object.keys(components.schemas)))).toEqual(new Set())
  })

  test('describes each of its routes, and nothing else', () => {
    const surface = name.replace('.json', '')
    const { paths } = JSON.parse(written(name)) as Document
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const routes = declared.filter((route) => route.surface === surface)
    expect(described.toSorted()).toEqual(
      routes.map(({ definition: { method, path } }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`).toSorted(),
    )
  })
})

test('no other document lies about', () => {
  expect(readdirSync(folder).toSorted()).toEqual([...made.keys()].toSorted())
})

test('the server publishes them when it is asked to', async () => {
  const server = await useTestServer({ settings: { AppOptions__EnableReferenceUi: 'true' } })
  for (const name of made.keys()) {
    const response = await server.visitor().fetch(`/openapi/${name}`)
    expect(response.headers.get('content-type')).toContain('application/json')
    const { paths } = (await response.json()) as Document
    expect(paths).toEqual((JSON.parse(written(name)) as Document).paths)
  }
})
