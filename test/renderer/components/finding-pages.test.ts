import { expect, test } from 'vitest'
import { findingPage } from '../../../renderer/components/finding-pages.ts'

test('a finding leads to its page only for people who may open that page', () => {
  expect(findingPage('certificate', (permission) => permission === 'server.settings.write')?.to).toBe('/network')
  expect(findingPage('certificate', (permission) => permission === 'server.telemetry.read')).toBeUndefined()
  expect(findingPage('backup', (permission) => permission === 'server.telemetry.read')?.to).toBe('/backup')
  expect(findingPage('disk', () => true)).toBeUndefined()
})
