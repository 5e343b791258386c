import { expect, test } from 'vitest'
import { declared } from '../surface/routes.ts'

test('each route by which a stranger may come in limits the attempts of an address', () => {
  const open = declared
    .map(({ definition }) => definition)
    .filter(({ access, method, path }) => access === 'anonymous' && method === 'POST' && path.includes('/appliance/'))
  expect(open.length).toBeGreaterThan(10)
  expect(open.filter(({ limitedAttempts }) => !limitedAttempts).map(({ path }) => path)).toEqual([])
})
