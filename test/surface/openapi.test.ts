import { readdirSync, readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { problemCodes } from '../../shared/contract/problem.ts'
import type { JsonSchema } from '../../server/engines/http/contract/schemas.ts'
import { openApiFiles } from '../../tools/openapi.ts'
import { tagDescriptions } from '../../server/surface/document-texts.ts'
import { documents, operationsOf, resolve, type Document } from '../support/openapi.ts'
import { createUser } from '../support/people.ts'
import { rawRequest } from '../support/raw-request.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { requestFor } from './requests.ts'
import { declared, rows } from './routes.ts'

const server = serverForFile({ settings: { AppOptions__EnableReferenceUi: 'true' } })
const owner = ownerForFile(server)

const folder = new URL('../../resources/openapi/', import.meta.url)
const written = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const made = await openApiFiles()
const all = [...documents.values()].flatMap(operationsOf)

describe.each([...made.keys()])('%s', (name) => {
  const document = JSON.parse(made.get(name)!) as Document

  test('is up to date: run `npm run openapi` after changing a declaration', () => {
    // Without `expect`, which takes minutes to diff two long texts.
    expect(written(name) === made.get(name)).toBe(true)
  })

  test('is a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(JSON.parse(made.get(name)!) as Record<string, unknown>)
    expect(result).toEqual({ valid: true })
  })

  test('has no dangling references', () => {
    const { schemas, responses } = document.components
    const wanted = [...made.get(name)!.matchAll(/#\/components\/(\w+)\/(\w+)/g)].map(
      ([, kind, item]) => `${kind} ${item}`,
    )
    const has = [
      ...Object.keys(schemas).map((item) => `schemas ${item}`),
      ...Object.keys(responses).map((item) => `responses ${item}`),
    ]
    expect(new Set(wanted).difference(new Set(has))).toEqual(new Set())
  })

  test('describes each of its routes and no others', () => {
    const surface = name.replace('.json', '')
    const described = operationsOf(document).map(({ method, path }) => `${method} ${path}`)
    const routes = declared.filter(({ surface: own, definition }) => own === surface && !definition.unlisted)
    expect(described.toSorted()).toEqual(
      routes.map(({ definition: { method, path } }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`).toSorted(),
    )
  })

  test('has a unique id for each operation, and a description for each tag', () => {
    const operations = operationsOf(document)
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
    expect(document.tags.filter(({ description }) => description === undefined)).toEqual([])
  })

  test('describes each property and each parameter', () => {
    expect(undescribed(document)).toEqual([])
  })

  test('describes each schema, with an example that the schema accepts', () => {
    const ajv = new Ajv2020({ strict: false, code: { optimize: false } })
    addFormats.default(ajv)
    ajv.addFormat('base64', true)
    ajv.addSchema({ $id: name, ...document })
    const faults = Object.entries(document.components.schemas).flatMap(
      ([shape, { description, properties, examples }]) => {
        const isValid = ajv.getSchema(`${name}#/components/schemas/${shape}`)!
        return [
          ...(description ? [] : [`${shape} has no description`]),
          ...(properties && !examples ? [`${shape} has no example`] : []),
          ...(examples ?? []).flatMap((example) =>
            isValid(example) ? [] : [`${shape}: ${ajv.errorsText(isValid.errors)}`],
          ),
        ]
      },
    )
    expect(faults).toEqual([])
  })

  test('has the forms that generators read: integers with names, one form of null, open problems', () => {
    const { properties, additionalProperties } = document.components.schemas['ProblemDetails']!
    expect(additionalProperties).toBe(true)
    expect(properties!['code']).toMatchObject({ type: 'string', 'x-extensible-enum': Object.keys(problemCodes) })
    expect(unreadable(document)).toEqual([])
  })
})

/** Enums of numbers without names, and nullable types in another form than `type: [X, "null"]`. */
function unreadable(part: object, where = ''): string[] {
  const { enum: values, anyOf, type } = part as JsonSchema
  const names = (part as JsonSchema)['x-enum-varnames'] as unknown[] | undefined
  const isNameless =
    Array.isArray(values) && typeof values[0] === 'number' && (type !== 'integer' || names?.length !== values.length)
  const isOtherForm = Array.isArray(anyOf) && !anyOf.some(({ $ref }) => $ref !== undefined)
  return [
    ...(isNameless || isOtherForm ? [where] : []),
    ...Object.entries(part).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && key !== 'examples'
        ? unreadable(value as object, `${where}.${key}`)
        : [],
    ),
  ]
}

/** Properties and parameters of a document without a description. */
function undescribed({ paths, components }: Document): string[] {
  const found: string[] = []
  const look = (part: unknown, where: string) => {
    if (typeof part !== 'object' || part === null) {
      return
    }
    for (const [key, value] of Object.entries(part)) {
      if (key === 'parameters' || (key === 'properties' && !where.endsWith('.properties'))) {
        const lacking = Object.entries(value as object).filter(([, { description }]) => !description)
        found.push(...lacking.map(([name, { name: parameter = name }]) => `${where} ${parameter}`))
      }
      if (key !== 'examples') {
        look(value, `${where}.${key}`)
      }
    }
  }
  look(paths, 'paths')
  look(components.schemas, 'schemas')
  return found
}

const count = (name: string) => operationsOf(documents.get(name)!).length

test('130 operations are in the main document, 79 in that for older clients', () => {
  expect([count('v1'), count('internal')]).toEqual([130, 79])
})

test('71 operations are deprecated and name their replacement', () => {
  const deprecated = all.filter(({ operation }) => operation.deprecated)
  expect(deprecated.length).toBe(71)
  const v1 = documents.get('v1')!.paths
  for (const { document, method, operation } of deprecated) {
    const replacement = operation['x-replacement-route']!
    expect(document).toBe(documents.get('internal'))
    expect(operation.description).toContain(`use \`${method} ${replacement}\` instead`)
    expect(v1[replacement]?.[method.toLowerCase()], replacement).toBeDefined()
  }
  expect(all.filter(({ operation }) => !operation.deprecated && operation['x-replacement-route'])).toEqual([])
})

test('an operation without a security scheme is open to anyone', () => {
  const open = all.filter(({ operation }) => operation.security.length === 0)
  const anonymous = declared.filter(
    ({ surface, definition: { access } }) => documents.has(surface) && access === 'anonymous',
  )
  expect(open.length).toBe(anonymous.length)
  for (const { operation } of all.filter(({ operation: { security } }) => security.length > 0)) {
    expect(operation.security).toEqual([{ apiKey: [] }, { personalToken: [] }, { bearer: [] }, { cookie: [] }])
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '403']))
  }
})

test('every described tag is used', () => {
  const used = new Set([...documents.values()].flatMap(({ tags }) => tags.map(({ name }) => name)))
  expect(Object.keys(tagDescriptions).filter((name) => !used.has(name))).toEqual([])
})

describe('an example', () => {
  const json = rows(({ body, bodyType = 'json', unlisted }) => body !== undefined && bodyType === 'json' && !unlisted)

  test.each(json)('of a body of %s is accepted by the schema of the route', (_, definition) => {
    const { init } = requestFor(definition)
    const parsed = (definition.body as z.ZodType).safeParse(JSON.parse((init as { body: string }).body))
    expect(parsed.error?.issues ?? []).toEqual([])
  })

  test('of a device shows every member', () => {
    const v1 = documents.get('v1')!
    const { properties, examples } = resolve(v1, { $ref: '#/components/schemas/DeviceResponseDto' })
    expect(Object.keys(examples![0] as object)).toEqual(Object.keys(properties!))
  })
})

test('the folder has no document besides those made from the routes', () => {
  expect(readdirSync(folder).toSorted()).toEqual([...made.keys()].toSorted())
})

test('the server publishes the documents when configured to', async () => {
  for (const name of made.keys()) {
    const response = await server.visitor().fetch(`/openapi/${name}`)
    expect(response.headers.get('content-type')).toContain('application/json')
    const { paths } = (await response.json()) as Document
    const { paths: expected } = JSON.parse(made.get(name)!) as Document
    // As texts: `expect` walks through the values for half a second.
    expect(JSON.stringify(paths) === JSON.stringify(expected)).toBe(true)
    const etag = response.headers.get('etag')!
    // `fetch` would ask for a fresh one.
    const again = await rawRequest(server.url, `/openapi/${name}`, { headers: { 'if-none-match': etag } })
    expect([again.status, again.text]).toEqual([304, ''])
  }
})

test('a document is sent packed to clients that accept it', async () => {
  const [plain, packed] = await Promise.all(
    ['identity', 'gzip'].map((encoding) =>
      fetch(`${server.url}/openapi/internal.json`, { headers: { 'accept-encoding': encoding } }),
    ),
  )
  expect([plain!.headers.get('content-encoding'), packed!.headers.get('content-encoding')]).toEqual([null, 'gzip'])
  expect(await packed!.text()).toBe(await plain!.text())
})

test('the example of an assignment obeys its own rules', async () => {
  const { schemas } = documents.get('v1')!.components
  const [example] = schemas['CreatePermissionAssignmentRequestDto']!.examples as Record<string, unknown>[]
  const { tenantId } = owner
  const user = await createUser(owner)
  const answer = await owner.fetch(`/api/v1/permission-assignments?tenantId=${tenantId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...example, principalId: user.id, scopeId: tenantId }),
  })
  expect(answer.status).toBe(201)
})

test('GET /openapi lists the documents with their addresses, to anybody, where they are served', async () => {
  const list = (await (await fetch(`${server.url}/openapi`)).json()) as { name: string; url: string }[]
  expect(list.map(({ name }) => name)).toEqual([...documents.keys()])
  for (const { url } of list) {
    expect((await fetch(`${server.url}${url}`)).status).toBe(200)
  }
})
