import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { tagColors } from '../../../shared/api/appliance-organization.ts'
import { root } from '../../../tools/processes.mjs'

test('each color of a tag has its color in the style sheet, and the style sheet has no other', () => {
  const css = readFileSync(path.join(root, 'renderer/components/tag-chip.module.css'), 'utf8')
  const styled = [...css.matchAll(/\.dot\[data-color='(\w+)'\] \{\s*background: /g)].map(([, name]) => name)
  expect(styled).toEqual(tagColors)
})
