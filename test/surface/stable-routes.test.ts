/** Routes of the appliance that are marked as stable keep what programs rely on. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../server/engines/http/contract/schemas.ts'
import { documents, operationsOf, resolve, type DocumentedRoute, type MediaType } from '../support/openapi.ts'

interface Shape {
  /** Members that a caller has to send. */
  needs: string[]
  /** Members that a caller may read. */
  answers: string[]
}

const document = documents.get('appliance')!

/** Paths of the members of a schema; only those that are required, if asked for. */
function members(schema: JsonSchema, { onlyRequired = false } = {}, path = '', depth = 0): string[] {
  const { properties = {}, required = [], items, anyOf = [] } = resolve(document, schema)
  const own = Object.entries(properties).filter(([name]) => !onlyRequired || required.includes(name))
  return depth > 6
    ? []
    : [
        ...own.flatMap(([name, member]) => [
          `${path}${name}`,
          ...members(member, { onlyRequired }, `${path}${name}.`, depth + 1),
        ]),
        ...[...(items ? [items] : []), ...anyOf].flatMap((one) => members(one, { onlyRequired }, path, depth + 1)),
      ]
}

const schemaOf = (content: Record<string, MediaType> | undefined) => content?.['application/json']?.schema ?? {}

function shapeOf({ operation: { parameters, requestBody, responses } }: DocumentedRoute): Shape {
  const done = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  return {
    needs: [
      ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ...members(schemaOf(requestBody?.content), { onlyRequired: true }),
    ],
    answers: done && 'content' in done ? members(schemaOf(done.content)) : [],
  }
}

const kept = JSON.parse(readFileSync(new URL('../fixtures/stable-routes.json', import.meta.url), 'utf8')) as Record<
  string,
  Shape
>
const stable = operationsOf(document).filter(({ operation }) => operation['x-stability'] === 'stable')
const nameOf = ({ method, path }: DocumentedRoute) => `${method} ${path}`

test('the stable routes are those of test/fixtures/stable-routes.json', () => {
  expect(stable.map(nameOf).toSorted()).toEqual(Object.keys(kept).toSorted())
})

test('each route of the appliance says whether it is stable', () => {
  const stabilities = operationsOf(document).map(({ operation }) => operation['x-stability'])
  expect(new Set(stabilities)).toEqual(new Set(['stable', 'may-change']))
})

describe('a stable route', () => {
  test.each(stable.map((route) => [nameOf(route), route] as const))(
    '%s asks for no more, and answers no less, than it did',
    (name, route) => {
      const { needs, answers } = shapeOf(route)
      expect(needs.filter((member) => !kept[name]?.needs.includes(member))).toEqual([])
      expect(kept[name]?.answers.filter((member) => !answers.includes(member))).toEqual([])
    },
  )
})
