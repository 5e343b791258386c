import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { permissions, presets } from '../../shared/access.ts'

/** The published list: name | grantable at | origin | presets. */
const rows = readFileSync(new URL('../fixtures/permissions.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' | ') as [name: string, scopes: string, origin: string, presets: string])

const presetsWith = (name: string) =>
  Object.entries(presets).flatMap(([preset, names]) => ((names as readonly string[]).includes(name) ? preset : []))

describe('the published permissions', () => {
  test.each(rows)('%s is declared as published', (name, scopes, _, bundles) => {
    const legal = permissions.get(name as Parameters<typeof permissions.get>[0])
    expect(legal?.toSorted()).toEqual(scopes.replace('*', '').split(',').toSorted())
    expect(presetsWith(name).toSorted()).toEqual(bundles.split(', ').toSorted())
  })

  test('are the only declared permissions', () => {
    expect([...permissions.keys()].toSorted()).toEqual(rows.map(([name]) => name).toSorted())
  })
})
